(line_comment) @comment
(block_comment) @comment
(attribute_item) @leading

(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.enum_member
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name body: (_)) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
; `#[proc_macro_derive(Draw)]` defines what `#[derive(Draw)]` names.
(attribute_item (attribute (identifier) @_attribute
    arguments: (token_tree . (identifier) @name))
  (#eq? @_attribute "proc_macro_derive")) @definition.macro
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(field_declaration name: (field_identifier) @name) @definition.field

(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (scoped_type_identifier name: (type_identifier) @name)
  (reference_type type: (type_identifier) @name)
  (reference_type type: (generic_type type: (type_identifier) @name))
  (reference_type type: (generic_type type: (scoped_type_identifier name: (type_identifier) @name)))
  (reference_type type: (scoped_type_identifier name: (type_identifier) @name))
  (dynamic_type trait: (type_identifier) @name)
  (primitive_type) @name
]) @scope

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (generic_function function: [
  (identifier) @call
  (scoped_identifier name: (identifier) @call)
  (field_expression field: (field_identifier) @call)]))
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (identifier) @call)])

(use_declaration argument: (_) @import)
(extern_crate_declaration name: (identifier) @import)
(mod_item name: (identifier) @import !body)
