; What a Swift file uses. Captures: surveyor/graph/extract/extract.py.
(simple_identifier) @id
(type_identifier) @type
(navigation_suffix suffix: (simple_identifier) @member)
; `.red`; `!flag` and `-size` are names alone
(prefix_expression operation: "." target: (simple_identifier) @member)
(user_type (type_identifier) (type_identifier) @member)
(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)))
(call_expression . (prefix_expression target: (simple_identifier) @call))
; `1 + size()`, which to the grammar is `(1 + size)()`
(call_expression . (_ rhs: (simple_identifier) @call))
(constructor_expression constructed_type: (user_type (type_identifier) @new .))
(constructor_expression constructed_type: (user_type (type_identifier) @new . (type_arguments)))
(inheritance_specifier inherits_from: (user_type (type_identifier) @base .))
(inheritance_specifier inherits_from: (user_type (type_identifier) @base . (type_arguments)))
(assignment target: (directly_assignable_expression (simple_identifier) @write))
(assignment target: (directly_assignable_expression (navigation_expression
  suffix: (navigation_suffix suffix: (simple_identifier) @write))))

(class_declaration name: (type_identifier) @skip)
(protocol_declaration name: (type_identifier) @skip)
(typealias_declaration name: (type_identifier) @skip)
(associatedtype_declaration name: (type_identifier) @skip)
(function_declaration name: (simple_identifier) @skip)
(protocol_function_declaration name: (simple_identifier) @skip)
(pattern "." . (simple_identifier) @member)
(if_statement "." . (simple_identifier) @member)
(guard_statement "." . (simple_identifier) @member)
(while_statement "." . (simple_identifier) @member)
(enum_entry name: (simple_identifier) @skip)
(parameter external_name: (simple_identifier) @skip)
(value_argument_label (simple_identifier) @given)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @skip)))
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @skip)))
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @skip))
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @skip)))
(precedence_group_declaration (simple_identifier) @skip)
(type_parameter (type_identifier) @typevar)

(function_declaration) @scope
(protocol_function_declaration) @scope
(init_declaration) @scope
(deinit_declaration) @scope
(subscript_declaration) @scope
(lambda_literal) @scope
(computed_property) @scope
(computed_getter) @scope
(computed_setter) @scope
(if_statement) @scope
(for_statement) @scope
(switch_entry) @scope
(catch_block) @scope
(class_declaration) @generic
(protocol_declaration) @generic
(typealias_declaration) @generic
(typealias_declaration) @bind

(parameter name: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @local)
((simple_identifier) @local (#match? @local "^\\$[0-9]$"))
(statements (property_declaration name: (pattern (simple_identifier) @local)))
(statements (property_declaration name: (pattern (pattern (simple_identifier) @local))))
; `if let box { … }` gives what has the name already no other value.
(guard_statement bound_identifier: (simple_identifier) @local . ["=" (type_annotation)])
(if_statement bound_identifier: (simple_identifier) @local . ["=" (type_annotation)])
(if_statement condition: (pattern bound_identifier: (simple_identifier) @local))
(while_statement bound_identifier: (simple_identifier) @local . ["=" (type_annotation)])
(for_statement item: (pattern (simple_identifier) @local))
(for_statement item: (pattern (pattern (simple_identifier) @local)))
(switch_pattern (pattern (pattern bound_identifier: (simple_identifier) @local)))
(switch_pattern (pattern (pattern (pattern bound_identifier: (simple_identifier) @local))))

(parameter) @bind
(function_declaration) @takes
(init_declaration) @takes
(protocol_function_declaration) @takes
(lambda_parameter) @bind
(lambda_literal) @bind
(property_declaration) @bind
(protocol_property_declaration) @bind
(for_statement) @bind
(if_statement) @bind
(guard_statement) @bind
(while_statement) @bind
(function_declaration name: (simple_identifier) name: (_) @returns)
(protocol_function_declaration name: (simple_identifier) name: (_) @returns)

(class_declaration declaration_kind: "extension") @impl
(class_declaration declaration_kind: "extension" (inheritance_specifier
  inherits_from: (user_type (type_identifier) @skip .)))

(import_declaration) @import
(type_parameter (type_identifier) (user_type)) @bounded
