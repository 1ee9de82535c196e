; What a Dart file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(identifier_dollar_escaped) @id
(type_identifier) @type
; `b.Box`, where b is what an import is called
(_ (type_identifier) @plain . "." . (type_identifier) @member)
(unconditional_assignable_selector (identifier) @member)
(conditional_assignable_selector (identifier) @member)
(cascade_selector (identifier) @member)
((identifier) @call . (selector (argument_part)))
(((selector (unconditional_assignable_selector (identifier) @call))) . (selector (argument_part)))
(((selector (conditional_assignable_selector (identifier) @call))) . (selector (argument_part)))
((unconditional_assignable_selector (identifier) @call) . (selector (argument_part)))
(cascade_section (cascade_selector (identifier) @call) . (argument_part))
; `make<Box>(path)` where the grammar reads `make < Box > (path)`, which is nothing that Dart has
(relational_expression . (relational_expression [
  (identifier) @call
  (selector (_ (identifier) @call))
  (unary_expression [(identifier) @call (selector (_ (identifier) @call))] .)
  (unary_expression (await_expression [(identifier) @call (selector (_ (identifier) @call))] .))
  (unary_expression
    (unary_expression (await_expression [(identifier) @call (selector (_ (identifier) @call))] .)))
  ] . (relational_operator)) . (relational_operator) . (parenthesized_expression))
(constructor_invocation (type_identifier) (identifier) @member)
(qualified (_) (identifier) @member)
(constructor_invocation (type_identifier) (identifier) @call)
(new_expression (type_identifier) @new . [(arguments) (type_arguments)])
(const_object_expression (type_identifier) @new . [(arguments) (type_arguments)])
(new_expression (identifier) @member . (arguments))
(new_expression (identifier) @call . (arguments))
(const_object_expression (identifier) @member . (arguments))
(const_object_expression (identifier) @call . (arguments))
(initializer_list_entry (super) . (identifier) @call)
(redirection (identifier) @call)
(superclass (type_identifier) @base)
(mixins (type_identifier) @base)
(mixin_application (type_identifier) @base)
(mixin_application_class . (identifier) @skip)
(interfaces (type_identifier) @base)
(mixin_declaration (type_identifier) @base)
(annotation name: (identifier) @type)
(assignment_expression left: (assignable_expression (identifier) @write .))
(assignment_expression left: (assignable_expression (unconditional_assignable_selector (identifier) @write)))

(class_definition name: (identifier) @skip)
(mixin_declaration . (identifier) @skip)
(extension_declaration name: (identifier) @skip)
(enum_declaration name: (identifier) @skip)
(enum_constant name: (identifier) @skip)
(function_signature name: (identifier) @skip)
(getter_signature name: (identifier) @skip)
(setter_signature name: (identifier) @skip)
(constructor_signature name: (identifier) @skip)
(constant_constructor_signature (identifier) @skip)
(factory_constructor_signature (identifier) @skip)
(type_alias . (type_identifier) @skip)
(type_alias) @bind
(initialized_identifier . (identifier) @skip)
(static_final_declaration . (identifier) @skip)
(label (identifier) @skip)
(named_argument (label (identifier) @given))
(type_parameter (type_identifier) @typevar)
(extension_type_declaration name: (identifier) @skip)
(representation_declaration name: (identifier) @skip)
(object_pattern (identifier) @skip)

(class_definition) @generic
(mixin_declaration) @generic
(extension_declaration) @generic
(function_expression) @scope
(function_body) @scope
(method_signature) @head
(program (function_signature) @head)
(program (getter_signature) @head)
(program (setter_signature) @head)
(declaration (constructor_signature)) @scope
(lambda_expression) @scope
(local_function_declaration) @scope
(for_statement) @scope
(block) @scope

(formal_parameter name: (identifier) @local)
(formal_parameter . (identifier) @local .)
(initialized_variable_definition name: (identifier) @local)
(for_loop_parts name: (identifier) @local)
(catch_parameters (identifier) @local)
(variable_pattern (identifier) @local)
(pattern_variable_declaration (_ (constant_pattern (identifier) @local)))
(for_loop_parts (_ (constant_pattern (identifier) @local)))

(formal_parameter) @bind
(initialized_variable_definition) @bind
(initialized_identifier) @bind
(static_final_declaration) @bind
(for_loop_parts) @bind
(object_pattern) @bind
(variable_pattern) @bind
(getter_signature) @bind
(function_signature) @returns
(getter_signature) @returns
(function_body) @value
(return_statement) @value
(extension_declaration class: (type_identifier) @extended)
(getter_signature) @accessor

(library_import) @import
(library_export) @import
(part_directive) @import
(part_of_directive) @import

; Where a test says of which type a name is
(type_test_expression . (identifier)) @narrowing
