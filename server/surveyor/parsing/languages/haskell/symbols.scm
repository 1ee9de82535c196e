(comment) @comment
(haddock) @comment

(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synomym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_constructor constructor: (_ name: (constructor) @name)) @definition.enum_member
(gadt_constructor name: (constructor) @name) @definition.enum_member
(gadt_constructor names: (binding_list name: (constructor) @name)) @definition.enum_member
(pattern_synonym (equation synonym: [
  (constructor) @name
  (apply function: (constructor) @name)
  (infix operator: (constructor_operator) @name)])) @definition.function
(newtype_constructor name: (constructor) @name) @definition.enum_member
(field name: (field_name) @name) @definition.field
(class name: (_) @name) @definition.trait
(instance name: (_) @name) @scope

(declarations (signature name: [(variable) (prefix_id)] @name) @definition.function)
(declarations (function name: (variable) @name) @definition.function)
(declarations (bind name: (variable) @name) @definition.function)
(declarations (function (infix operator: [(operator) (infix_id)] @name)) @definition.function)
(class_declarations (signature name: [(variable) (prefix_id)] @name) @definition.method)
(class_declarations (function name: (variable) @name) @definition.method)
(instance_declarations (function name: (variable) @name) @definition.method)
(instance_declarations (bind name: (variable) @name) @definition.method)

(apply function: (variable) @call)
(apply function: (qualified (variable) @call))

(import module: (module) @import)
