; What a Java file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(type_identifier) @type
(field_access field: (identifier) @member)
(method_invocation object: (_) name: (identifier) @member)
(method_reference (_) (identifier) @member)
(scoped_type_identifier (_) (type_identifier) @member)
(scoped_identifier name: (identifier) @member)
(method_invocation name: (identifier) @call)
(method_reference (_) (identifier) @call)
(method_reference . (identifier) @new "new")
(explicit_constructor_invocation) @delegates
(object_creation_expression type: (type_identifier) @new)
(object_creation_expression type: (generic_type (type_identifier) @new))
(object_creation_expression type: (scoped_type_identifier (type_identifier) @new .))
(object_creation_expression type: (generic_type (scoped_type_identifier (type_identifier) @new .)))
(object_creation_expression type: [
  (type_identifier) @unnamed (generic_type (type_identifier) @unnamed)
  (scoped_type_identifier (type_identifier) @unnamed .)
  (generic_type (scoped_type_identifier (type_identifier) @unnamed .))] (class_body))
(superclass (type_identifier) @base)
(superclass (generic_type (type_identifier) @base))
(superclass (scoped_type_identifier (type_identifier) @base .))
(superclass (generic_type (scoped_type_identifier (type_identifier) @base .)))
(super_interfaces (type_list (type_identifier) @base))
(super_interfaces (type_list (generic_type (type_identifier) @base)))
(super_interfaces (type_list (scoped_type_identifier (type_identifier) @base .)))
(super_interfaces (type_list (generic_type (scoped_type_identifier (type_identifier) @base .))))
(extends_interfaces (type_list (type_identifier) @base))
(extends_interfaces (type_list (generic_type (type_identifier) @base)))
(extends_interfaces (type_list (scoped_type_identifier (type_identifier) @base .)))
(extends_interfaces (type_list (generic_type (scoped_type_identifier (type_identifier) @base .))))
(assignment_expression left: (identifier) @write)
(assignment_expression left: (field_access field: (identifier) @write))
(marker_annotation name: (identifier) @type)
(annotation name: (identifier) @type)

(class_declaration name: (identifier) @skip)
(interface_declaration name: (identifier) @skip)
(enum_declaration name: (identifier) @skip)
(record_declaration name: (identifier) @skip)
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @skip)))
(annotation_type_declaration name: (identifier) @skip)
(method_declaration name: (identifier) @skip)
(constructor_declaration name: (identifier) @skip)
(compact_constructor_declaration name: (identifier) @skip)
(enum_constant name: (identifier) @skip)
(element_value_pair key: (identifier) @given)
(field_declaration declarator: (variable_declarator name: (identifier) @skip))
(type_parameter (type_identifier) @typevar)

(method_declaration) @scope
(constructor_declaration) @scope
(lambda_expression) @scope
(object_creation_expression (class_body) @scope)
(object_creation_expression (class_body) @block)
; `case WIDE:` is a constant of what is switched over, before one that is in scope
(switch_label) @scope
(switch_label) @block
(class_declaration) @generic
(interface_declaration) @generic
(record_declaration) @generic

(formal_parameter name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(catch_formal_parameter name: (identifier) @local)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(enhanced_for_statement name: (identifier) @local)
(resource name: (identifier) @local)
(inferred_parameters (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(instanceof_expression name: (identifier) @local)

(lambda_expression) @bind
(formal_parameter) @bind
(local_variable_declaration) @bind
(enhanced_for_statement) @bind
(resource) @bind
(catch_formal_parameter) @bind
(field_declaration) @bind
(instanceof_expression) @bind
(method_declaration type: (_) @returns)

(import_declaration) @import
(package_declaration) @package

(type_parameter (type_bound)) @bounded

; Where a test says of which type a name is
(instanceof_expression left: [(identifier) (field_access)] !name) @narrowing
(binary_expression left: (method_invocation) operator: "==" right: (class_literal)) @narrowing
(method_invocation object: (class_literal)) @narrowing

; Methods that reflection finds
(resource) @implied
(enhanced_for_statement) @implied
(method_invocation object: (class_literal) arguments: (argument_list . (string_literal))) @implied
(method_invocation arguments: (argument_list . (class_literal) . (string_literal))) @implied
