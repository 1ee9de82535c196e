(comment) @comment

(contract_declaration name: (identifier) @name body: (_) @body) @definition.class
(library_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(struct_declaration name: (identifier) @name body: (_) @body) @definition.struct
(struct_member name: (identifier) @name) @definition.field
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_value) @name @definition.enum_member
(event_definition name: (identifier) @name) @definition.type
(error_declaration name: (identifier) @name) @definition.type
(user_defined_type_definition name: (identifier) @name) @definition.type
(state_variable_declaration name: (identifier) @name) @definition.variable
(constant_variable_declaration name: (identifier) @name) @definition.constant
(modifier_definition name: (identifier) @name body: (_) @body) @definition.function
(constructor_definition "constructor" @name body: (_) @body) @definition.constructor
(function_definition name: (identifier) @name body: (_)? @body) @definition.function

(call_expression function: (expression (identifier) @call))
(call_expression function: (expression (member_expression property: (identifier) @call)))
(emit_statement name: (expression (identifier) @call))
(modifier_invocation (identifier) @call)

(import_directive source: (string) @import)
