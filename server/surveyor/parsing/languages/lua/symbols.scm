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
; Classes as libraries make them: `Base:extend()`, `class("Name", Base)`.
((variable_declaration (assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_call name: (method_index_expression
    method: (identifier) @_extend))))) @definition.class
  (#any-of? @_extend "extend" "subclass" "derive"))
((assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_call name: (method_index_expression
    method: (identifier) @_extend)))) @definition.class
  (#any-of? @_extend "extend" "subclass" "derive"))
((variable_declaration (assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_call name: (identifier) @_class)))) @definition.class
  (#any-of? @_class "class" "Class"))
((assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_call name: (identifier) @_class))) @definition.class
  (#any-of? @_class "class" "Class"))
; `setmetatable({}, { __index = Base })`
((variable_declaration (assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_call name: (identifier) @_set arguments: (arguments
    . (table_constructor) (table_constructor (field name: (identifier) @_index))))))
  @definition.class) (#eq? @_set "setmetatable") (#eq? @_index "__index"))
((assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_call name: (identifier) @_set arguments: (arguments
    . (table_constructor) (table_constructor (field name: (identifier) @_index))))))
  @definition.class (#eq? @_set "setmetatable") (#eq? @_index "__index"))
(chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name))) @definition.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
; A global that is given in a branch outside of functions.
(if_statement (block (assignment_statement
  (variable_list name: (identifier) @name)) @definition.variable)) @branch
(elseif_statement (block (assignment_statement
  (variable_list name: (identifier) @name)) @definition.variable)) @branch
(else_statement (block (assignment_statement
  (variable_list name: (identifier) @name)) @definition.variable)) @branch
(do_statement (block (assignment_statement
  (variable_list name: (identifier) @name)) @definition.variable)) @branch

(function_call name: [
  (identifier) @call
  (dot_index_expression field: (identifier) @call)
  (method_index_expression method: (identifier) @call)])

((function_call name: (identifier) @_require arguments: (arguments . (string) @import))
  (#any-of? @_require "require" "dofile" "loadfile"))
