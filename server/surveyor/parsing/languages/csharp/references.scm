; What a C# file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(member_access_expression name: (identifier) @member)
(member_access_expression name: (generic_name (identifier) @member))
(member_binding_expression name: (identifier) @member)
(qualified_name name: (identifier) @member)
(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression name: (identifier) @call))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @call)))
(invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @call)))
(object_creation_expression type: (identifier) @new)
(object_creation_expression type: (generic_name (identifier) @new))
(object_creation_expression type: (qualified_name name: (identifier) @new))
(object_creation_expression type: (qualified_name name: (generic_name (identifier) @new)))
(base_list (identifier) @base)
(base_list (generic_name (identifier) @base))
(base_list (qualified_name name: (identifier) @base))
(base_list (qualified_name name: (generic_name (identifier) @base)))
(base_list (primary_constructor_base_type type: (identifier) @base))
(base_list (primary_constructor_base_type type: (generic_name (identifier) @base)))
(base_list (primary_constructor_base_type type: (qualified_name name: (identifier) @base)))
(base_list (primary_constructor_base_type
  type: (qualified_name name: (generic_name (identifier) @base))))
(assignment_expression left: (identifier) @write)
(assignment_expression left: (member_access_expression name: (identifier) @write))
(initializer_expression (assignment_expression left: (identifier) @key))
(with_initializer . (identifier) @key)
(attribute name: (identifier) @type)
(attribute name: [(identifier) @attribute (qualified_name name: (identifier) @attribute)])
; `box is { Lid: { Wide: 1 }, Next.Name: "x" }`
(subpattern . [
  (identifier) @part
  (member_access_expression [expression: (identifier) @part name: (identifier) @part])])
(variable_declaration type: (identifier) @type)
(variable_declaration type: (generic_name (identifier) @type))
(parameter type: (identifier) @type)
(parameter type: (generic_name (identifier) @type))
(property_declaration type: (identifier) @type)
(method_declaration returns: (identifier) @type)
(type_argument_list (identifier) @type)
(nullable_type (identifier) @type)
(array_type type: (identifier) @type)
(cast_expression type: (identifier) @type)
(typeof_expression type: (identifier) @type)
(catch_declaration type: (identifier) @type)
(foreach_statement type: (identifier) @type)

(class_declaration name: (identifier) @skip)
(interface_declaration name: (identifier) @skip)
(struct_declaration name: (identifier) @skip)
(record_declaration name: (identifier) @skip)
(enum_declaration name: (identifier) @skip)
(delegate_declaration name: (identifier) @skip)
(method_declaration name: (identifier) @skip)
(constructor_declaration name: (identifier) @skip)
(destructor_declaration name: (identifier) @skip)
(property_declaration name: (identifier) @skip)
(event_declaration name: (identifier) @skip)
(local_function_statement name: (identifier) @skip)
(enum_member_declaration name: (identifier) @skip)
(field_declaration (variable_declaration (variable_declarator name: (identifier) @skip)))
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @skip)))
(argument name: (identifier) @given)
(attribute_argument name: (identifier) @part . "=")
(anonymous_object_creation_expression (identifier) @skip . "=")
(record_declaration (parameter_list (parameter name: (identifier) @skip)))
(class_declaration (parameter_list (parameter name: (identifier) @skip)))
(struct_declaration (parameter_list (parameter name: (identifier) @skip)))
(type_parameter name: (identifier) @typevar)
(class_declaration (type_parameter_list) @arity)
(interface_declaration (type_parameter_list) @arity)
(struct_declaration (type_parameter_list) @arity)
(record_declaration (type_parameter_list) @arity)
(delegate_declaration (type_parameter_list) @arity)
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)

(method_declaration) @scope
(constructor_declaration) @scope
(local_function_statement) @scope
(lambda_expression) @scope
(anonymous_method_expression) @scope
(accessor_declaration) @scope
(operator_declaration) @scope
(conversion_operator_declaration) @scope
(indexer_declaration) @scope
(class_declaration) @generic
(interface_declaration) @generic
(struct_declaration) @generic
(record_declaration) @generic
(delegate_declaration) @scope

(parameter name: (identifier) @local)
(implicit_parameter) @local
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @local)))
(using_statement (variable_declaration (variable_declarator name: (identifier) @local)))
(for_statement (variable_declaration (variable_declarator name: (identifier) @local)))
(foreach_statement left: (identifier) @local)
(catch_declaration name: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(recursive_pattern name: (identifier) @local)
(declaration_expression name: (identifier) @local)
(declaration_expression) @bind

(parameter) @bind
(implicit_parameter) @bind
(variable_declaration) @bind
(property_declaration) @bind
(foreach_statement) @bind
(catch_declaration) @bind
(declaration_pattern) @bind
(recursive_pattern) @bind
(method_declaration returns: (_) @returns)
(delegate_declaration type: (_) @returns)
; An extension: called like a member of the type of its first parameter.
((method_declaration parameters: (parameter_list . (parameter (modifier) @_this type: (_) @extended)))
  (#eq? @_this "this"))
; `extension(string text) { … }`: each function in it, which the grammar takes for local ones
((constructor_declaration name: (identifier) @_extension
  parameters: (parameter_list . (parameter type: (_) @extended)) body: (block))
  (#eq? @_extension "extension"))
((constructor_declaration name: (identifier) @_extension
  body: (block (local_function_statement type: (_) @returns)))
  (#eq? @_extension "extension"))

(using_directive) @import

(using_statement) @implied
(local_declaration_statement "using") @implied
(foreach_statement) @implied
