(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression
  table: (_) @container field: (identifier) @name)) @definition.function
(function_declaration name: (method_index_expression
  table: (_) @container method: (identifier) @name)) @definition.method
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name) (expression_list . value: (function_definition))))
  @definition.function
(assignment_statement
  (variable_list . name: (identifier) @name) (expression_list . value: (function_definition)))
  @definition.function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name))
  (expression_list . value: (function_definition))) @definition.function
(field name: (identifier) @name value: (function_definition)) @definition.method
(chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name))) @definition.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)

(function_call name: [
  (identifier) @call
  (dot_index_expression field: (identifier) @call)
  (method_index_expression method: (identifier) @call)])

((function_call name: (identifier) @_require arguments: (arguments . (string) @import))
  (#any-of? @_require "require" "dofile" "loadfile"))
