; What a shell script uses. Captures: surveyor/graph/extract/extract.py.
(command name: (command_name (word) @call))
(command name: (command_name (word) @_run) . argument: (word) @call
  (#any-of? @_run "trap" "time" "command" "builtin" "exec" "eval"))
; What the shell runs to complete a word.
(command name: (command_name (word) @_run) argument: (word) @_option . argument: (word) @call
  (#any-of? @_run "complete" "compgen") (#eq? @_option "-F"))
; What is handed to a function, which may run it: `on_exit clean_up`.
(command name: (command_name (word) @_run) argument: (word) @member
  (#match? @member "^[A-Za-z_][A-Za-z0-9_.:-]*$")
  (#not-match? @_run "run$|[./]|^(alias|awk|basename|bg|bind|break|builtin|caller|cat|cd|chmod|chown|command|compgen|complete|continue|cp|curl|cut|date|declare|diff|dirname|dirs|disown|docker|echo|egrep|enable|env|eval|exec|exit|export|expr|false|fc|fg|find|getopts|git|grep|hash|head|help|history|id|install|jobs|kill|let|ln|local|logout|ls|make|mapfile|mkdir|mktemp|mv|npm|popd|printf|ps|pushd|pwd|read|readarray|readonly|readlink|return|rm|rmdir|sed|seq|set|shift|shopt|sleep|sort|source|stat|sudo|suspend|tail|tar|tee|test|time|times|touch|tr|trap|true|type|typeset|ulimit|umask|unalias|uname|uniq|unset|wait|wc|wget|which|whoami|xargs|yes)$"))
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
