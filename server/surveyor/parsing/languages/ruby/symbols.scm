(comment) @comment

(class name: [(constant) @name (scope_resolution name: (constant) @name)]) @definition.class
(module name: [(constant) @name (scope_resolution name: (constant) @name)]) @definition.module
(class name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.class
(module name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.module
(class (body_statement (method name: (_) @name) @definition.method))
(module (body_statement (method name: (_) @name) @definition.method))
(singleton_class (body_statement (method name: (_) @name) @definition.method))
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant
((call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name))
  @definition.property
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer"))
(alias name: (_) @name) @definition.method

(call method: (identifier) @call)
(call receiver: (constant) @call method: (identifier) @_new (#eq? @_new "new"))

((call method: (identifier) @_require arguments: (argument_list . (string (string_content) @import)))
  (#any-of? @_require "require" "require_relative" "load" "autoload"))
