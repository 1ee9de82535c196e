; Captures: see docs/languages.md
(decorated_definition) @outer
(comment) @comment

(function_definition name: (identifier) @name
  body: (block . (string)? @doc)) @definition.function
(class_definition name: (identifier) @name
  body: (block . (string)? @doc)) @definition.class

(module (assignment left: (identifier) @name) @definition.variable)
(module (assignment left: (pattern_list (identifier) @name)) @definition.variable)
(class_definition body: (block (assignment left: (identifier) @name) @definition.field))
(type_alias_statement left: (type (identifier) @name)) @definition.type

(call function: [(identifier) @call (_ attribute: (identifier) @call)])

(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)
