; What a Kotlin file uses. Captures: surveyor/graph/extract/extract.py.
(simple_identifier) @id
(interpolated_identifier) @id
(type_identifier) @type
(navigation_suffix (simple_identifier) @member)
(user_type (type_identifier) (type_identifier) @member)
(callable_reference (type_identifier) (simple_identifier) @member)
(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression (navigation_suffix (simple_identifier) @call) .))
(infix_expression (_) (simple_identifier) @member (_))
(infix_expression (_) (simple_identifier) @call (_))
(callable_reference (simple_identifier) @call)
(object_literal (delegation_specifier [
  (user_type (type_identifier) @unnamed .)
  (user_type (type_identifier) @unnamed . (type_arguments))
  (constructor_invocation (user_type (type_identifier) @unnamed .))
  (constructor_invocation (user_type (type_identifier) @unnamed . (type_arguments)))]))
(delegation_specifier (user_type (type_identifier) @base .))
(delegation_specifier (user_type (type_identifier) @base . (type_arguments)))
(delegation_specifier (constructor_invocation (user_type (type_identifier) @base .)))
(delegation_specifier (constructor_invocation (user_type (type_identifier) @base . (type_arguments))))
(constructor_delegation_call) @delegates
(delegation_specifier (explicit_delegation (user_type (type_identifier) @base .)))
(delegation_specifier (explicit_delegation (user_type (type_identifier) @base . (type_arguments))))
(assignment (directly_assignable_expression (simple_identifier) @write .))
(assignment (directly_assignable_expression (navigation_suffix (simple_identifier) @write)))

(class_declaration (type_identifier) @skip)
(object_declaration (type_identifier) @skip)
(companion_object (type_identifier) @skip)
(type_alias . (type_identifier) @skip)
(enum_entry (simple_identifier) @skip)
(function_declaration (simple_identifier) @skip)
(class_parameter . (simple_identifier) @skip)
(class_parameter [(modifiers) (binding_pattern_kind)] . (simple_identifier) @skip)
(class_body (property_declaration (variable_declaration (simple_identifier) @skip)))
(enum_class_body (property_declaration (variable_declaration (simple_identifier) @skip)))
(source_file (property_declaration (variable_declaration (simple_identifier) @skip)))
(value_argument (simple_identifier) @given . "=")
(label) @skip
(type_parameter (type_identifier) @typevar)

(function_declaration) @scope
(anonymous_function) @scope
(secondary_constructor) @scope
(lambda_literal) @scope
(getter) @scope
(setter) @scope
(anonymous_initializer) @scope
(catch_block) @scope
(class_declaration) @generic
(type_alias) @generic
(type_alias) @bind

(parameter (simple_identifier) @local)
(parameter_with_optional_type (simple_identifier) @local)
(lambda_parameters (variable_declaration (simple_identifier) @local))
(lambda_parameters (multi_variable_declaration (variable_declaration (simple_identifier) @local)))
((simple_identifier) @local (#eq? @local "it"))
(statements (property_declaration (variable_declaration (simple_identifier) @local)))
(multi_variable_declaration (variable_declaration (simple_identifier) @local))
(for_statement (variable_declaration (simple_identifier) @local))
(when_subject (variable_declaration (simple_identifier) @local))
(catch_block . (simple_identifier) @local)

(parameter) @bind
(class_parameter) @bind
(property_declaration) @bind
(for_statement) @bind
(lambda_literal) @bind
(lambda_literal) @block
(object_literal (class_body) @scope)
(object_literal (class_body) @block)
(function_declaration (function_value_parameters)) @takes
(type_alias (function_type)) @takes
(catch_block) @bind
(function_declaration (function_value_parameters) . [(user_type) (nullable_type)] @returns)
(function_declaration (function_body) @value)
(function_declaration receiver: (receiver_type) @extended)
(property_declaration receiver: (receiver_type) @extended)

(import_header) @import
(package_header (identifier) @package)

(type_parameter (type_identifier) (user_type)) @bounded

; Where a test says of which type a name is
(check_expression . (simple_identifier)) @narrowing
(when_entry) @narrowing
