; Captures: see docs/languages.md
(decorated_definition) @outer
(comment) @comment

(function_definition name: (identifier) @name
  body: (block . (string)? @doc)) @definition.function
(class_definition name: (identifier) @name
  body: (block . (string)? @doc)) @definition.class

; A class that a call makes
((assignment left: (identifier) @name right: (call
  function: [(identifier) @_made (attribute attribute: (identifier) @_made)]
  arguments: (argument_list . (string) . (tuple)))) @definition.class
  (#any-of? @_made "type" "new_class"))
(module (assignment left: (identifier) @name) @definition.variable)
(module (assignment left: [
  (pattern_list (identifier) @name)
  (tuple_pattern (identifier) @name)
  (list_pattern (identifier) @name)
  (_ (list_splat_pattern (identifier) @name))]) @definition.variable)
(module (assignment right: (assignment left: (identifier) @name) @definition.variable))
; What is given in a branch outside of functions: `try: … HAS_SSL = True except ImportError: …`
((if_statement condition: (_) @_when consequence: (block (assignment
  left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable)) @branch
  (#not-match? @_when "__name__"))  ; a script's own
(elif_clause (block (assignment
  left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable)) @branch
(else_clause (block (assignment
  left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable)) @branch
(try_statement (block (assignment
  left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable)) @branch
(except_clause (block (assignment
  left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable)) @branch
(finally_clause (block (assignment
  left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable)) @branch
(with_statement (block (assignment
  left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable)) @branch
(class_definition body: (block (assignment left: [
  (identifier) @name
  (pattern_list (identifier) @name)]) @definition.field))
(class_definition body: (block (assignment
  right: (assignment left: (identifier) @name) @definition.field)))
(type_alias_statement left: (type (identifier) @name)) @definition.type

(call function: [(identifier) @call (_ attribute: (identifier) @call)])

(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)
