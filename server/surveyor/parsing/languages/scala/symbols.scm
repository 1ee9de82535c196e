(comment) @comment
(block_comment) @comment

(class_definition name: (identifier) @name) @definition.class
(object_definition name: (identifier) @name) @definition.object
(package_object name: (identifier) @name) @definition.object
(trait_definition name: (identifier) @name) @definition.trait
(enum_definition name: (identifier) @name) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.enum_member
(full_enum_case name: (identifier) @name) @definition.enum_member
((function_definition name: (identifier) @name) @definition.constructor (#eq? @name "this"))
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(template_body (val_definition pattern: (identifier) @name) @definition.field)
(template_body (var_definition pattern: (identifier) @name) @definition.field)
(template_body (val_declaration name: (identifier) @name) @definition.field)
(compilation_unit (val_definition pattern: (identifier) @name) @definition.variable)
(given_definition name: (identifier) @name body: (with_template_body)) @definition.object
(given_definition name: (identifier) @name) @definition.variable
(type_definition name: (type_identifier) @name) @definition.type
(class_parameter "val" name: (identifier) @name) @definition.property

(call_expression function: [
  (identifier) @call
  (field_expression field: (identifier) @call)
  (generic_function function: [(identifier) @call (field_expression field: (identifier) @call)])])
(instance_expression . (type_identifier) @call)
(instance_expression . (generic_type type: (type_identifier) @call))

(import_declaration) @import
