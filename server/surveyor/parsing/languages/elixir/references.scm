; What an Elixir file uses. Captures: surveyor/graph/extract/extract.py.
; Bare identifiers are variables: a function is called with brackets, arguments or in a pipe.
(alias) @type
(struct (alias) @new)
((call target: (identifier) @call)
  (#not-match? @call "^(def|defp|defmodule|defmacro|defmacrop|defprotocol|defimpl|defguard|defguardp|defdelegate|defstruct|defexception|use|import|alias|require|if|unless|case|cond|with|for|quote|unquote|unquote_splicing|fn|raise|receive|try)$"))
(binary_operator operator: "|>" right: (identifier) @call)
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @call operator: "/"))
(unary_operator operator: "@" operand: (identifier) @read)
(call target: (dot left: [(alias) (dot) (identifier) (call)] right: (identifier) @member) (arguments))
(call target: (dot left: [(alias) (dot)] right: (identifier) @member))
(call target: (dot left: [(alias) (dot) (identifier) (call)] right: (identifier) @call) (arguments))
(call target: (dot left: [(alias) (dot)] right: (identifier) @call))
(unary_operator operator: "@" operand: (call target: (identifier) @_b (arguments . (alias) @base))
  (#eq? @_b "behaviour"))

(unary_operator operator: "@" operand: (call target: (identifier) @skip))
(call target: (identifier) @_def (arguments . [
    (call target: (identifier) @skip)
    (binary_operator left: (call target: (identifier) @skip))])
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate"))
(unary_operator operator: "@" operand: (call target: (identifier) @_spec
  (arguments (binary_operator left: [(call target: (identifier) @skip)
    (binary_operator left: (call target: (identifier) @skip))])))
  (#any-of? @_spec "type" "typep" "opaque" "callback" "macrocallback"))
; In types what looks like a call is a type; a spec names its function
(unary_operator operator: "@" operand: (call target: (identifier) @_spec
  (arguments (binary_operator left: [(call target: (identifier) @plain)
    (binary_operator left: (call target: (identifier) @plain))])))
  (#eq? @_spec "spec"))
(unary_operator operator: "@" operand: (call target: (identifier) @_spec
  (arguments (binary_operator left: [(identifier) @plain
    (binary_operator left: (identifier) @plain operator: "::")] operator: ["::" "when"])))
  (#eq? @_spec "spec"))
((unary_operator operator: "@" operand: (call target: (identifier) @_typing)) @typing
  (#any-of? @_typing "type" "typep" "opaque" "spec" "callback" "macrocallback"))
((call target: (identifier) @_impl (arguments . (alias) @base)) (#eq? @_impl "defimpl"))

((call target: (identifier) @_use (arguments . [(alias) (dot) (identifier)])) @import
  (#any-of? @_use "import" "alias" "require"))
; what a module is told that is used is read as in any call
((call target: (identifier) @_use (arguments . [(alias) (dot) (identifier)] @import))
  (#eq? @_use "use"))

; Phoenix: actions of controllers and plugs by atoms; a scope names the modules around its routes
((call target: (identifier) @_route (arguments [(alias) (dot)] (atom))) @implied
  (#any-of? @_route "get" "post" "put" "patch" "delete" "head" "options" "match"))
((call target: (identifier) @_route (arguments [(alias) (dot)])) @implied
  (#eq? @_route "resources"))
; a function by its module, its name and what it is called with
((call target: (identifier) @_apply (arguments . [(alias) (dot)] . (atom) . (_))) @implied
  (#any-of? @_apply "apply" "spawn" "spawn_link" "spawn_monitor"))
(tuple . (alias) . (atom) . (list) .) @implied
; a function of another module that runs in place of one of this
((call target: (identifier) @_delegate (arguments (keywords))) @implied
  (#eq? @_delegate "defdelegate"))
((call target: (identifier) @_plug (arguments . [(atom) (list (atom))])) @implied
  (#any-of? @_plug "plug" "pipe_through"))
((call target: (identifier) @_scope (arguments (alias)) (do_block)) @default
  (#eq? @_scope "scope"))
