(comment) @comment

(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))])])
  @definition.function
; Prototypes, and in functions what only looks like one: `Order order(amount);`
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))])
  @definition.declaration

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.enum_member
(field_declaration) @fields
(type_definition type: (struct_specifier !name body: (_))
  declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_))
  declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_))
  declarator: (type_identifier) @name) @definition.enum
; Beside a type that it names and that has a name itself, not around that.
(type_definition type: [
  (struct_specifier name: (_) body: (_))
  (union_specifier name: (_) body: (_))
  (enum_specifier name: (_) body: (_))]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)] @definition.type)
(type_definition declarator: [
  (type_identifier) @name
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: [
    (type_identifier) @name
    (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))])
  (pointer_declarator declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: [
      (type_identifier) @name
      (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))])])
  ]) @definition.type

(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

; Outside of functions, below conditions too: a pattern for any parent would match each local variable.
[(translation_unit (declaration) @variables)
 (preproc_ifdef (declaration) @variables)
 (preproc_if (declaration) @variables)
 (preproc_else (declaration) @variables)
 (preproc_elif (declaration) @variables)
 (preproc_elifdef (declaration) @variables)
 (declaration_list (declaration) @variables)
 (linkage_specification (declaration) @variables)]

(call_expression function: [(identifier) @call (_ field: (field_identifier) @call)])

(preproc_include path: (_) @import)
