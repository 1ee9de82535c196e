(field_definition property: (_) @name
  value: [(arrow_function) (function_expression)]) @definition.method
(field_definition property: (_) @name value: (class)) @definition.class
(field_definition property: (_) @name) @definition.field
