; What a shell script uses. Captures: surveyor/graph/extract/extract.py.
(command name: (command_name (word) @call))
(command name: (command_name (word) @_run) . argument: (word) @call
  (#any-of? @_run "trap" "time" "command" "builtin" "exec" "eval"))
; What bats runs stands behind options: `run -1 helper`.
(command name: (command_name (word) @_run) argument: (word) @call (#match? @_run "run$"))
(simple_expansion (variable_name) @id)
(expansion (variable_name) @id)
(variable_assignment name: (variable_name) @write)

(function_definition) @scope

(declaration_command ["local" "declare" "typeset"] (variable_assignment name: (variable_name) @local))
(declaration_command ["local" "declare" "typeset"] (variable_name) @local)

((command name: (command_name (word) @_source) . argument: (_)) @import
  (#any-of? @_source "source" "." "load"))

; Scripts that are run: by a path, or by a name that no builtin has.
((command name: (command_name (word) @_command)) @dynamic (#match? @_command "\\w[-/.]\\w|^[./~]+/\\w"))
((command name: (command_name [(string) (concatenation)] @_command)) @dynamic
  (#match? @_command "/[\\w.-]+\"?$"))
((command name: (command_name (word) @_run) argument: (word) @_command) @dynamic
  (#match? @_run "^(bash|command|env|exec|nohup|run|sh|sudo|time|zsh)$")
  (#match? @_command "\\w[-/.]\\w|^[./~]+/\\w"))
