(comment) @comment
(multiline_comment) @comment

(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @name .)) @scope
(protocol_declaration name: (type_identifier) @name) @definition.interface
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
(enum_entry name: (simple_identifier) @name) @definition.enum_member
(function_declaration name: [(simple_identifier) (bang) (custom_operator)] @name) @definition.function
(init_declaration "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(typealias_declaration name: (type_identifier) @name) @definition.type

(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression
  suffix: (navigation_suffix suffix: (simple_identifier) @call)))

(import_declaration (identifier) @import)
