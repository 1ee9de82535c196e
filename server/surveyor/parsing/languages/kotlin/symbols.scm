(line_comment) @comment
(multiline_comment) @comment

(class_declaration "interface" (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @definition.enum
(class_declaration (type_identifier) @name (class_body)? @body) @definition.class
(object_declaration (type_identifier) @name (class_body)? @body) @definition.object
(companion_object (type_identifier) @name (class_body)? @body) @definition.object
(enum_entry (simple_identifier) @name) @definition.enum_member
(function_declaration (simple_identifier) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name) @definition.constructor
(class_parameter (binding_pattern_kind) . (simple_identifier) @name) @definition.property
(source_file (property_declaration (modifiers (property_modifier) @_const)
  (variable_declaration (simple_identifier) @name)) @definition.constant (#eq? @_const "const"))
(source_file (property_declaration (variable_declaration (simple_identifier) @name))
  @definition.variable)
(class_body (property_declaration (modifiers (property_modifier) @_const)
  (variable_declaration (simple_identifier) @name)) @definition.constant (#eq? @_const "const"))
(class_body (property_declaration (variable_declaration (simple_identifier) @name))
  @definition.property . (getter) @until)
(class_body (property_declaration (variable_declaration (simple_identifier) @name))
  @definition.property)
(type_alias (type_identifier) @name) @definition.type

(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression (navigation_suffix (simple_identifier) @call) .))

(import_header (identifier) @import)
