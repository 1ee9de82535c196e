; What a Haskell file uses. Captures: surveyor/graph/extract/extract.py.
(variable) @id
(constructor) @id
(operator) @id
(constructor_operator) @id
(name) @type
(qualified id: (variable) @member)
(qualified id: (constructor) @member)
(qualified id: (name) @member)
(qualified id: (operator) @member)
(apply function: (variable) @call)
(apply function: (qualified id: (variable) @call))
(apply function: (constructor) @new)
(apply function: (qualified id: (constructor) @new))
(infix operator: (operator) @call)
(infix operator: (infix_id (variable) @call))
(record expression: (constructor) @new)

(data_type name: (name) @skip)
(newtype name: (name) @skip)
(class name: (name) @skip)
(type_synomym name: (name) @skip)
(field name: (field_name (variable) @skip))
(data_constructor constructor: (_ name: (constructor) @skip))
(newtype_constructor name: (constructor) @skip)
(declarations (function name: (variable) @skip))
(declarations (bind name: (variable) @skip))
(signature name: (variable) @skip)
(signature name: (prefix_id (operator) @skip))
(declarations (function name: (prefix_id (operator) @skip)))
(gadt_constructor name: (constructor) @skip)
(gadt_constructor names: (binding_list (constructor) @skip))
(pattern_synonym (signature synonym: (constructor) @skip))
(pattern_synonym (equation synonym: [(constructor) @skip (apply function: (constructor) @skip)]))
; `Lid { wide = w }` binds w, and `Lid { wide }` wide.
(field_pattern field: (field_name (variable) @unbound) pattern: (_))
(field_pattern field: (field_name (variable) @pun))
(class_declarations (function name: (variable) @skip))
(class_declarations (function name: (variable) @skip))
(class_declarations (bind name: (variable) @skip))
(instance_declarations (function name: (variable) @skip))
(instance_declarations (bind name: (variable) @skip))
(instance name: (name) @skip)
(instance name: (qualified id: (name) @skip))
(deriving_instance name: (name) @skip)
(deriving_instance name: (qualified id: (name) @skip))
(type_params (variable) @skip)
(forall (quantified_variables (variable) @skip))
(module_export (module) @skip)

(function) @scope
(lambda) @scope
(alternative) @scope
(do) @scope
(let_in) @scope
(list_comprehension) @scope
(instance_declarations (bind) @scope)
(declarations (bind) @scope)

(patterns (variable) @local)
(patterns (_ (variable) @local))
(patterns (_ (_ (variable) @local)))
(patterns (_ (_ (_ (variable) @local))))
(alternative pattern: (variable) @local)
(alternative pattern: (_ (variable) @local))
(alternative pattern: (_ (_ (variable) @local)))
(alternative pattern: (_ (_ (_ (variable) @local))))
(bind pattern: (variable) @local)
(bind pattern: (_ (variable) @local))
(bind pattern: (_ (_ (variable) @local)))
(generator pattern: (variable) @local)
(generator pattern: (_ (variable) @local))
(function (infix left_operand: (variable) @local))
(function (infix right_operand: (variable) @local))
(local_binds (bind name: (variable) @local))
(local_binds (function name: (variable) @named))
(local_binds (function name: (variable) @skip))
(local_binds (signature name: (variable) @local))

(instance) @impl
(deriving_instance) @impl

(class context: (context context: (apply constructor: (name) @base)))
(class context: (context context: (apply constructor: (qualified id: (name) @base))))
(class context: (context context: (apply constructor: (apply constructor: (name) @base))))
(class context: (context context: (tuple (apply constructor: (name) @base))))
(class context: (context context: (tuple (apply constructor: (qualified id: (name) @base)))))
(class context: (context context: (tuple (apply constructor: (apply constructor: (name) @base)))))
(deriving classes: (name) @base)
(deriving classes: (qualified id: (name) @base))
(deriving classes: (_ (name) @base))
(deriving classes: (_ (qualified id: (name) @base)))
(import) @import
(header module: (module) @package)
