(comment) @comment

(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.enum_member
(namespace_definition name: (_) @name body: (_)) @definition.namespace
(method_declaration name: (name) @name) @definition.method
(function_definition name: (name) @name) @definition.function
(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field
((expression_statement (function_call_expression function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name))))) @definition.constant
  (#eq? @_define "define"))
(program (expression_statement (assignment_expression
  left: (variable_name (name) @name))) @definition.variable)

(function_call_expression function: [(name) @call (qualified_name (name) @call .)])
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression [(name) @call (qualified_name (name) @call .)])

(namespace_use_clause . [(qualified_name) (name)] @import)
(namespace_use_declaration (namespace_name) @import)
(require_expression [(string) (encapsed_string)] @import)
(require_once_expression [(string) (encapsed_string)] @import)
(include_expression [(string) (encapsed_string)] @import)
(include_once_expression [(string) (encapsed_string)] @import)
(require_once_expression (binary_expression right: (string) @import))
(require_expression (binary_expression right: (string) @import))
(include_expression (binary_expression right: (string) @import))
