; What a C file uses; C++ inherits it. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(type_identifier) @type
(field_expression field: (field_identifier) @member)
; `_` with a field is a field_expression.
(call_expression function: [(identifier) @call (_ field: (field_identifier) @call)])
(assignment_expression left: [(identifier) @write (_ field: (field_identifier) @write)])
(update_expression argument: (identifier) @write)
(initializer_pair designator: (field_designator (field_identifier) @key))
(offsetof_expression member: (field_identifier) @part)
; `container_of(p, struct box, link)`: the grammar knows no types among arguments.
(argument_list (ERROR (identifier)) . (identifier)) @bind
((call_expression function: (identifier) @_of arguments: (argument_list
    (identifier) . (identifier) @skip .) @bind)
  (#match? @_of "container_of|CONTAINER_OF|containerof|_entry$|_ENTRY$|offsetof|OFFSETOF"))
((call_expression function: (identifier) @_of arguments: (argument_list
    (ERROR (identifier)) . (identifier) @skip .))
  (#match? @_of "container_of|CONTAINER_OF|containerof|_entry|_ENTRY|offsetof|OFFSETOF"))

(struct_specifier name: (type_identifier) @skip body: (_))
(union_specifier name: (type_identifier) @skip body: (_))
(enum_specifier name: (type_identifier) @skip body: (_))
(type_definition declarator: (type_identifier) @skip)
(enumerator name: (identifier) @skip)
((function_declarator declarator: (identifier) @skip)
  (#not-match? @skip "^[A-Z][A-Z0-9_]{2,}$"))
; A macro that defines a function (parsing/macro_definitions.py)
((function_declarator declarator: (identifier) @call) (#match? @call "^[A-Z][A-Z0-9_]{2,}$"))
(preproc_def name: (identifier) @skip)
(preproc_function_def name: (identifier) @skip)
(preproc_params (identifier) @local)
(goto_statement label: (statement_identifier) @skip)

(function_definition) @scope
(translation_unit (compound_statement) @scope)
(declaration_list (compound_statement) @scope)
; What a macro stands for, with its parameters as names of its own
(preproc_function_def) @scope
(preproc_function_def value: (preproc_arg) @tokens)
(preproc_def value: (preproc_arg) @tokens)
((preproc_call directive: (preproc_directive) @_undef argument: (preproc_arg) @tokens)
  (#match? @_undef "^#[ \t]*undef$"))
(preproc_if (declaration declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))]) @scope)
(preproc_else (declaration declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))]) @scope)
(linkage_specification (declaration declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))]) @scope)
; A pointer to a function: what it takes has names for its reader only.
(field_declaration declarator: (function_declarator
  declarator: (parenthesized_declarator))) @scope
(field_declaration declarator: (pointer_declarator declarator: (function_declarator
  declarator: (parenthesized_declarator)))) @scope
(type_definition declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))]) @scope

(parameter_declaration declarator: [
  (identifier) @local
  (pointer_declarator declarator: (identifier) @local)
  (array_declarator declarator: (identifier) @local)])
(pointer_declarator declarator: [
  (pointer_declarator declarator: (identifier) @local)
  (array_declarator declarator: (identifier) @local)])
(function_declarator declarator: (parenthesized_declarator (pointer_declarator
  declarator: (identifier) @local)))
(declaration declarator: [
  (identifier) @local
  (pointer_declarator declarator: (identifier) @local)
  (array_declarator declarator: (identifier) @local)])
(init_declarator declarator: [
  (identifier) @local
  (pointer_declarator declarator: (identifier) @local)
  (array_declarator declarator: (identifier) @local)])

(parameter_declaration) @bind
(type_definition) @bind
(declaration) @bind
(field_declaration) @bind
(function_definition type: (_) @returns)
(translation_unit (declaration type: (_)? @returns declarator: (function_declarator)) @scope)
(translation_unit (declaration type: (_) @returns
  declarator: (pointer_declarator declarator: [
    (function_declarator) (pointer_declarator declarator: (function_declarator))])) @scope)
(declaration_list (declaration type: (_)? @returns declarator: (function_declarator)) @scope)
(declaration_list (declaration type: (_) @returns
  declarator: (pointer_declarator declarator: [
    (function_declarator) (pointer_declarator declarator: (function_declarator))])) @scope)
(preproc_ifdef (declaration type: (_)? @returns declarator: (function_declarator)) @scope)
(preproc_ifdef (declaration type: (_) @returns
  declarator: (pointer_declarator declarator: [
    (function_declarator) (pointer_declarator declarator: (function_declarator))])) @scope)

(preproc_include) @import
