(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_body (property_identifier) @name @definition.enum_member)
(enum_body (enum_assignment name: (_) @name) @definition.enum_member)
(type_alias_declaration name: (_) @name) @definition.type
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.namespace
(function_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.method
(method_signature name: (_) @name) @definition.method
(property_signature name: (_) @name) @definition.property
(public_field_definition name: (_) @name
  value: [(arrow_function) (function_expression)]) @definition.method
(public_field_definition name: (_) @name value: (class)) @definition.class
(public_field_definition name: (_) @name) @definition.field
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name)
  @definition.variable) @with)
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name)
  @definition.variable) @with)
; declare global { var … }
(ambient_declaration (statement_block (variable_declaration
  (variable_declarator name: (identifier) @name) @definition.variable) @with))
(ambient_declaration (statement_block (lexical_declaration
  (variable_declarator name: (identifier) @name) @definition.variable) @with))
(ambient_declaration) @outer
(import_require_clause source: (string) @import)
