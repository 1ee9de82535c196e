(comment) @comment

(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name))
  @definition.variable)
; What is given in a branch outside of functions.
(if_statement [
  (variable_assignment name: (variable_name) @name)
  (declaration_command (variable_assignment name: (variable_name) @name))]
  @definition.variable) @branch
(elif_clause [
  (variable_assignment name: (variable_name) @name)
  (declaration_command (variable_assignment name: (variable_name) @name))]
  @definition.variable) @branch
(else_clause [
  (variable_assignment name: (variable_name) @name)
  (declaration_command (variable_assignment name: (variable_name) @name))]
  @definition.variable) @branch
(case_item [
  (variable_assignment name: (variable_name) @name)
  (declaration_command (variable_assignment name: (variable_name) @name))]
  @definition.variable) @branch
(list [
  (variable_assignment name: (variable_name) @name)
  (declaration_command (variable_assignment name: (variable_name) @name))]
  @definition.variable) @branch

(command name: (command_name (word) @call))

((command name: (command_name (word) @_source) argument: (_) @import)
  (#any-of? @_source "source" "."))
