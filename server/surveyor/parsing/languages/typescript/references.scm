; Types, heritage and parameters as the TypeScript grammar names them.
(type_identifier) @type
(nested_type_identifier name: (type_identifier) @member)
(nested_identifier property: (property_identifier) @member)
(new_expression constructor: (parenthesized_expression
  (class !name (class_heritage [
  (extends_clause value: (identifier) @unnamed)
  (implements_clause [(type_identifier) @unnamed (generic_type name: (type_identifier) @unnamed)])]))))
(return_statement (class !name (class_heritage [
  (extends_clause value: (identifier) @unnamed)
  (implements_clause [(type_identifier) @unnamed (generic_type name: (type_identifier) @unnamed)])])))
(arguments (class !name (class_heritage [
  (extends_clause value: (identifier) @unnamed)
  (implements_clause [(type_identifier) @unnamed (generic_type name: (type_identifier) @unnamed)])])))
(extends_clause value: [(identifier) @base (_ property: (property_identifier) @base)])
; extends Timed(Base), mix(Base).with(Timed)
(extends_clause value: (call_expression
  function: [(_) (member_expression object: (call_expression arguments: (arguments
    [(identifier) @base (member_expression property: (property_identifier) @base)])))]
  arguments: (arguments [
    (identifier) @base
    (member_expression property: (property_identifier) @base)
    (call_expression arguments: (arguments
      [(identifier) @base (member_expression property: (property_identifier) @base)]))])))
; A generic or nested type has a name
(implements_clause [(type_identifier) @base (_ name: (type_identifier) @base)])
(extends_type_clause type: [(type_identifier) @base (_ name: (type_identifier) @base)])

(class_declaration name: (type_identifier) @skip)
(abstract_class_declaration name: (type_identifier) @skip)
(class name: (type_identifier) @skip)
(interface_declaration name: (type_identifier) @skip)
(type_alias_declaration name: (type_identifier) @skip)
(enum_declaration name: (identifier) @skip)
(internal_module name: (identifier) @skip)
(function_signature name: (identifier) @skip)
(type_parameter name: (type_identifier) @typevar)
(infer_type (type_identifier) @typevar)
(mapped_type_clause name: (type_identifier) @typevar)

(function_signature) @scope
(method_signature) @scope
(abstract_method_signature) @scope
(function_type) @scope
(constructor_type) @scope
(call_signature) @scope
(construct_signature) @scope
(class_declaration) @generic
(abstract_class_declaration) @generic
(interface_declaration) @generic
(type_alias_declaration) @generic

(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(required_parameter) @bind
(optional_parameter) @bind
(public_field_definition) @bind
(property_signature) @bind
(function_declaration return_type: (type_annotation) @returns)
(method_definition return_type: (type_annotation) @returns)
(method_signature return_type: (type_annotation) @returns)
(abstract_method_signature return_type: (type_annotation) @returns)
(function_signature return_type: (type_annotation) @returns)
(arrow_function [
  return_type: (type_annotation) @returns
  body: (as_expression) @value
  body: (non_null_expression) @value
  body: (arrow_function) @callback
  body: (function_expression) @callback])
(return_statement [
  (as_expression) @value
  (non_null_expression) @value
  (satisfies_expression) @value
  (arrow_function) @callback
  (function_expression) @callback])
(import_require_clause) @import

(object_type) @shape
(index_signature name: (identifier) @skip)
(type_alias_declaration) @bind
(type_parameter constraint: (_)) @bounded
; type Both = One & Other: it has the members of all
(type_alias_declaration value: (intersection_type [
  (type_identifier) @base
  (generic_type name: (type_identifier) @base)
  (intersection_type [
    (type_identifier) @base
    (generic_type name: (type_identifier) @base)
    (nested_type_identifier name: (type_identifier) @base)])]))

(program (lexical_declaration (variable_declarator
  value: [(as_expression (object (pair key: (property_identifier) @entry)))
    (satisfies_expression (object (pair key: (property_identifier) @entry)))])))
(export_statement (lexical_declaration (variable_declarator
  value: [(as_expression (object (pair key: (property_identifier) @entry)))
    (satisfies_expression (object (pair key: (property_identifier) @entry)))])))

(variable_declarator name: (identifier) value: (as_expression . (object) @literal .))
(public_field_definition name: (property_identifier) value: (object) @literal)
; What is called has the type of a function
(type_alias_declaration value: (function_type)) @callable
(property_signature type: (type_annotation (function_type))) @callable
(public_field_definition type: (type_annotation (function_type))) @callable
(variable_declarator type: (type_annotation (function_type))) @callable
(call_signature) @callable
(formal_parameters) @parameters
(variable_declarator type: (_) value: (arrow_function) @callback)
(type_parameters) @generics
(extends_clause) @heir
(extends_type_clause) @heir
(implements_clause) @heir
; `await load<Box>(path)`: the grammar takes the operator into what is called
(call_expression function: (await_expression [
  (identifier) @call (member_expression property: [(property_identifier) (private_property_identifier)] @call)]))
(call_expression function: (unary_expression argument: [
  (identifier) @call (member_expression property: [(property_identifier) (private_property_identifier)] @call)]))
(export_statement "=" . (identifier)) @default
; Box["lid"]
(lookup_type (type_identifier) (literal_type (string (string_fragment) @implied)))
