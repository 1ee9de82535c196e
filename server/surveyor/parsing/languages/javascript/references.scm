; Heritage, parameters, fields and JSX as the JavaScript grammar names them.
(class_declaration name: (identifier) @skip)
(class name: (identifier) @skip)
(new_expression constructor: (parenthesized_expression
  (class !name (class_heritage (identifier) @unnamed))))
(return_statement (class !name (class_heritage (identifier) @unnamed)))
(arguments (class !name (class_heritage (identifier) @unnamed)))
(class_heritage (identifier) @base)
(class_heritage (member_expression property: (property_identifier) @base))
; extends Timed(Base), mix(Base).with(Timed)
(class_heritage (call_expression
  function: [(_) (member_expression object: (call_expression arguments: (arguments
    [(identifier) @base (member_expression property: (property_identifier) @base)])))]
  arguments: (arguments [
    (identifier) @base
    (member_expression property: (property_identifier) @base)
    (call_expression arguments: (arguments
      [(identifier) @base (member_expression property: (property_identifier) @base)]))])))
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local))
(field_definition) @bind
((comment) @bind (#match? @bind "@(param|arg|argument|returns?|type)[ \t]*[{]"))
(jsx_opening_element name: (identifier) @call)
(jsx_self_closing_element name: (identifier) @call)
(jsx_opening_element name: (member_expression property: (property_identifier) @call))
(jsx_self_closing_element name: (member_expression property: (property_identifier) @call))
; <div>: a member of JSX.IntrinsicElements, whatever else is called div
((jsx_opening_element name: (identifier) @tag) (#match? @tag "^[a-z]"))
((jsx_closing_element name: (identifier) @tag) (#match? @tag "^[a-z]"))
((jsx_self_closing_element name: (identifier) @tag) (#match? @tag "^[a-z]"))

; What untyped parameters are handed, and what arrays and objects hold that are looked up by a key
(array) @table
(pair key: (string) value: (object) @literal)
(call_expression arguments: (arguments [(identifier) (member_expression) (call_expression)
  (new_expression) (array) (object) (subscript_expression)])) @handing
(new_expression arguments: (arguments [(identifier) (member_expression) (call_expression)
  (new_expression) (array) (object) (subscript_expression)])) @handing
(call_expression function: (member_expression object: [(identifier) (member_expression)]
  property: (property_identifier) @_put) (#any-of? @_put "push" "unshift" "add" "set" "assign")) @bind
; <Box size={1} />: what the component is told
(jsx_attribute . (property_identifier) @given)
