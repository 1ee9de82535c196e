; What a Julia file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(field_expression (identifier) @member .)
(call_expression . (identifier) @call)
(broadcast_call_expression . (identifier) @call)
(call_expression . (field_expression (identifier) @call .))
(call_expression . (parametrized_type_expression . (identifier) @call))
(macrocall_expression (macro_identifier (identifier) @call))
(typed_expression (_) (identifier) @type .)
(typed_expression (_) (parametrized_type_expression (identifier) @type))
(curly_expression (identifier) @type)
(type_head (binary_expression (_) (operator) @_sub (identifier) @base . (#eq? @_sub "<:")))
(type_head (binary_expression (_) (operator) @_sub
  (parametrized_type_expression . (identifier) @base) (#eq? @_sub "<:")))
(type_head (binary_expression (_) (operator) @_sub
  (field_expression (identifier) @base .) . (#eq? @_sub "<:")))
(type_head (binary_expression (_) (operator) @_sub
  (parametrized_type_expression . (field_expression (identifier) @base .)) (#eq? @_sub "<:")))
(binary_expression (operator) @_pipe (identifier) @call . (#eq? @_pipe "|>"))

; Functions that Base and packages have for types of their own: the first argument decides.
((call_expression . (identifier) @member (argument_list . (_)))
  (#any-of? @member
    "abs" "all" "any" "append!" "axes" "bytesavailable" "close" "collect" "convert" "copy"
    "copy!" "copyto!" "count" "delete!" "display" "div" "eachindex" "eltype" "empty!"
    "enumerate" "eof" "fetch" "fill" "fill!" "filter" "filter!" "findfirst" "findnext" "first"
    "firstindex" "float" "flush" "get" "get!" "getindex" "hash" "haskey" "in" "insert!"
    "intersect" "isempty" "isequal" "isless" "isopen" "isready" "iterate" "join" "keys" "last"
    "lastindex" "length" "lock" "map" "mark" "max" "maximum" "merge" "merge!" "min" "minimum"
    "mod" "ndims" "notify" "one" "open" "pairs" "parse" "peek" "pop!" "popfirst!" "position"
    "print" "println" "prod" "promote_rule" "push!" "pushfirst!" "put!" "read" "readavailable"
    "readbytes!" "real" "replace" "repr" "reset" "resize!" "reverse" "seek" "setdiff"
    "setindex!" "show" "similar" "size" "sizehint!" "sort" "sort!" "split" "string" "sum"
    "take!" "tryparse" "union" "union!" "unlock" "unsafe_read" "unsafe_write" "values" "view"
    "wait" "write" "zero" "zip"))

(type_head . (identifier) @skip)
(type_head (binary_expression . (identifier) @skip))
(type_head (parametrized_type_expression . (identifier) @skip))
(type_head (binary_expression . (parametrized_type_expression . (identifier) @skip)))
(signature [
  (call_expression . (identifier) @skip)
  (typed_expression . (call_expression . (identifier) @skip))
  (where_expression . (call_expression . (identifier) @skip))
  (where_expression . (typed_expression . (call_expression . (identifier) @skip)))
  (where_expression . (where_expression . (call_expression . (identifier) @skip)))
  (where_expression . (where_expression . (typed_expression . (call_expression . (identifier) @skip))))
  (identifier) @skip])
(assignment . [
  (call_expression . (identifier) @skip)
  (typed_expression . (call_expression . (identifier) @skip))
  (where_expression . (call_expression . (identifier) @skip))
  (where_expression . (typed_expression . (call_expression . (identifier) @skip)))
  (where_expression . (where_expression . (call_expression . (identifier) @skip)))
  (where_expression . (where_expression . (typed_expression . (call_expression . (identifier) @skip))))])
(struct_definition (block (identifier) @skip))
(struct_definition (block (typed_expression . (identifier) @skip)))
(struct_definition (block (assignment . [(identifier) @skip (typed_expression . (identifier) @skip)])))
(module_definition name: (identifier) @skip)
(argument_list (assignment . (identifier) @given))
(export_statement (identifier) @read)

(function_definition) @scope
(macro_definition) @scope
(assignment . (call_expression)) @scope
(assignment . (where_expression)) @scope
(assignment . (typed_expression . (call_expression))) @scope
(arrow_function_expression) @scope
(do_clause) @scope
(let_statement) @scope
(comprehension_expression) @scope
(for_statement) @scope

(signature (call_expression (argument_list [(identifier) @local (typed_expression . (identifier) @local)
  (assignment . [(identifier) @local (typed_expression . (identifier) @local)])
  (splat_expression (identifier) @local)])))
(signature (_ . (call_expression (argument_list [(identifier) @local (typed_expression . (identifier) @local)
  (assignment . [(identifier) @local (typed_expression . (identifier) @local)])
  (splat_expression (identifier) @local)]))))
(signature (_ . (_ . (call_expression (argument_list [(identifier) @local (typed_expression . (identifier) @local)
  (assignment . [(identifier) @local (typed_expression . (identifier) @local)])
  (splat_expression (identifier) @local)])))))
(assignment . (call_expression (argument_list [(identifier) @local (typed_expression . (identifier) @local)
  (assignment . [(identifier) @local (typed_expression . (identifier) @local)])
  (splat_expression (identifier) @local)])))
(assignment . (where_expression . (call_expression (argument_list [(identifier) @local (typed_expression . (identifier) @local)
  (assignment . [(identifier) @local (typed_expression . (identifier) @local)])
  (splat_expression (identifier) @local)]))))
(assignment . (typed_expression . (call_expression (argument_list [(identifier) @local (typed_expression . (identifier) @local)
  (assignment . [(identifier) @local (typed_expression . (identifier) @local)])
  (splat_expression (identifier) @local)]))))
(assignment . (where_expression . (_ . (call_expression (argument_list [(identifier) @local (typed_expression . (identifier) @local)
  (assignment . [(identifier) @local (typed_expression . (identifier) @local)])
  (splat_expression (identifier) @local)])))))
(assignment . (identifier) @local)
(assignment . (open_tuple (identifier) @local))
(assignment . (tuple_expression (identifier) @local))
(compound_assignment_expression . (identifier) @local)
(for_binding . (identifier) @local)
(for_binding . (tuple_expression (identifier) @local))
(arrow_function_expression . (identifier) @local (_))
(arrow_function_expression . (argument_list (identifier) @local))
(do_clause . (identifier) @local (block))
(catch_clause . (identifier) @local)

(assignment . (identifier)) @bind
(assignment . (tuple_expression)) @bind
(typed_expression . (identifier)) @bind
(for_binding) @bind
(function_definition (signature (typed_expression (call_expression) (_) @returns .)))
(function_definition (signature (where_expression . (typed_expression (call_expression) (_) @returns .))))
(assignment . (typed_expression (call_expression) (_) @returns .))
(assignment . (where_expression . (typed_expression (call_expression) (_) @returns .)))
(return_statement (_) @value)
(function_definition (signature (call_expression (argument_list . (typed_expression) @extended))))
(function_definition (signature (where_expression . (call_expression (argument_list . (typed_expression) @extended)))))
(assignment . (call_expression (argument_list . (typed_expression) @extended)))
(assignment . (where_expression . (call_expression (argument_list . (typed_expression) @extended))))
(assignment . (typed_expression . (call_expression (argument_list . (typed_expression) @extended))))

(using_statement) @import
(import_statement) @import
((call_expression . (identifier) @_i) @import (#eq? @_i "include"))
