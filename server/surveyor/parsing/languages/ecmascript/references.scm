; What JavaScript, TypeScript and TSX files use. Captures: surveyor/graph/extract/extract.py.
(identifier) @id
(shorthand_property_identifier) @id
(member_expression property: [(property_identifier) (private_property_identifier)] @member)

; `_` with a property is a member_expression. The last two: what runs without being named.
(call_expression function: [
  (identifier) @call
  (_ property: [(property_identifier) (private_property_identifier)] @call)
  (call_expression) @called
  (subscript_expression) @called
  (super) @implied])
(new_expression constructor: [(identifier) @new (_ property: (property_identifier) @new)])
(assignment_expression left: [(identifier) @write (_ property: (property_identifier) @write)])
(augmented_assignment_expression
  left: [(identifier) @write (_ property: (property_identifier) @write)])
(update_expression argument: (identifier) @write)

(function_declaration name: (identifier) @skip)
(generator_function_declaration name: (identifier) @skip)
(function_expression name: (identifier) @skip)

(function_declaration) @scope
(generator_function_declaration) @scope
(function_expression) @scope
(generator_function) @scope
(arrow_function) @scope
(method_definition) @scope
(for_in_statement) @scope
(for_statement) @scope
(catch_clause) @scope

(arrow_function parameter: (identifier) @local)
(rest_pattern (identifier) @local)
(array_pattern [(identifier) @local (assignment_pattern left: (identifier) @local)])
(object_pattern [
  (shorthand_property_identifier_pattern) @local
  (pair_pattern value: [(identifier) @local (assignment_pattern left: (identifier) @local)])])
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)
(variable_declarator name: (identifier) @local)
(for_in_statement left: (identifier) @local)
(catch_clause parameter: (identifier) @local)

(variable_declarator) @bind
(for_in_statement) @bind
(call_expression
  function: (_ property: (property_identifier) @_each)
  arguments: (arguments . [
    (arrow_function [
      parameter: (identifier) @each
      parameters: (formal_parameters . (_) @each)])
    (function_expression parameters: (formal_parameters . (_) @each))])
  (#any-of? @_each "map" "forEach" "filter" "find" "some" "every" "flatMap" "findIndex" "findLast"
    "then"))
((call_expression function: [
  (identifier) @_base (_ property: (property_identifier) @_base)]) @bind
  (#any-of? @_base "inherits" "setPrototypeOf"))
(assignment_expression
  left: [(identifier) (array_pattern) (object_pattern) (member_expression) (subscript_expression)])
  @bind
(augmented_assignment_expression left: (identifier) operator: ["||=" "??="]) @bind
(return_statement [
  (new_expression) (call_expression) (this) (identifier) (member_expression) (await_expression)
  (subscript_expression) (ternary_expression) (parenthesized_expression)
  (binary_expression operator: ["??" "||"]) (function_expression name: (identifier))] @value)
(yield_expression [(identifier) (new_expression) (call_expression) (member_expression)] @value)
(arrow_function body: [
  (new_expression) (call_expression) (identifier) (member_expression) (await_expression)
  (subscript_expression) (ternary_expression)
  (binary_expression operator: ["??" "||"]) (function_expression name: (identifier))] @value)

(import_statement) @import
(export_statement [source: (string) (export_clause)]) @import
(variable_declarator value: (call_expression function: (identifier) @_r (#eq? @_r "require"))) @import
(variable_declarator name: (identifier) value: (member_expression
  object: (call_expression function: (identifier) @_r (#eq? @_r "require")))) @import
(call_expression function: (identifier) @_r (#eq? @_r "require")) @dynamic
(call_expression function: (import)) @dynamic
((call_expression
  function: (member_expression object: (identifier) @_r property: (property_identifier) @_of)
  arguments: (arguments . (string))) @dynamic
  (#any-of? @_r "require" "jest" "vi" "vitest")
  (#any-of? @_of "resolve" "mock" "doMock" "unmock" "requireActual" "requireMock"
    "unstable_mockModule" "importActual" "importMock"))
(export_statement "default" value: (identifier)) @default
(export_statement "default" declaration: (_ name: (_))) @default
(assignment_expression
  left: (member_expression object: (identifier) @_m property: (property_identifier) @_e)
  right: [(identifier) (object) (class) (new_expression) (arrow_function) (function_expression)
    (generator_function) (call_expression) (member_expression) (assignment_expression)]
  (#eq? @_m "module") (#eq? @_e "exports")) @default
(assignment_expression
  left: (member_expression object: (identifier) @_m) right: (assignment_expression)
  (#eq? @_m "exports")) @default
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @_m)
  right: [(call_expression function: (identifier) @_r)
    (member_expression object: (call_expression function: (identifier) @_r))]
  (#any-of? @_m "exports" "module.exports") (#eq? @_r "require")) @default
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @_m)
  right: (identifier)
  (#any-of? @_m "exports" "module.exports")) @default
(call_expression
  function: (member_expression) @_f arguments: (arguments . [(identifier) (member_expression)] @_m)
  (#eq? @_f "Object.assign") (#any-of? @_m "exports" "module.exports")) @default

; const Colors = { RED: 1 }: the keys are defined there
(program (lexical_declaration (variable_declarator
  value: (object (pair key: (property_identifier) @entry)))))
(export_statement (lexical_declaration (variable_declarator
  value: (object (pair key: (property_identifier) @entry)))))
(program (lexical_declaration (variable_declarator value: (call_expression
  function: (_ property: (property_identifier) @_f)
  arguments: (arguments . (object (pair key: (property_identifier) @entry)))) (#eq? @_f "freeze"))))

; Objects without a class, where what holds them has a name
(variable_declarator name: (identifier) value: (object) @literal)
(pair key: (property_identifier) value: (object) @literal)
(return_statement (object) @literal)
(arrow_function body: (parenthesized_expression (object) @literal))
(variable_declarator name: (identifier)
  value: (call_expression arguments: (arguments (object) @literal)))
; What callbacks and options are, by the function that they are handed to
(arguments [(arrow_function) @callback (function_expression) @callback (object) @argument])
(object [(pair value: (arrow_function) @callback) (method_definition) @callback])

; What runs without being named: what a built-in function is handed
(call_expression
  function: (_ object: (_) @called property: (property_identifier) @_runs)
  (#any-of? @_runs "call" "apply"))
(call_expression
  function: (_ property: (property_identifier) @_runs)
  arguments: (arguments . [(identifier) (member_expression)] @called)
  (#any-of? @_runs "map" "forEach" "filter" "find" "findLast" "findIndex" "findLastIndex" "some"
    "every" "flatMap" "reduce" "reduceRight" "sort" "toSorted" "then" "catch" "finally"))
(call_expression
  function: (identifier) @_runs arguments: (arguments . [(identifier) (member_expression)] @called)
  (#any-of? @_runs "setTimeout" "setInterval" "setImmediate" "queueMicrotask"
    "requestAnimationFrame"))
(for_in_statement operator: "of") @implied
; Members that are named as text: Kind["Wide"], jest.spyOn(core, "load")
((subscript_expression object: (identifier) @_type index: (string (string_fragment) @implied))
  (#match? @_type "^[A-Z]"))
(call_expression
  function: (_ property: (property_identifier) @_spy)
  arguments: (arguments . (_) . (string (string_fragment) @implied))
  (#any-of? @_spy "spyOn" "replaceProperty"))

; Where a test says of which type a name is
(binary_expression left: [(identifier) (member_expression)] operator: "instanceof") @narrowing

(method_definition "get" name: (_)) @accessor
