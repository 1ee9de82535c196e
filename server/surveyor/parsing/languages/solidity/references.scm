; What a Solidity file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(member_expression property: (identifier) @member)
(user_defined_type (identifier) (identifier) @member)
(user_defined_type . (identifier) @type)
(user_defined_type (identifier) @type .)
(type_alias (identifier) @type)
(call_expression function: (expression (identifier) @call))
(call_expression function: (expression (member_expression property: (identifier) @call)))
(call_expression function: (expression (struct_expression type: (expression (identifier) @call))))
(call_expression function: (expression (struct_expression
  type: (expression (member_expression property: (identifier) @call)))))
(new_expression name: (type_name (user_defined_type (identifier) @new .)))
(emit_statement name: (expression (identifier) @call))
(emit_statement name: (expression (member_expression property: (identifier) @call)))
(revert_statement error: (expression (identifier) @call))
(revert_statement error: (expression (member_expression property: (identifier) @call)))
(modifier_invocation (identifier) @call)
(inheritance_specifier ancestor: (user_defined_type (identifier) @base .))
(using_alias (user_defined_type (identifier) @read .))
(assignment_expression left: (expression (identifier) @write))
(assignment_expression left: (expression (member_expression property: (identifier) @write)))

(contract_declaration name: (identifier) @skip)
(interface_declaration name: (identifier) @skip)
(library_declaration name: (identifier) @skip)
(struct_declaration name: (identifier) @skip)
(struct_member name: (identifier) @skip)
(enum_declaration name: (identifier) @skip)
(event_definition name: (identifier) @skip)
(event_parameter name: (identifier) @skip)
(error_declaration name: (identifier) @skip)
(error_parameter name: (identifier) @skip)
(modifier_definition name: (identifier) @skip)
(function_definition name: (identifier) @skip)
(state_variable_declaration name: (identifier) @skip)
(constant_variable_declaration name: (identifier) @skip)
(user_defined_type_definition name: (identifier) @skip)
(struct_field_assignment name: (identifier) @skip)
(call_struct_argument name: (identifier) @given)

(function_definition) @scope
(modifier_definition) @scope
(constructor_definition) @scope
(fallback_receive_definition) @scope
(block_statement) @scope
(for_statement) @scope
(try_statement) @scope
(catch_clause) @scope

(parameter name: (identifier) @local)
(variable_declaration name: (identifier) @local)

(parameter) @bind
(variable_declaration) @bind
(state_variable_declaration) @bind
(struct_member) @bind
(function_definition return_type: (return_type_definition) @returns)

; What `using` makes of a library's functions: members of the type of their first parameter.
(library_declaration body: (contract_body (function_definition name: (identifier) .
  (parameter type: (type_name) @extended))))
(source_file (function_definition name: (identifier) .
  (parameter type: (type_name) @extended)))

(import_directive) @import
