; What a PHP file uses. Captures: surveyor/graph/extract/extract.py.
(named_type (name) @type)
(named_type (qualified_name (name) @type))
(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (name) @call))
(member_call_expression name: (name) @member)
(nullsafe_member_call_expression name: (name) @member)
(member_access_expression name: (name) @member)
(nullsafe_member_access_expression name: (name) @member)
(scoped_call_expression name: (name) @member)
(qualified_name (name) @member)
(scoped_property_access_expression name: (variable_name (name) @member))
(class_constant_access_expression (_) (name) @member)
(class_constant_access_expression . (name) @type)
(class_constant_access_expression . (qualified_name (name) @type))
(scoped_call_expression scope: (name) @type)
(scoped_call_expression scope: (qualified_name (name) @type))
(scoped_property_access_expression scope: (name) @type)
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression (name) @new)
(object_creation_expression (qualified_name (name) @new))
(base_clause (name) @base)
(base_clause (qualified_name (name) @base))
(class_interface_clause (name) @base)
(class_interface_clause (qualified_name (name) @base))
(anonymous_class [
  (base_clause (name) @unnamed) (base_clause (qualified_name (name) @unnamed))
  (class_interface_clause (name) @unnamed)
  (class_interface_clause (qualified_name (name) @unnamed))])
(use_declaration (name) @base)
(use_declaration (qualified_name (name) @base))
(assignment_expression left: (member_access_expression name: (name) @write))
(binary_expression operator: "instanceof" right: (qualified_name (name) @type))
(catch_clause type: (type_list (named_type (name) @type)))
(attribute (name) @type)
(attribute (qualified_name (name) @type))
(function_call_expression function: (relative_name (name) @call))
; namespace\Box
(named_type (relative_name . (name) @type .))
(class_constant_access_expression . (relative_name . (name) @type .))
(scoped_call_expression scope: (relative_name . (name) @type .))
(object_creation_expression (relative_name . (name) @new .))
(base_clause (relative_name . (name) @base .))
(class_interface_clause (relative_name . (name) @base .))
(use_declaration (relative_name . (name) @base .))
(scoped_property_access_expression scope: (qualified_name (name) @type))

; Constants stand in expressions as bare names.
(argument (name) @read .)
(array_element_initializer (name) @read)
(assignment_expression right: (name) @read)
(augmented_assignment_expression right: (name) @read)
(binary_expression left: (name) @read)
(binary_expression right: (name) @read)
(binary_expression operator: "instanceof" right: (name) @type)
(arrow_function body: (name) @read)
(case_statement value: (name) @read)
(conditional_expression (name) @read)
(const_element (name) (name) @read)
(echo_statement (name) @read)
(match_condition_list (name) @read)
(match_conditional_expression return_expression: (name) @read)
(match_default_expression return_expression: (name) @read)
(parenthesized_expression (name) @read)
(property_element default_value: (name) @read)
(property_promotion_parameter default_value: (name) @read)
(return_statement (name) @read)
(sequence_expression (name) @read)
(simple_parameter default_value: (name) @read)
(subscript_expression (_) (name) @read)
(unary_op_expression argument: (name) @read)
(argument name: (name) @given)

(function_definition) @scope
(method_declaration) @scope
(anonymous_function) @scope
(arrow_function) @scope

(simple_parameter name: (variable_name (name) @local))
(property_promotion_parameter name: (variable_name (name) @local))
(assignment_expression left: (variable_name (name) @local))
(foreach_statement (variable_name (name) @local))

(simple_parameter) @bind
(property_promotion_parameter) @bind
(property_declaration) @bind
(foreach_statement) @bind
(catch_clause) @bind
((comment) @bind (#match? @bind "@([a-z]+-)?(param|return|var|method|property(-read|-write)?)\\s"))
(assignment_expression) @bind
(function_definition return_type: (_) @returns)
(method_declaration return_type: (_) @returns)

(namespace_use_declaration) @import
(namespace_definition name: (_) @package)
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import

; [$this, 'open'], [Box::class, 'open']: a method that is handed over
(array_creation_expression
  . (array_element_initializer . [
    (variable_name) (class_constant_access_expression) (string) (encapsed_string)] .)
  . (array_element_initializer . [(string) (encapsed_string)] .) .) @implied

; method_exists($this, 'open'), new ReflectionMethod(Box::class, 'open')
((function_call_expression function: (name) @_of arguments: (arguments) @implied)
  (#any-of? @_of "method_exists" "property_exists"))
((object_creation_expression [(name) @_of (qualified_name (name) @_of)] (arguments) @implied)
  (#any-of? @_of "ReflectionMethod" "ReflectionProperty"))
; use Drawn { draw as paint; Drawn::draw insteadof Loud; }
(use_as_clause . (name) @implied)
(use_instead_of_clause (name) @type .)
; 'App\Box::make', 'App\Box': what a text names
(argument (string (string_content) @implied))
(array_element_initializer (string (string_content) @implied))

; return $this->hasMany(Box::class): relations of Eloquent
((member_call_expression object: (variable_name (name) @_this) name: (name) @_relation) @bind
  (#eq? @_this "this")
  (#any-of? @_relation "hasOne" "hasMany" "belongsTo" "belongsToMany" "morphOne" "morphMany"
    "morphToMany" "morphedByMany" "hasOneThrough" "hasManyThrough"))

; Where a test says of which type a name is
(binary_expression
  left: [(variable_name) (member_access_expression)] operator: "instanceof") @narrowing
