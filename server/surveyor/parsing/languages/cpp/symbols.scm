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

(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)] body: (_)) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_))
  @definition.struct
; class Outer::Inner { … }
(class_specifier name: (qualified_identifier scope: (_) @container name: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @container name: (type_identifier) @name)]) body: (_))
  @definition.class
(struct_specifier name: (qualified_identifier scope: (_) @container name: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @container name: (type_identifier) @name)]) body: (_))
  @definition.struct
(namespace_definition name: (_) @name) @definition.namespace
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

; `_` with a name is a qualified_identifier or, last, a template_function.
(call_expression function: (_ name: [
  (identifier) @call
  (_ name: [(identifier) @call (_ name: (identifier) @call)])]))
(call_expression function: (_ field: (template_method name: (field_identifier) @call)))
(new_expression type: (type_identifier) @call)

(function_definition declarator: (function_declarator
  declarator: (template_function name: (identifier) @name))) @definition.function
; Not in classes: there a constructor that was not understood looks like one.
[(translation_unit (template_declaration (declaration) @variables))
 (declaration_list (template_declaration (declaration) @variables))
 (preproc_ifdef (template_declaration (declaration) @variables))
 (preproc_if (template_declaration (declaration) @variables))]
