(comment) @comment

((unary_operator operand: (call target: (identifier) @_doc
  (arguments (string (quoted_content) @text)))) @leading
  (#any-of? @_doc "doc" "typedoc"))
((unary_operator operand: (call target: (identifier) @_attribute)) @leading
  (#any-of? @_attribute "doc" "typedoc" "spec" "impl" "deprecated" "decorate"))

((call target: (identifier) @_def (arguments (alias) @name)
  (do_block (unary_operator operand: (call target: (identifier) @_moduledoc
    (arguments (string (quoted_content) @doc)))))) @definition.module
  (#eq? @_def "defmodule") (#eq? @_moduledoc "moduledoc"))
((call target: (identifier) @_def (arguments (alias) @name)) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments (alias) @name)) @definition.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @name)) @definition.module
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name)])
  (do_block)? @body) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate" "defguard" "defguardp" "defn"))
((call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))])
  (do_block)? @body) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop"))
; What `use ExUnit.CaseTemplate` writes into tests
((call target: (identifier) @name (do_block) @body) @definition.macro (#eq? @name "using"))
((call target: (identifier) @_test (arguments . (string (quoted_content) @name))
  (do_block) @body) @definition.function
  (#any-of? @_test "test" "describe"))
((unary_operator operand: (call target: (identifier) @_type (arguments (binary_operator
  left: [(identifier) @name (call target: (identifier) @name)])))) @definition.type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator operand: (call target: (identifier) @_callback (arguments (binary_operator
  left: (call target: (identifier) @name))))) @definition.declaration
  (#any-of? @_callback "callback" "macrocallback"))
((unary_operator operand: (call target: (identifier) @name (arguments))) @definition.constant
  (#not-match? @name "^(doc|moduledoc|typedoc|spec|impl|type|typep|opaque|callback|macrocallback|deprecated|decorate|behaviour|derive|enforce_keys|compile|dialyzer|tag|moduletag|describetag|optional_callbacks|after_compile|before_compile)$"))

((call target: (identifier) @call)
  (#not-match? @call "^(def|defp|defmodule|defmacro|defmacrop|defprotocol|defimpl|use|import|alias|require|doc|moduledoc|spec|type|impl|typedoc|defstruct|if|unless|case|cond|with|for|quote|unquote|test|describe)$"))
(call target: (dot right: (identifier) @call))

((call target: (identifier) @_use (arguments . [(alias) (dot)] @import))
  (#any-of? @_use "use" "import" "alias" "require"))
