; What C++ adds to C.
(qualified_identifier scope: (_) name: [
  (identifier) @member
  (type_identifier) @member
  (template_type name: (type_identifier) @member)
  (template_function name: (identifier) @member)])
(qualified_identifier scope: (namespace_identifier) @type)
(template_function name: (identifier) @id)
; `_` with a name is a qualified_identifier or, last, a template_function.
(call_expression function: (_ name: [
  (identifier) @call
  (_ name: [
    (identifier) @call
    (_ name: [(identifier) @call (_ name: (identifier) @call)])])]))
(call_expression function: (_ field: (template_method name: (field_identifier) @call)))
(field_expression field: (template_method name: (field_identifier) @member))
; `Stack<int, kMax>`: to the grammar it is a type.
((template_argument_list (type_descriptor type: (type_identifier) @plain))
  (#match? @plain "^(k[A-Z]|[A-Z][A-Z0-9_]{2,}$)"))
; `ring.Base::area()`
(field_expression field: (qualified_identifier name: (field_identifier) @member))
(call_expression function: (field_expression
  field: (qualified_identifier name: (field_identifier) @call)))
(new_expression type: [
  (type_identifier) @new
  (qualified_identifier name: [
    (type_identifier) @new
    (qualified_identifier name: [
      (type_identifier) @new
      (qualified_identifier name: (type_identifier) @new)])])])
(base_class_clause [
  (type_identifier) @base
  (template_type name: (type_identifier) @base)
  (qualified_identifier name: [
    (type_identifier) @base
    (template_type name: (type_identifier) @base)])])
(field_initializer (field_identifier) @own)

(class_specifier name: (type_identifier) @skip body: (_))
(class_specifier name: (qualified_identifier name: [
  (type_identifier) @skip
  (qualified_identifier name: (type_identifier) @skip)]) body: (_))
(struct_specifier name: (qualified_identifier name: [
  (type_identifier) @skip
  (qualified_identifier name: (type_identifier) @skip)]) body: (_))
(function_declarator declarator: [
  (field_identifier) @skip
  (qualified_identifier name: [
    (identifier) @skip
    (qualified_identifier name: (identifier) @skip)])])
(destructor_name (identifier) @skip)
(alias_declaration name: (type_identifier) @skip)
(alias_declaration) @bind
(type_parameter_declaration (type_identifier) @typevar)
(optional_type_parameter_declaration name: (type_identifier) @typevar)

(lambda_expression) @scope
(lambda_capture_initializer) @bind
(lambda_capture_initializer left: (identifier) @local)
(field_declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))]) @scope
(field_declaration_list (declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))]) @scope)
(friend_declaration (declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))]) @scope)
(template_declaration (declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))]) @scope)
(translation_unit (declaration
  declarator: (reference_declarator (function_declarator))) @scope)
(declaration_list (declaration
  declarator: (reference_declarator (function_declarator))) @scope)
(preproc_ifdef (declaration
  declarator: (reference_declarator (function_declarator))) @scope)
(field_declaration type: (_) @returns declarator: [
  (function_declarator)
  (pointer_declarator (function_declarator))
  (reference_declarator (function_declarator))])
(declaration type: (_) @returns declarator: (reference_declarator (function_declarator)))
(for_range_loop) @scope
(catch_clause) @scope
(template_declaration) @generic

(compound_statement (declaration declarator: (function_declarator parameters: (parameter_list
  (parameter_declaration type: (type_identifier) @plain !declarator)))))
; `Order order(amount);` in a function: a variable, though it looks like a function.
(compound_statement (declaration type: [(type_identifier) (qualified_identifier)]
  declarator: (function_declarator declarator: (identifier) @local parameters: (parameter_list
    . (parameter_declaration type: (type_identifier) !declarator)))))
(parameter_declaration declarator: (reference_declarator (identifier) @local))
(pointer_declarator declarator: (reference_declarator (identifier) @local))
(optional_parameter_declaration declarator: [
  (identifier) @local
  (pointer_declarator declarator: (identifier) @local)
  (reference_declarator (identifier) @local)])
(declaration declarator: (reference_declarator (identifier) @local))
(init_declarator declarator: (reference_declarator (identifier) @local))
(for_range_loop declarator: [
  (identifier) @local
  (pointer_declarator (identifier) @local)
  (reference_declarator (identifier) @local)])
(structured_binding_declarator (identifier) @local)
(optional_parameter_declaration) @bind
(for_range_loop) @bind
(using_declaration) @import
(namespace_alias_definition) @import
(namespace_alias_definition name: (namespace_identifier) @skip)
