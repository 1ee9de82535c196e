; What a Ruby file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(constant) @id
(instance_variable) @ivar
(call receiver: (_) method: [(identifier) (constant)] @member)
(scope_resolution name: (constant) @member)
(call method: (identifier) @call)
(call receiver: [(constant) @new (scope_resolution name: (constant) @new)]
  method: (identifier) @_i (#eq? @_i "new"))
(superclass [(constant) @base (scope_resolution name: (constant) @base)])
((assignment left: [(constant) (scope_resolution)]
  right: (call receiver: (constant) @_class method: (identifier) @_i
  arguments: (argument_list . [(constant) @base (scope_resolution name: (constant) @base)])))
  (#eq? @_class "Class") (#eq? @_i "new"))
((superclass (call receiver: (constant) @_class method: (identifier) @_i
  arguments: (argument_list . [(constant) @base (scope_resolution name: (constant) @base)])))
  (#eq? @_class "Class") (#eq? @_i "new"))
((body_statement (call receiver: (constant) @_class method: (identifier) @_i
    arguments: (argument_list . [(constant) @unnamed (scope_resolution name: (constant) @unnamed)])))
  (#eq? @_class "Class") (#eq? @_i "new"))
((block_body (call receiver: (constant) @_class method: (identifier) @_i
    arguments: (argument_list . [(constant) @unnamed (scope_resolution name: (constant) @unnamed)])))
  (#eq? @_class "Class") (#eq? @_i "new"))
((argument_list (call receiver: (constant) @_class method: (identifier) @_i
    arguments: (argument_list . [(constant) @unnamed (scope_resolution name: (constant) @unnamed)])))
  (#eq? @_class "Class") (#eq? @_i "new"))
((call receiver: (call receiver: (constant) @_class method: (identifier) @_i
    arguments: (argument_list . [(constant) @unnamed (scope_resolution name: (constant) @unnamed)])))
  (#eq? @_class "Class") (#eq? @_i "new"))
((assignment left: [(identifier) (instance_variable)] right: (call receiver: (constant) @_class method: (identifier) @_i
    arguments: (argument_list . [(constant) @unnamed (scope_resolution name: (constant) @unnamed)])))
  (#eq? @_class "Class") (#eq? @_i "new"))
(call method: (identifier) @_i
  arguments: (argument_list [(constant) @base (scope_resolution name: (constant) @base)])
  (#any-of? @_i "include" "extend" "prepend"))
(assignment left: [
  (call method: (identifier) @write)
  (constant) @skip
  (identifier) @local])

(class name: [(constant) @skip (scope_resolution name: (constant) @skip)])
(module name: [(constant) @skip (scope_resolution name: (constant) @skip)])
(method name: [(identifier) (constant)] @skip)
(singleton_method name: (identifier) @skip)
(alias (identifier) @read)

(method) @scope
(singleton_method) @scope
(block) @scope
(do_block) @scope
(lambda) @scope

(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(optional_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(destructured_parameter (identifier) @local)
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(destructured_left_assignment (identifier) @local)
(rest_assignment (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)

(assignment) @bind
((comment) @bind (#match? @bind "@(param|return)[ \t].*\\["))
((call method: (identifier) @_let block: (_)) @bind
  (#any-of? @_let "let" "let!" "subject" "subject!" "describe"))
((call receiver: (_) method: (identifier) @_each block: (_)) @bind
  (#any-of? @_each "each" "map" "flat_map" "filter_map" "select" "reject" "find" "detect" "any?"
    "all?" "none?" "sum" "sort_by" "group_by" "index_by" "find_each" "each_with_index" "partition"
    "min_by" "max_by" "to_h" "sum" "count" "find_index" "each_with_object"))
((call method: (identifier) @_has arguments: (argument_list . (simple_symbol))) @bind
  (#any-of? @_has "belongs_to" "has_one" "has_many" "has_and_belongs_to_many" "scope"))
; A method gives what it returns, and what its last line is.
(return (argument_list . (_) @value .))
(method body: (body_statement (operator_assignment operator: "||=" right: (_) @value) .))
(singleton_method body: (body_statement (operator_assignment operator: "||=" right: (_) @value) .))
(method body: (body_statement [(call) (identifier) (constant) (instance_variable) (scope_resolution) (self) (binary) (conditional)] @value .))
(singleton_method body: (body_statement [(call) (identifier) (constant) (instance_variable) (scope_resolution) (self) (binary) (conditional)] @value .))

(call method: (identifier) @_r (#any-of? @_r "require" "require_relative" "load" "autoload")) @import

; What blocks are run on
(call block: (_) @block)
(method parameters: (method_parameters (block_parameter))) @takes
(singleton_method parameters: (method_parameters (block_parameter))) @takes

; box.send(:open), &method(:open): a method by its symbol
(call method: (identifier) @_by_symbol
  arguments: (argument_list . (simple_symbol))
  (#any-of? @_by_symbol "method" "send" "public_send" "__send__" "instance_method" "alias_method"
    "autoload" "const_get"))
  @implied
; delegate :open, to: :lid; def_delegators :lid, :open
(call method: (identifier) @_by_symbol arguments: (argument_list)
  (#any-of? @_by_symbol "delegate" "def_delegator" "def_delegators" "def_instance_delegator"
    "def_instance_delegators"))
  @implied
; before_action :load, only: :show: what a framework calls on the object around
(call method: (identifier) @_by_symbol arguments: (argument_list (simple_symbol))
  (#match? @_by_symbol
    "^((skip|prepend|append)_)*(before|after|around)_[a-z_]+$|^(validate|helper_method)$"))
  @implied
(call arguments: (argument_list (pair key: (hash_key_symbol) @_by_symbol value: (simple_symbol)))
  (#any-of? @_by_symbol "if" "unless" "with"))
  @implied

; The method that this one overrides.
(super) @implied

; Where a test says of which type a name is
((call receiver: (identifier) method: (identifier) @_is) @narrowing
  (#any-of? @_is "is_a?" "kind_of?" "instance_of?"))
(when) @narrowing
(in_clause) @narrowing
