"""What names mean in Elixir, on small projects given as text."""

from __future__ import annotations

from surveyor.graph.facts import KIND_NAMES
from tests.graph.memory import edges, graph, imports, names, uses

ROUTER = """
defmodule Shop.Router do
  alias Shop.{Car, Van}
  alias Shop.Deep.Thing, as: T
  import Shop.Helpers, only: [help: 1]
  @behaviour Shop.Plug
  @default Car.default()

  @spec run(Car.t(), list) :: Car.t()
  def run(%Car{} = car, opts \\\\ []) do
    car |> Car.open(1) |> helper(2) |> T.go
    Enum.map(opts, &helper(&1, 1))
    Enum.map(opts, &Van.fix/1)
    __MODULE__.helper(1, 2)
    help(@default)
    missing(1)
    opts.fix
    Shop.Deep.Other.go()
  end

  defp helper(a, b), do: a + b

  defmodule Inner do
    def go, do: Shop.Router.run(1, 2)
  end
end
"""
REST = """
defmodule Shop.Car do
  @type t :: integer
  def open(car, n), do: Shop.Router.Inner.go()
  def default, do: 1
end
defmodule Shop.Van do
  def fix(van), do: van
end
defmodule Shop.Deep.Thing do
  def go(x), do: x
end
defmodule Shop.Helpers do
  def help(x), do: x
  def missing(x), do: x
end
defmodule Shop.Plug do
  @callback run(any, any) :: any
end
"""
PATHS = {"lib/router.ex": ROUTER, "lib/rest.ex": REST}


def test_modules_are_known_by_their_full_names_and_by_aliases() -> None:
    made = graph(PATHS)
    found = edges(made)
    run = "Shop.Router.run"
    assert {
        ("lib/router.ex", run, "lib/rest.ex::Shop.Car"),
        ("lib/router.ex", run, "lib/rest.ex::Shop.Car.open"),
        ("lib/router.ex", run, "lib/router.ex::Shop.Router.helper"),
        ("lib/router.ex", run, "lib/rest.ex::Shop.Deep.Thing.go"),
        ("lib/router.ex", run, "lib/rest.ex::Shop.Van.fix"),
        ("lib/router.ex", run, "lib/rest.ex::Shop.Helpers.help"),
        ("lib/router.ex", "Shop.Router", "lib/rest.ex::Shop.Plug"),
        ("lib/router.ex", "Shop.Router.Inner.go", "lib/router.ex::Shop.Router.run"),
        ("lib/rest.ex", "Shop.Car.open", "lib/router.ex::Shop.Router.Inner.go"),
    } <= found
    targets = {name for _, name in uses(made, "lib/router.ex")}
    assert "Shop.Helpers.missing" not in targets  # `only:` does not name it
    assert not any(line == 17 for line, _ in uses(made, "lib/router.ex"))  # a field of a variable
    assert ("Shop.Car", "lib/rest.ex", "") in imports(made, "lib/router.ex")


def test_a_module_is_found_by_its_last_name_and_no_test_has_it() -> None:
    made = graph(
        {
            "lib/parsers.ex": "defmodule Plug.Parsers do\n  def call(x), do: x\nend\n",
            "test/parsers_test.exs": """
                defmodule Plug.ParsersTest do
                  describe "many" do
                    test "parsers" do
                      assert parsers(1)
                      assert local(2)
                    end
                    defp local(x), do: Plug.Parsers.call(x)
                  end
                end
                """,
            "test/support.exs": "defmodule Plug.Parsers do\n  def call(x), do: x\nend\n",
        }
    )
    (module,) = (n for n in made.facts["lib/parsers.ex"].names if n.kind == "module")
    assert (module.name, module.container, module.column) == ("Parsers", "Plug", 15)
    assert 'Plug.ParsersTest."many"."parsers"' in names(made, "test/parsers_test.exs")
    assert {name for _, name in uses(made, "test/parsers_test.exs")} == {
        'Plug.ParsersTest."many".local', "Plug.Parsers", "Plug.Parsers.call"
    }  # fmt: skip
    assert {
        edge.target.path
        for edge in made.resolutions["test/parsers_test.exs"].edges
        if edge.target.qualname.startswith("Plug.Parsers.")
    } == {"lib/parsers.ex"}


