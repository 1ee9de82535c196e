(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration
    type: [
      (type_identifier) @container
      (pointer_type (type_identifier) @container)
      (generic_type type: (type_identifier) @container)
      (pointer_type (generic_type type: (type_identifier) @container))
    ]))
  name: (field_identifier) @name) @definition.method

(type_declaration (type_spec name: (type_identifier) @name type: (struct_type))
  @definition.struct) @with
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type))
  @definition.interface) @with
(type_declaration (type_spec name: (type_identifier) @name) @definition.type) @with
(type_declaration (type_alias name: (type_identifier) @name) @definition.type) @with
(method_elem name: (field_identifier) @name) @definition.method
(field_declaration name: (field_identifier) @name) @definition.field

(source_file (const_declaration (const_spec (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list
  (var_spec name: (identifier) @name) @definition.variable)))

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))

(import_spec path: (_) @import)
