; What a Go file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(type_identifier) @type
(selector_expression field: (field_identifier) @member)
(qualified_type name: (type_identifier) @member)
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(call_expression function: (index_expression operand: (selector_expression field: (field_identifier) @call)))
(type_conversion_expression type: (generic_type type: (type_identifier) @call))
(type_conversion_expression type: (generic_type type: (qualified_type name: (type_identifier) @call)))
(composite_literal type: (type_identifier) @new)
(composite_literal type: (qualified_type name: (type_identifier) @new))
(composite_literal type: (generic_type type: (type_identifier) @new))
(assignment_statement left: (expression_list (identifier) @write))
(assignment_statement left: (expression_list (selector_expression field: (field_identifier) @write)))
(field_declaration !name type: (type_identifier) @base)
(field_declaration !name type: (qualified_type name: (type_identifier) @base))
(field_declaration !name type: (pointer_type (type_identifier) @base))
(field_declaration !name type: (generic_type type: (type_identifier) @base))
(field_declaration !name type: (generic_type type: (qualified_type name: (type_identifier) @base)))
(interface_type (type_elem . (type_identifier) @base .))
(interface_type (type_elem . (qualified_type name: (type_identifier) @base) .))
(interface_type (type_elem . (generic_type type: (type_identifier) @base) .))
(interface_type (type_elem . (generic_type type: (qualified_type name: (type_identifier) @base)) .))
(keyed_element key: (literal_element (identifier) @key))

(type_spec name: (type_identifier) @skip)
(type_alias name: (type_identifier) @skip)
(type_alias) @bind
(type_spec type: [(map_type) (slice_type) (array_type) (channel_type) (function_type)]) @bind
(function_declaration name: (identifier) @skip)
(type_parameter_declaration name: (identifier) @typevar)
(label_name) @skip

(function_declaration) @scope
(method_declaration) @scope
(func_literal) @scope
(type_declaration) @generic
(function_type) @scope
(method_elem) @scope

(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
(const_spec name: (identifier) @local)
(type_switch_statement alias: (expression_list (identifier) @local))

(parameter_declaration) @bind
(short_var_declaration) @bind
(receive_statement) @bind
(type_switch_statement alias: (_) (type_case) @narrowing)
(range_clause) @bind
(var_spec) @bind
(const_declaration) @bind
(field_declaration) @bind
; One that is written out; what a `type` names has fields of its own.
(_ element: (struct_type) @struct)
(map_type value: (struct_type) @struct)
(channel_type value: (struct_type) @struct)
(pointer_type (struct_type) @struct)
(composite_literal type: (struct_type) @struct)
(var_spec type: (struct_type) @struct)
(parameter_declaration type: (struct_type) @struct)
(field_declaration type: (struct_type) @struct)
(call_expression arguments: (argument_list (struct_type) @struct))
(function_declaration result: (_) @returns)
(method_declaration result: (_) @returns)
(method_elem result: (_) @returns)

(import_spec) @import
(package_clause) @package
