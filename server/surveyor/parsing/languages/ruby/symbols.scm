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
; A class that a call makes: `Box = Class.new(Base) do … end`
((assignment left: [
    (constant) @name
    (scope_resolution scope: (_) @container name: (constant) @name)]
  right: (call receiver: (constant) @_class method: (identifier) @_new)) @definition.class
  (#any-of? @_class "Class" "Struct") (#eq? @_new "new"))
((assignment left: (constant) @name
  right: (call receiver: (constant) @_class method: (identifier) @_new)) @definition.class
  (#eq? @_class "Data") (#eq? @_new "define"))
((assignment left: (constant) @name
  right: (call receiver: (constant) @_class method: (identifier) @_new)) @definition.module
  (#eq? @_class "Module") (#eq? @_new "new"))
(assignment left: (constant) @name) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
((call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name))
  @definition.property
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer"))
(alias name: (_) @name) @definition.method
; What a class is given by calls in its body that name it
((call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name))
  @definition.property
  (#any-of? @_attr "attr_internal" "class_attribute" "cattr_accessor" "cattr_reader"
    "mattr_accessor" "mattr_reader" "thread_mattr_accessor"))
((call method: (identifier) @_attr arguments: (argument_list . (simple_symbol) @name))
  @definition.property
  (#any-of? @_attr "attribute" "alias_attribute" "belongs_to" "has_one" "has_many"
    "has_and_belongs_to_many" "has_one_attached" "has_many_attached" "has_rich_text"))
((call method: (identifier) @_made
  arguments: (argument_list . [(simple_symbol) (string . (string_content) .)] @name))
  @definition.method
  (#any-of? @_made "define_method" "define_singleton_method" "alias_method"))
((call method: (identifier) @_made
  arguments: (argument_list . (simple_symbol) @name . [(lambda) (call)]))
  @definition.method
  (#eq? @_made "scope"))
((call method: (identifier) @_made arguments: (argument_list (simple_symbol) @name (pair)))
  @definition.method
  (#eq? @_made "delegate"))
((call method: (identifier) @_made arguments: (argument_list . (_) (simple_symbol) @name))
  @definition.method
  (#any-of? @_made "def_delegators" "def_instance_delegators"))
((call method: (identifier) @_made
  arguments: (argument_list . (_) . (simple_symbol)? . (simple_symbol) @name .))
  @definition.method
  (#any-of? @_made "def_delegator" "def_instance_delegator"))

(call method: (identifier) @call)
(call receiver: (constant) @call method: (identifier) @_new (#eq? @_new "new"))

((call method: (identifier) @_require arguments: (argument_list . (string (string_content) @import)))
  (#any-of? @_require "require" "require_relative" "load" "autoload"))
