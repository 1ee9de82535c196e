; Shared by JavaScript, TypeScript and TSX. `_` with a property is a member_expression.
(comment) @comment
(decorator) @leading
(export_statement) @outer

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.method

(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)])
  @definition.function) @with
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)])
  @definition.function) @with
(lexical_declaration (variable_declarator
  name: (identifier) @name value: (class)) @definition.class) @with
; const Box = module.exports = class {}: its name here is that of the variable
(program (_ (variable_declarator
  name: (identifier) @name value: [
    (assignment_expression right: (class))
    (assignment_expression right: (assignment_expression right: (class)))])
  @definition.class) @with)
(program (_ (variable_declarator
  name: (identifier) @name value: [
    (assignment_expression
      right: [(arrow_function) (function_expression) (generator_function)])
    (assignment_expression right: (assignment_expression
      right: [(arrow_function) (function_expression) (generator_function)]))])
  @definition.function) @with)
(return_statement (function_expression name: (identifier) @name) @definition.function)
(arrow_function body: (function_expression name: (identifier) @name) @definition.function)
; const Button = memo((props) => …), forwardRef(function …)
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: (call_expression function: [(identifier) (call_expression)]
    arguments: (arguments . [(arrow_function) (function_expression)])))
  @definition.function) @with
; but what an array's methods make of a function is none
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: (call_expression function: (_ property: (property_identifier) @_method)
    arguments: (arguments . [(arrow_function) (function_expression)])))
  @definition.function
  (#not-match? @_method
    "^(map|forEach|filter|find\\w*|some|every|flatMap|reduce\\w*|sort|toSorted|then|catch|finally)$"))
  @with
(program (lexical_declaration (variable_declarator name: (identifier) @name)
  @definition.variable) @with)
(program (variable_declaration (variable_declarator name: (identifier) @name)
  @definition.variable) @with)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name)
  @definition.variable) @with)
; const { a, b: c, d = 1 } = whole; const [e] = all: but what is imported so
((program (lexical_declaration (variable_declarator name: (_ [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern value: (identifier) @name)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
    (identifier) @name]) value: (_) @_value) @definition.variable))
  (#not-match? @_value "^(await )?(require|import)\\b"))
((export_statement (lexical_declaration (variable_declarator name: (_ [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern value: (identifier) @name)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
    (identifier) @name]) value: (_) @_value) @definition.variable))
  (#not-match? @_value "^(await )?(require|import)\\b"))

; module.exports = class Application {}: what is exported as a whole has its own name
(expression_statement (assignment_expression
  left: (_ property: (property_identifier) @_whole)
  right: [(function_expression name: (_) @name) (generator_function name: (_) @name)])
  (#eq? @_whole "exports")) @definition.function
(expression_statement (assignment_expression
  left: (_ property: (property_identifier) @_whole)
  right: (class name: (_) @name))
  (#eq? @_whole "exports")) @definition.class
; module.exports = new Store(): what a module shares with all who require it
(program (expression_statement (assignment_expression
  left: (_ object: (identifier) @_module property: (property_identifier) @name)
  right: (new_expression)) @definition.variable)
  (#eq? @_module "module") (#eq? @name "exports"))
; exports.a = function () {}, proto.b = () => {}
(expression_statement (assignment_expression
  left: (_ object: (_) @container property: (property_identifier) @name)
  right: [(arrow_function) (function_expression !name) (generator_function !name)]))
  @definition.function
(expression_statement (assignment_expression
  left: (_ object: (_) @container property: (property_identifier) @name)
  right: [(function_expression name: (_)) (generator_function name: (_))])
  (#not-eq? @name "exports")) @definition.function
(expression_statement (assignment_expression
  left: (_ object: (_) @container property: (property_identifier) @name)
  right: (class !name))) @definition.class
(expression_statement (assignment_expression
  left: (_ object: (_) @container property: (property_identifier) @name)
  right: (class name: (_))) (#not-eq? @name "exports")) @definition.class
; exports = module.exports = internals.Box = class {}: the last of several names is its own
(expression_statement (assignment_expression right: [
  (assignment_expression
    left: (_ object: (_) @container property: (property_identifier) @name)
    right: [(arrow_function) (function_expression !name) (generator_function !name)])
    @definition.function
  (assignment_expression right: (assignment_expression
    left: (_ object: (_) @container property: (property_identifier) @name)
    right: [(arrow_function) (function_expression !name) (generator_function !name)])
    @definition.function)
  (assignment_expression
    left: (_ object: (_) @container property: (property_identifier) @name)
    right: (class !name)) @definition.class
  (assignment_expression right: (assignment_expression
    left: (_ object: (_) @container property: (property_identifier) @name)
    right: (class !name)) @definition.class)]))
(expression_statement (assignment_expression right: (assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression !name) (generator_function !name)])
  @definition.function) (#eq? @name "exports"))
(expression_statement (assignment_expression right: (assignment_expression
  left: (identifier) @name right: (class !name)) @definition.class) (#eq? @name "exports"))
(expression_statement (assignment_expression right: [
  (assignment_expression
    right: [(function_expression name: (_) @name) (generator_function name: (_) @name)])
    @definition.function
  (assignment_expression right: (assignment_expression
    right: [(function_expression name: (_) @name) (generator_function name: (_) @name)])
    @definition.function)
  (assignment_expression right: (class name: (_) @name)) @definition.class
  (assignment_expression right: (assignment_expression
    right: (class name: (_) @name)) @definition.class)]))
(pair key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.method

(call_expression function: [(identifier) @call (_ property: (property_identifier) @call)])
(new_expression constructor: [(identifier) @call (_ property: (property_identifier) @call)])

(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (import) arguments: (arguments . (string) @import))
((call_expression function: (identifier) @_require arguments: (arguments . (string) @import))
  (#eq? @_require "require"))
