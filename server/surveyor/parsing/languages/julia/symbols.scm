(line_comment) @comment
(block_comment) @comment
((string_literal (content) @text) @leading
  . [(function_definition) (assignment) (struct_definition) (abstract_definition)
     (macro_definition) (const_statement) (module_definition)])

(module_definition name: (identifier) @name) @definition.module
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)])])) @definition.type
(primitive_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)])])) @definition.type
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)])]) (block)? @body) @definition.struct
(struct_definition (block [
  (identifier) @name
  (typed_expression . (identifier) @name)] @definition.field))
(struct_definition (block (assignment . [
  (identifier) @name
  (typed_expression . (identifier) @name)]) @definition.field))

(function_definition (signature [
  (call_expression . [(identifier) (operator)] @name)
  (typed_expression . (call_expression . [(identifier) (operator)] @name))
  (where_expression . (call_expression . [(identifier) (operator)] @name))
  (where_expression . (typed_expression . (call_expression . [(identifier) (operator)] @name)))
  (where_expression . (where_expression . (call_expression . [(identifier) (operator)] @name)))
  (where_expression . (where_expression . (typed_expression . (call_expression . [(identifier) (operator)] @name))))])
  (block)? @body) @definition.function
(assignment . [
  (call_expression . [(identifier) (operator)] @name)
  (typed_expression . (call_expression . [(identifier) (operator)] @name))
  (where_expression . (call_expression . [(identifier) (operator)] @name))
  (where_expression . (typed_expression . (call_expression . [(identifier) (operator)] @name)))
  (where_expression . (where_expression . (call_expression . [(identifier) (operator)] @name)))
  (where_expression . (where_expression . (typed_expression . (call_expression . [(identifier) (operator)] @name))))]
  . (operator) @body) @definition.function
(function_definition (signature [
  (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .))
  (typed_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .)))
  (where_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .)))
  (where_expression . (typed_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .))))
  (where_expression . (where_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .))))
  (where_expression . (where_expression . (typed_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .)))))])
  (block)? @body) @definition.function
(assignment . [
  (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .))
  (typed_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .)))
  (where_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .)))
  (where_expression . (typed_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .))))
  (where_expression . (where_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .))))
  (where_expression . (where_expression . (typed_expression . (call_expression . (field_expression value: (_) @container [(identifier) @name (quote_expression (operator) @name)] .)))))]
  . (operator) @body) @definition.function
(function_definition (signature . (identifier) @name .)) @definition.function
(macro_definition (signature (call_expression . (identifier) @name)) (block)? @body)
  @definition.macro
(const_statement (assignment . (identifier) @name)) @definition.constant
(source_file (assignment . (identifier) @name) @definition.variable)
(module_definition (block (assignment . (identifier) @name) @definition.variable))
; Its values are names of the module, not of the type.
((macrocall_expression (macro_identifier (identifier) @_enum)
  (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)]
    @definition.enum)) (#eq? @_enum "enum"))
((macrocall_expression (macro_identifier (identifier) @_enum) (macro_argument_list . (_) [
  (identifier) @name @definition.enum_member
  (assignment . (identifier) @name) @definition.enum_member
  (compound_statement (block [
    (identifier) @name @definition.enum_member
    (assignment . (identifier) @name) @definition.enum_member]))]))
  (#eq? @_enum "enum"))

(call_expression . (identifier) @call)
(call_expression . (field_expression (identifier) @call .))
(macrocall_expression (macro_identifier (identifier) @call))

(using_statement (_) @import)
(import_statement (identifier) @import)
(import_statement (selected_import . (_) @import))
((call_expression . (identifier) @_include (argument_list . (string_literal) @import))
  (#eq? @_include "include"))
