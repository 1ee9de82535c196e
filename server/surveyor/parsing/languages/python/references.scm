; What a Python file uses. Capture names are explained in surveyor/graph/extract/extract.py.
(identifier) @id
(attribute attribute: (identifier) @member)
(dotted_name (identifier) (identifier) @member)
(class_pattern (dotted_name (identifier) @type .))

; `_` with an attribute is an attribute. The last two: what runs without being named.
(call function: [
  (identifier) @call
  (_ attribute: (identifier) @call)
  (call) @called
  (subscript) @called])
(decorator [(identifier) @call (_ attribute: (identifier) @call) (call) @called])
(class_definition superclasses: (argument_list [
  (identifier) @base
  (_ attribute: (identifier) @base)
  (subscript value: [(identifier) @base (_ attribute: (identifier) @base)])
  (conditional_expression . [(identifier) @base (attribute attribute: (identifier) @base)])
  (conditional_expression [(identifier) @base (attribute attribute: (identifier) @base)] .)
  (list_splat (_ [(identifier) @base (attribute attribute: (identifier) @base)]))]))
((assignment left: (identifier) right: (call
  function: [(identifier) @_made (attribute attribute: (identifier) @_made)]
  arguments: (argument_list . (string) . (tuple [
    (identifier) @base
    (attribute attribute: (identifier) @base)]))))
  (#any-of? @_made "type" "new_class"))
(([
  (return_statement (call
    function: [(identifier) @_made (attribute attribute: (identifier) @_made)]
    arguments: (argument_list . (string) . (tuple [
      (identifier) @unnamed
      (attribute attribute: (identifier) @unnamed)]))))
  (argument_list (call
    function: [(identifier) @_made (attribute attribute: (identifier) @_made)]
    arguments: (argument_list . (string) . (tuple [
      (identifier) @unnamed
      (attribute attribute: (identifier) @unnamed)]))))])
  (#any-of? @_made "type" "new_class"))
(type [
  (identifier) @type
  (_ attribute: (identifier) @type)
  (binary_operator [(identifier) @type (_ attribute: (identifier) @type)])
  (subscript (identifier) @type)
  (string (string_content) @quoted)])
(generic_type (identifier) @type)
((call function: [(identifier) @_cast (_ attribute: (identifier) @_cast)]
  arguments: (argument_list . (string (string_content) @quoted))) (#eq? @_cast "cast"))
((call function: [(identifier) @_var (_ attribute: (identifier) @_var)] arguments: (argument_list
  (keyword_argument name: (identifier) @_bound value: (string (string_content) @quoted))))
  (#eq? @_var "TypeVar") (#eq? @_bound "bound"))

(keyword_argument name: (identifier) @given)
(function_definition name: (identifier) @skip)
(class_definition name: (identifier) @skip)
(keyword_pattern . (identifier) @skip)
(nonlocal_statement (identifier) @skip)
(global_statement (identifier) @global)

(function_definition) @scope
(lambda) @scope
(list_comprehension) @scope
(set_comprehension) @scope
(dictionary_comprehension) @scope
(generator_expression) @scope
(class_definition) @class

(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(typed_parameter (identifier) @local)
(typed_default_parameter name: (identifier) @local)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(assignment left: [(identifier) @local (_ attribute: (identifier) @write)])
(augmented_assignment left: [(identifier) @local (_ attribute: (identifier) @write)])
(pattern_list [(identifier) @local (_ attribute: (identifier) @write)])
(tuple_pattern (identifier) @local)
(list_pattern (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern_target (identifier) @local)
(case_pattern (dotted_name . (identifier) @local .))
(keyword_pattern (identifier) (dotted_name . (identifier) @local .))
(splat_pattern (identifier) @local)
(as_pattern (case_pattern) (identifier) @local)
(named_expression name: (identifier) @local)

(typed_parameter) @bind
(typed_default_parameter) @bind
(assignment) @bind
(type_alias_statement) @bind
(as_pattern) @bind
(keyword_pattern) @bind
(named_expression) @bind
(for_statement left: (identifier)) @bind
(for_in_clause left: (identifier)) @bind
(function_definition return_type: (type) @returns)
(return_statement [
  (call) (identifier) (attribute) (list) (dictionary) (tuple) (subscript)
  (conditional_expression)] @value)
(yield [(identifier) (attribute) (call)] @value)
[(list) (dictionary) (tuple)] @table
(call function: (_ attribute: (identifier) @_put (#any-of? @_put "append" "appendleft" "add"))) @bind
(call arguments: (argument_list [(identifier) (attribute) (call) (list) (dictionary) (tuple) (keyword_argument)])) @handing
(decorated_definition) @decorated

; What runs without being named.
(raise_statement . [(identifier) @new (_ attribute: (identifier) @new)])
(with_item) @implied
(for_statement) @implied
(for_in_clause) @implied
(binary_operator) @implied
(augmented_assignment) @implied
(comparison_operator) @implied
(unary_operator) @implied
(subscript) @implied
(interpolation) @implied
; Names that are written out as text: in `__all__`, of what a test puts something else in place of.
((assignment left: (identifier) @_all right: [(list (string) @implied) (tuple (string) @implied)])
  (#eq? @_all "__all__"))
((augmented_assignment left: (identifier) @_all right: (list (string) @implied))
  (#eq? @_all "__all__"))
(argument_list (string (string_start) . (string_content) . (string_end)) @implied)
((subscript value: [(identifier) @_type (_ attribute: (identifier) @_type)]
  subscript: (string) @implied) (#match? @_type "^[A-Z]"))
(call function: (identifier) @_runs (#any-of? @_runs
  "str" "print" "repr" "format" "len" "iter" "next" "hash" "bool" "int" "float" "bytes" "abs"
  "reversed" "list" "tuple" "set" "sorted" "sum")) @implied

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
(call function: (identifier) @_f (#any-of? @_f "__import__" "import_module")) @dynamic
(call function: (_ attribute: (identifier) @_f)
  (#any-of? @_f "import_module" "spec_from_file_location" "SourceFileLoader")) @dynamic
(call function: (identifier) @_f (#any-of? @_f "spec_from_file_location" "SourceFileLoader")) @dynamic

; pytest hands a test what the fixture of the parameter's name makes.
((function_definition name: (identifier) @_n
  parameters: (parameters [(identifier) @fixture (typed_parameter . (identifier) @fixture)]))
  (#match? @_n "^test"))
((decorated_definition (decorator) @_d definition: (function_definition
  parameters: (parameters [(identifier) @fixture (typed_parameter . (identifier) @fixture)])))
  (#match? @_d "fixture"))

((call
  function: (_ attribute: (identifier) @_u)
  arguments: (argument_list (string (string_content) @asked))) (#eq? @_u "usefixtures"))

; Where a test says of which type a name is
((call function: (identifier) @_is arguments: (argument_list . [(identifier) (attribute)])) @narrowing
  (#eq? @_is "isinstance"))
(case_clause) @narrowing
