; JSX in TypeScript: a component's use is a call.
(jsx_opening_element name: (identifier) @call)
(jsx_self_closing_element name: (identifier) @call)
(jsx_opening_element name: (member_expression property: (property_identifier) @call))
(jsx_self_closing_element name: (member_expression property: (property_identifier) @call))
; <div>: a member of JSX.IntrinsicElements, whatever else is called div
((jsx_opening_element name: (identifier) @tag) (#match? @tag "^[a-z]"))
((jsx_closing_element name: (identifier) @tag) (#match? @tag "^[a-z]"))
((jsx_self_closing_element name: (identifier) @tag) (#match? @tag "^[a-z]"))
; <Box size={1} />: what the component is told
(jsx_attribute . (property_identifier) @given)