def test_what_use_imports_and_defines() -> None:
    made = graph(
        {
            "lib/web.ex": """
                defmodule Web do
                  defmacro __using__(_) do
                    quote do
                      import Web.Conn
                      def init(x), do: x
                    end
                  end
                end
                defmodule Web.Conn do
                  def send_it(x), do: x
                end
                """,
            "lib/page.ex": """
                defmodule Page do
                  use Web
                  def show(x), do: send_it(x)
                end
                defmodule Other do
                  def go, do: Page.init(1)
                end
                """,
        }
    )
    assert {(4, "Web.Conn.send_it"), (7, "Web.__using__.init")} <= uses(made, "lib/page.ex")


def test_types_and_specs_call_nothing_and_implementations_of_protocols_are_modules() -> None:
    made = graph(
        {
            "lib/shape.ex": """
                defmodule My.Shape do
                  @type t :: %__MODULE__{name: name(), size: My.Size.t()}
                  @type name :: String.t()
                  defstruct [:name, :size]

                  @spec draw(t(), keyword) :: name() when keyword: term
                  def draw(s, _), do: s
                  defimpl My.Size do
                    def size(s), do: own(s)
                    defp own(s), do: My.Shape.draw(s, [])
                  end
                  def after_it(s), do: My.Size.size(s)
                end
                """,
            "lib/size.ex": """
                defprotocol My.Size do
                  @type t :: term
                  def size(x)
                end
                defimpl My.Size, for: [Atom, List] do
                  def size(x), do: x
                end
                """,
        }
    )
    found = {
        (KIND_NAMES[edge.kind], edge.line, edge.source, edge.target.qualname)
        for edge in made.resolutions["lib/shape.ex"].edges
    }
    assert not {each for each in found if each[0] == "call" and each[1] < 8}
    assert {
        ("type", 3, "My.Shape.t", "My.Shape.name"),
        ("type", 3, "My.Shape.t", "My.Size.t"),
    } <= found
    assert ("read", 7, "My.Shape", "My.Shape.draw") in found
    inside = "My.Size.My.Shape"
    assert ("inheritance", 9, inside, "My.Size") in found
    assert ("call", 10, f"{inside}.size", f"{inside}.own") in found
    assert ("call", 13, "My.Shape.after_it", "My.Size.size") in found
    assert ("lib/size.ex", "My.Size.Atom", "lib/size.ex::My.Size") in edges(made)


DELEGATES = {
    "boxes.ex": "defmodule Shop.Boxes do\n  def open(box), do: box\n"
    "  def lift(box, n), do: {box, n}\n  def close, do: :ok\nend\n",
    "chrome.ex": "defmodule Shop.Chrome do\n  alias Shop.Boxes\n\n"
    "  defdelegate open(box), to: Boxes\n"
    "  defdelegate raise_up(box, n \\\\ 1), to: Shop.Boxes, as: :lift\n"
    "  defdelegate close, to: Boxes\n  defdelegate write(file), to: File\nend\n",
}


def test_what_a_function_is_delegated_to_is_called_by_it() -> None:
    made = graph(DELEGATES).resolutions["chrome.ex"].edges
    found = {(e.line, e.source, e.target.qualname) for e in made if KIND_NAMES[e.kind] == "call"}
    assert found == {
        (4, "Shop.Chrome.open", "Shop.Boxes.open"),
        (5, "Shop.Chrome.raise_up", "Shop.Boxes.lift"),
        (6, "Shop.Chrome.close", "Shop.Boxes.close"),
    }
