; What a Scala file uses. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(operator_identifier) @id
(type_identifier) @type
(field_expression field: (identifier) @member)
(infix_expression operator: (identifier) @member)
(postfix_expression (_) (identifier) @member .)
(stable_type_identifier (_) (type_identifier) @member)
(stable_identifier (_) (identifier) @member .)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression field: (identifier) @call)))
; `!make[Box](path)`: the grammar takes the operator into what is called
(call_expression function: (generic_function function: (prefix_expression [
  (identifier) @call (field_expression field: (identifier) @call)])))
(infix_expression operator: (identifier) @call)
(instance_expression (type_identifier) @new)
(instance_expression (generic_type type: (type_identifier) @new))
(instance_expression (stable_type_identifier (type_identifier) @new .))
(instance_expression (compound_type base: [
  (type_identifier) @new
  (generic_type type: (type_identifier) @new)
  (stable_type_identifier (type_identifier) @new .)]))
(instance_expression [
  (type_identifier) @unnamed
  (generic_type type: (type_identifier) @unnamed)
  (stable_type_identifier (type_identifier) @unnamed .)
  (generic_type type: (stable_type_identifier (type_identifier) @unnamed .))] (template_body))
(instance_expression (compound_type [
  (type_identifier) @unnamed
  (generic_type type: (type_identifier) @unnamed)
  (stable_type_identifier (type_identifier) @unnamed .)
  (generic_type type: (stable_type_identifier (type_identifier) @unnamed .))]))
(given_definition name: (_) return_type: [
  (type_identifier) @base (generic_type type: (type_identifier) @base)] body: (with_template_body))
(given_definition !name return_type: [
  (type_identifier) @unnamed (generic_type type: (type_identifier) @unnamed)]
  body: (with_template_body))
(extends_clause (type_identifier) @base)
(extends_clause (generic_type type: (type_identifier) @base))
(extends_clause (stable_type_identifier (type_identifier) @base .))
(extends_clause (generic_type type: (stable_type_identifier (type_identifier) @base .)))
(extends_clause (compound_type (type_identifier) @base))
(extends_clause (compound_type (generic_type type: (type_identifier) @base)))
(derives_clause type: (type_identifier) @type)
(assignment_expression left: (identifier) @write)
(assignment_expression left: (field_expression field: (identifier) @write))
(annotation name: (type_identifier) @type)

(class_definition name: (identifier) @skip)
(object_definition name: (identifier) @skip)
(trait_definition name: (identifier) @skip)
(enum_definition name: (identifier) @skip)
(package_object name: (identifier) @skip)
(function_definition name: (identifier) @skip)
(function_declaration name: (identifier) @skip)
(class_parameter name: (identifier) @skip)
(type_definition name: (type_identifier) @skip)
(simple_enum_case name: (identifier) @skip)
(full_enum_case name: (identifier) @skip)
(given_definition name: (identifier) @skip)
(arguments (assignment_expression left: (identifier) @given))
(interpolated_string_expression interpolator: (identifier) @skip)
(self_type (identifier) @skip)
(template_body (val_definition pattern: (identifier) @skip))
(template_body (var_definition pattern: (identifier) @skip))
(template_body (val_declaration name: (identifier) @skip))
(compilation_unit (val_definition pattern: (identifier) @skip))
(type_parameters name: (identifier) @typevar)

(function_definition) @scope
(function_declaration) @scope
(lambda_expression) @scope
(case_clause) @scope
(for_expression) @scope
(block) @scope
(indented_block) @scope
(extension_definition) @scope
(instance_expression (template_body) @scope)
(instance_expression (template_body) @block)
(class_definition) @generic
(trait_definition) @generic
(object_definition) @generic
(enum_definition) @generic

(parameter name: (identifier) @local)
(binding name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(block (val_definition pattern: (identifier) @local))
(block (var_definition pattern: (identifier) @local))
(indented_block (val_definition pattern: (identifier) @local))
(indented_block (var_definition pattern: (identifier) @local))
(tuple_pattern (identifier) @local)
; of several, only the first is found by its field
((case_class_pattern (identifier) @local) (#match? @local "^[a-z_]"))
(typed_pattern pattern: (identifier) @local)
(capture_pattern name: (identifier) @local)
(infix_pattern left: (identifier) @local)
(infix_pattern right: (identifier) @local)
((case_clause pattern: (identifier) @local) (#match? @local "^[a-z]"))
(enumerator . (identifier) @local (_))

(parameter) @bind
(class_parameter) @bind
(binding) @bind
(val_definition) @bind
(type_definition) @bind
(var_definition) @bind
(val_declaration) @bind
(typed_pattern) @bind
(self_type) @bind
(case_class_pattern) @bind
(enumerator) @bind
(lambda_expression) @bind
(function_definition return_type: (_) @returns)
(function_declaration return_type: (_) @returns)
(function_definition !return_type body: (_) @value)

(function_definition) @accessor
(function_declaration) @accessor
(extension_definition . parameters: (parameters . (parameter type: (_) @extended)))
(extension_definition . (type_parameters) . parameters: (parameters . (parameter type: (_) @extended)))

(import_declaration) @import
(package_clause name: (_) @package)
