; What a Rust file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(type_identifier) @type
(field_expression field: (field_identifier) @member)
(scoped_identifier path: (_) name: (identifier) @member)
(scoped_type_identifier path: (_) name: (type_identifier) @member)
(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @call)))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @call)))
(macro_invocation macro: (identifier) @call)
; What a macro is handed is no syntax yet: a name after a dot is a member, and called before brackets.
(token_tree "." . (identifier) @member)
(token_tree "::" . (identifier) @member)
(token_tree (identifier) @call . (token_tree . "("))
(token_tree (identifier) @call . "!" . (token_tree))
(token_repetition (identifier) @call . "!" . (token_tree))
(token_repetition "." . (identifier) @member)
(token_repetition "::" . (identifier) @member)
(token_repetition (identifier) @call . (token_tree . "("))
; `Lid { wide: 1 }` in what a macro is handed.
(token_tree (identifier) @_struct . (token_tree "{" (identifier) @key . ":")
  (#match? @_struct "^[A-Z]"))
; `println!("{LIMIT}")`
(token_tree (string_literal) @formatted)
(macro_invocation (token_tree) @tokens)
(lifetime (identifier) @skip)
; `#[derive(Draw, shapes::Fill)]`, `#[cfg_attr(test, derive(Draw))]` run macros; `#[traced]` is one.
(attribute [(identifier) @call (scoped_identifier name: (identifier) @call)])
; Those of the language are no functions, whatever these are called.
((attribute (identifier) @skip)
  (#match? @skip "^(allow|bench|cfg|cfg_attr|cold|deny|deprecated|derive|doc|expect|export_name|feature|forbid|global_allocator|ignore|inline|link|link_name|link_section|macro_export|macro_use|must_use|no_main|no_mangle|no_std|non_exhaustive|panic_handler|path|proc_macro|proc_macro_attribute|recursion_limit|repr|should_panic|target_feature|test|track_caller|type_length_limit|used|warn)$"))
(attribute (identifier) @_derives arguments: (token_tree (identifier) @call . ["," ")"])
  (#eq? @_derives "derive"))
(attribute arguments: (token_tree (identifier) @_derives
    . (token_tree (identifier) @call . ["," ")"]))
  (#eq? @_derives "derive"))
(attribute (identifier) @_derives arguments: (token_tree . (identifier) @skip)
  (#eq? @_derives "proc_macro_derive"))
(attribute_item (attribute (identifier) @_derives (#eq? @_derives "proc_macro_derive"))) @implied
(macro_invocation macro: (scoped_identifier name: (identifier) @call))
(field_initializer field: (field_identifier) @key)
(shorthand_field_initializer (identifier) @key)
(field_pattern name: (field_identifier) @part)
(struct_expression name: (type_identifier) @new)
(struct_expression name: (scoped_type_identifier name: (type_identifier) @new))
(impl_item trait: (type_identifier) @base)
(impl_item trait: (generic_type type: (type_identifier) @base))
(impl_item trait: (scoped_type_identifier name: (type_identifier) @base))
(trait_item bounds: (trait_bounds (type_identifier) @base))
(trait_item bounds: (trait_bounds (scoped_type_identifier name: (type_identifier) @base)))
(assignment_expression left: (field_expression field: (field_identifier) @write))
(assignment_expression left: (identifier) @write)
(compound_assignment_expr left: (field_expression field: (field_identifier) @write))

(struct_item name: (type_identifier) @skip)
(enum_item name: (type_identifier) @skip)
(union_item name: (type_identifier) @skip)
(trait_item name: (type_identifier) @skip)
(type_item name: (type_identifier) @skip)
(enum_variant name: (identifier) @skip)
(function_item name: (identifier) @skip)
(function_signature_item name: (identifier) @skip)
(mod_item name: (identifier) @skip)
(const_item name: (identifier) @skip)
(static_item name: (identifier) @skip)
(macro_definition name: (identifier) @skip)
(associated_type name: (type_identifier) @skip)
(type_parameter name: (type_identifier) @typevar)

(function_item) @scope
(function_signature_item) @scope
(closure_expression) @scope
(match_arm) @scope
(if_expression condition: [(let_condition) (let_chain)]) @scope
(while_expression condition: [(let_condition) (let_chain)]) @scope
(for_expression) @scope
(impl_item) @generic
(struct_item) @generic
(enum_item) @generic
(trait_item) @generic
(type_item) @generic

(parameter pattern: (identifier) @local)
(parameter pattern: (mut_pattern (identifier) @local))
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (mut_pattern (identifier) @local))
(closure_parameters (identifier) @local)
(closure_parameters (mut_pattern (identifier) @local))
(tuple_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(tuple_pattern (mut_pattern (identifier) @local))
(tuple_struct_pattern (mut_pattern (identifier) @local))
(slice_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(for_expression pattern: (identifier) @local)
(captured_pattern . (identifier) @local)
(field_pattern pattern: (identifier) @local)
(shorthand_field_identifier) @local

(parameter) @bind
(let_declaration) @bind
(let_condition) @bind
(match_arm) @bind
(for_expression) @bind
(closure_expression) @bind
(source_file) @bind
(field_declaration) @bind
(ordered_field_declaration_list) @bind
(static_item) @bind
(type_item) @bind
(const_item) @bind
(impl_item) @impl
(function_item return_type: (_) @returns)
(function_signature_item return_type: (_) @returns)
(function_item) @takes
(function_signature_item) @takes

(use_declaration) @import
(mod_item !body) @import
(extern_crate_declaration) @import
(macro_invocation macro: (identifier) @_m (#any-of? @_m "include" "include_str" "include_bytes")) @dynamic

(type_parameter bounds: (_)) @bounded
(where_predicate left: (type_identifier)) @bounded
