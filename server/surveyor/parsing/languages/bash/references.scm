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
  (#not-match? @_run "run$|[./]|^(When|@test|alias|awk|basename|bg|bind|break|builtin|caller|cat|cd|chmod|chown|command|compgen|complete|continue|coproc|cp|curl|cut|date|declare|diff|dirname|dirs|disown|docker|echo|egrep|enable|env|eval|exec|exit|export|expr|false|fc|fg|find|getopts|git|grep|hash|head|help|history|id|install|jobs|kill|let|ln|local|logout|ls|make|mapfile|mkdir|mktemp|mv|npm|popd|printf|ps|pushd|pwd|read|readarray|readonly|readlink|return|rm|rmdir|sed|seq|set|shift|shopt|sleep|sort|source|stat|sudo|suspend|tail|tar|tee|test|time|times|touch|tr|trap|true|type|typeset|ulimit|umask|unalias|uname|uniq|unset|wait|wc|wget|which|whoami|xargs|yes)$"))
; What bats runs stands behind options: `run -1 helper`.
(command name: (command_name (word) @_run) argument: (word) @call (#match? @_run "run$"))
; What is asked about, exported or removed by its name.
(command name: (command_name (word) @_run) argument: (word) @read
  (#any-of? @_run "type" "command" "hash" "which"))
(command name: (command_name (word) @_run) . argument: (word) @call (#eq? @_run "coproc"))
(declaration_command (word) @_f (variable_name) @read (#match? @_f "^-[a-zA-Z]*[fF]"))
(unset_command (variable_name) @read)
(command name: (command_name (word) @_run) argument: (word) @write
  (#any-of? @_run "read" "mapfile" "readarray"))
(command name: (command_name (word) @_run) . argument: (word) @_v . argument: (word) @write
  (#eq? @_run "printf") (#eq? @_v "-v"))
(binary_expression (variable_name) @read)
(unary_expression (variable_name) @read)
(postfix_expression (variable_name) @write)
(arithmetic_expansion (variable_name) @read)
(subscript name: (variable_name) @read)
(variable_assignment name: (variable_name) @_hook value: (word) @call
  (#eq? @_hook "PROMPT_COMMAND"))
(c_style_for_statement (binary_expression right: (word) @read))
; Commands that are written as text.
(command name: (command_name (word) @_run) argument: [
  (string) @commands (raw_string) @commands] (#any-of? @_run "trap" "eval"))
(command argument: (word) @_c . argument: [(string) @commands (raw_string) @commands]
  (#eq? @_c "-c"))
(command name: (command_name (word) @_run) argument: [(word) @commands
  (concatenation (word) [(string) @commands (raw_string) @commands])]
  (#eq? @_run "alias"))
(variable_assignment name: (variable_name) @_hook value: [
  (string) @commands (raw_string) @commands] (#eq? @_hook "PROMPT_COMMAND"))
(simple_expansion (variable_name) @id)
(expansion (variable_name) @id)
(variable_assignment name: (variable_name) @write)

(function_definition) @scope

(declaration_command ["local" "declare" "typeset"] (variable_assignment name: (variable_name) @local))
(declaration_command ["local" "declare" "typeset"] (variable_name) @local)

((command name: (command_name (word) @_source) . argument: (_)) @import
  (#any-of? @_source "source" "." "load" "Include"))

; Scripts that are run: by a path, or by a name that no builtin has.
((command name: (command_name (word) @_command)) @dynamic (#match? @_command "\\w[-/.]\\w|^[./~]+/\\w"))
((command name: (command_name [(string) (concatenation)] @_command)) @dynamic
  (#match? @_command "/[\\w.-]+\"?$"))
((command name: (command_name (word) @_run) argument: (word) @_command) @dynamic
  (#match? @_run "^(bash|command|env|exec|nohup|run|sh|sudo|time|zsh)$")
  (#match? @_command "\\w[-/.]\\w|^[./~]+/\\w"))
; ShellSpec: `When call open_box`; bats in one line: `@test "opens" { open_box; }`
((command name: (command_name (word) @_when) . argument: (word) @_how . argument: (word) @call)
  (#eq? @_when "When") (#any-of? @_how "call" "run"))
((command name: (command_name (word) @_test) argument: (word) @_begin . argument: (word) @call)
  (#eq? @_test "@test") (#eq? @_begin "{"))
((command name: (command_name (word) @_test) argument: (word) @_begin . argument: (word) @_run
  . argument: (word) @call)
  (#eq? @_test "@test") (#eq? @_begin "{") (#eq? @_run "run"))
