(template_declaration) @outer

(function_definition declarator: [
  (function_declarator declarator: (field_identifier) @name)
  (pointer_declarator (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: (field_identifier) @name))])
  @definition.method
(function_definition declarator: [
  (function_declarator declarator: [(destructor_name) (operator_name) (operator_cast)] @name)
  (reference_declarator (function_declarator
    declarator: [(identifier) (operator_name)] @name))]) @definition.function

; Foo::bar(), ns::Foo::bar(), a::b::Foo::bar(): `_` with a scope is a qualified_identifier
(function_definition declarator: [
  (function_declarator declarator: (_ scope: (_) @container name: [
    (identifier) @name (destructor_name) @name (operator_name) @name
    (_ scope: (_) @container name: [
      (identifier) @name (destructor_name) @name (operator_name) @name
      (_ scope: (_) @container name: [
        (identifier) @name (destructor_name) @name (operator_name) @name
        (_ scope: (_) @container name: [
          (identifier) @name (destructor_name) @name (operator_name) @name])])])]))
  (pointer_declarator (function_declarator declarator: (_ scope: (_) @container name: [
    (identifier) @name (destructor_name) @name (operator_name) @name
    (_ scope: (_) @container name: [
      (identifier) @name (destructor_name) @name (operator_name) @name
      (_ scope: (_) @container name: [
        (identifier) @name (destructor_name) @name (operator_name) @name
        (_ scope: (_) @container name: [
          (identifier) @name (destructor_name) @name (operator_name) @name])])])])))
  (reference_declarator (function_declarator declarator: (_ scope: (_) @container name: [
    (identifier) @name (destructor_name) @name (operator_name) @name
    (_ scope: (_) @container name: [
      (identifier) @name (destructor_name) @name (operator_name) @name
      (_ scope: (_) @container name: [
        (identifier) @name (destructor_name) @name (operator_name) @name
        (_ scope: (_) @container name: [
          (identifier) @name (destructor_name) @name (operator_name) @name])])])])))])
  @definition.method

(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: (field_identifier) @name))])
  @definition.method
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @definition.field

(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)] body: (_)) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_))
  @definition.struct
; class Outer::Inner { … }
(class_specifier name: (qualified_identifier
  scope: (_) @container name: (type_identifier) @name) body: (_)) @definition.class
(struct_specifier name: (qualified_identifier
  scope: (_) @container name: (type_identifier) @name) body: (_)) @definition.struct
(namespace_definition name: (_) @name) @definition.namespace
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

; `_` with a name is a qualified_identifier or, last, a template_function.
(call_expression function: (_ name: [
  (identifier) @call
  (_ name: [(identifier) @call (_ name: (identifier) @call)])]))
(call_expression function: (_ field: (template_method name: (field_identifier) @call)))
(new_expression type: (type_identifier) @call)

; static Foo& all = get(); int Foo::count = 2;
(_ (declaration declarator: (init_declarator declarator: [
  (reference_declarator (identifier) @name)
  (qualified_identifier scope: (_) @container name: (identifier) @name)])) @definition.variable)
(_ (declaration declarator:
  (qualified_identifier scope: (_) @container name: (identifier) @name)) @definition.variable)
(function_definition declarator: (function_declarator
  declarator: (template_function name: (identifier) @name))) @definition.function
