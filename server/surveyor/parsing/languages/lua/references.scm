; What a Lua file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(dot_index_expression field: (identifier) @member)
(method_index_expression method: (identifier) @member)
(function_call name: (identifier) @call)
(function_call name: (dot_index_expression field: (identifier) @call))
(function_call name: (method_index_expression method: (identifier) @call))
(assignment_statement (variable_list (dot_index_expression field: (identifier) @write)))
(assignment_statement (variable_list (identifier) @write))

; What a class is made of: `Base:extend()`, `class("Name", Base)`, `class(Base)`.
((assignment_statement (expression_list . (function_call name: (method_index_expression
  table: [(identifier) @base (dot_index_expression field: (identifier) @base)]
  method: (identifier) @_extend))))
  (#any-of? @_extend "extend" "subclass" "derive"))
((assignment_statement (expression_list . (function_call name: (identifier) @_class
  arguments: (arguments [(identifier) @base (dot_index_expression field: (identifier) @base)]))))
  (#any-of? @_class "class" "Class"))
; … `setmetatable({}, { __index = Base })`
(chunk (_ (assignment_statement (expression_list . (function_call name: (identifier) @_set
  arguments: (arguments (table_constructor (field name: (identifier) @_index value: [
    (identifier) @base (dot_index_expression field: (identifier) @base)]))))))
  (#eq? @_set "setmetatable") (#eq? @_index "__index")))
(chunk (assignment_statement (expression_list . (function_call name: (identifier) @_set
  arguments: (arguments (table_constructor (field name: (identifier) @_index value: [
    (identifier) @base (dot_index_expression field: (identifier) @base)]))))))
  (#eq? @_set "setmetatable") (#eq? @_index "__index"))
; … of what another file gives: `require("base"):extend()`, `class("Name", require("base"))`.
((assignment_statement (expression_list . (function_call name: (method_index_expression
  table: (function_call name: (_) @_require arguments: (arguments . (string content: (_) @required)))
  method: (identifier) @_extend))))
  (#any-of? @_extend "extend" "subclass" "derive") (#match? @_require "^([a-zA-Z_.]+[.])?require$"))
((assignment_statement (expression_list . (function_call name: (identifier) @_class
  arguments: (arguments (function_call name: (_) @_require
    arguments: (arguments . (string content: (_) @required)))))))
  (#any-of? @_class "class" "Class") (#match? @_require "^([a-zA-Z_.]+[.])?require$"))

; … `setmetatable({}, { __index = require("base") })`
(chunk (_ (assignment_statement (expression_list . (function_call name: (identifier) @_set
  arguments: (arguments (table_constructor (field name: (identifier) @_index
    value: (function_call name: (_) @_require
      arguments: (arguments . (string content: (_) @required)))))))))
  (#eq? @_set "setmetatable") (#eq? @_index "__index")
  (#match? @_require "^([a-zA-Z_.]+[.])?require$")))

(function_declaration name: (identifier) @skip)
(function_declaration name: (dot_index_expression field: (identifier) @skip))
(function_declaration name: (method_index_expression method: (identifier) @skip))
(field name: (identifier) @skip)
(label_statement (identifier) @skip)
(goto_statement (identifier) @skip)
((identifier) @skip (#any-of? @skip "self" "require" "setmetatable"))

(function_declaration) @scope
(function_definition) @scope
(for_statement) @scope
(do_statement) @scope

(parameters name: (identifier) @local)
(block (variable_declaration (assignment_statement (variable_list name: (identifier) @local))))
(block (variable_declaration (variable_list name: (identifier) @local)))
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)

(assignment_statement) @bind
((function_call name: (identifier) @_set) @bind (#eq? @_set "setmetatable"))
(return_statement (expression_list . (_) @value))

((function_call name: (identifier) @_r arguments: (arguments)) @import
  (#any-of? @_r "require" "dofile" "loadfile"))
((function_call name: (identifier) @_protected arguments: (arguments . (identifier) @_r . (string)))
  @import (#eq? @_protected "pcall") (#any-of? @_r "require" "dofile" "loadfile"))
; A library's own `require`, which finds what Lua's does and more.
((function_call name: (dot_index_expression field: (identifier) @_r)
  arguments: (arguments . (string))) @import (#eq? @_r "require"))
(chunk (return_statement) @default)
(chunk (assignment_statement) @default)
(chunk (function_declaration name: (identifier)) @default)
