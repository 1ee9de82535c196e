(comment) @comment
(documentation_comment) @comment
(annotation) @leading

(class_definition name: (identifier) @name) @definition.class
(class_definition (mixin_application_class . (identifier) @name)) @definition.class
(mixin_declaration (identifier) @name) @definition.trait
(extension_declaration name: (identifier) @name) @definition.class
(extension_type_declaration name: (identifier) @name) @definition.class
(representation_declaration name: (identifier) @name) @definition.field
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.enum_member
(type_alias . (type_identifier) @name) @definition.type

(program (getter_signature name: (identifier) @name) @definition.function
  . (function_body) @until)
((method_signature [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)]) @definition.method . (function_body) @until)
((method_signature (operator_signature (binary_operator) @name)) @definition.method
  . (function_body) @until)
((method_signature [
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (constructor_signature name: (identifier) @name . parameters: (_))]) @definition.constructor
  . (function_body) @until)
(declaration (getter_signature name: (identifier) @name)) @definition.method
(declaration (function_signature name: (identifier) @name)) @definition.method
(declaration (constructor_signature name: (identifier) @name . parameters: (_)))
  @definition.constructor
(declaration (constant_constructor_signature (identifier) @name .
  (formal_parameter_list))) @definition.constructor
((function_signature name: (identifier) @name) @definition.function . (function_body) @until)
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name)))
  @definition.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name)))
  @definition.field
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)
  @definition.constant))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)
  @definition.variable))

((identifier) @call . (selector (argument_part)))
((unconditional_assignable_selector (identifier) @call))

(import_specification (configurable_uri (uri (string_literal) @import)))
(library_export (configurable_uri (uri (string_literal) @import)))
(part_directive (uri (string_literal) @import))
