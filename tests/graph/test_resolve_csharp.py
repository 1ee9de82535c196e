"""C#: which project's type is meant, imports of whole projects, parts of types."""

from __future__ import annotations

import pytest

from surveyor.graph.library import MemoryGraph
from surveyor.graph.resolve.hints import decides_imports
from surveyor.graph.resolve.manifests import declared
from tests.graph.memory import edges, graph, imports, uses

PROJECT = "<Project Sdk='Microsoft.NET.Sdk'><ItemGroup>{}</ItemGroup></Project>"
CORE_AND_USINGS = """
    <ProjectReference Include="..\\Core\\Core.csproj" />
    <Using Include="Core.Shapes.Areas" Static="true" /> <!-- <Using Include="Old.Text" /> -->
    <Using Include="Core.Engines.Engine" Alias="Motor" />"""
FILES = {
    "Directory.Build.props": PROJECT.format('<Using Include="Core.Text" />'),
    "src/Core/Core.csproj": PROJECT.format(""),
    "src/Web/Web.csproj": PROJECT.format(CORE_AND_USINGS),
    "src/Old/Old.csproj": PROJECT.format(""),
    "samples/Shop/Shop.csproj": PROJECT.format('<PackageReference Include="Core" />'),
    "src/Core/Options.cs": """
        namespace Shared;
        public class Options { public void Check() { } }
        """,
    "src/Old/Options.cs": """
        namespace Shared;
        public class Options { public void Check() { } }
        public static class Slugs { public static string ToSlug(this string s) { return s; } }
        """,
    "src/Core/Text/Slugs.cs": """
        namespace Core.Text;
        public static class Slugs { public static string ToSlug(this string s) { return s; } }
        """,
    "src/Core/Shapes/Areas.cs": """
        namespace Core.Shapes;
        public static class Areas { public static int Area(int side) { return side * side; } }
        """,
    "src/Core/Engines/Engine.cs": """
        namespace Core.Engines;
        public partial class Engine : Machine { public void Run() { Stop(); } }
        public class Machine { protected void Log() { } }
        """,
    "src/Core/Engines/Engine.Stop.cs": """
        namespace Core.Engines {
            public partial class Engine { public void Stop() { Run(); Log(); } }
        }
        """,
    "src/Web/Usings.cs": """
        global using Core.Engines;
        global using Limits = Shared.Options;
        """,
    "src/Web/Page.cs": """
        namespace Polyfills { class Index { } }
        namespace Web
        {
            public class Page
            {
                private Engine _engine = new Engine();
                public void Close() { _engine.Stop(); }
                public int Size() { return Area(2); }
                public void Limit(Limits limits) { limits.Check(); }
                public void Start(Motor motor) { motor.Run(); }
                public string Name(string title) { return title.ToSlug(); }
            }
        }
        """,
    "src/Old/Page.cs": """
        using Shared;
        namespace Old;
        public class Page
        {
            public void Limit(Options options) { options.Check(); }
            public void Start(Engine engine) { Area(2); }
            public string Name(string title) { return title.ToSlug(); }
        }
        """,
    "src/Web/Site.cs": """
        using Shared;
        namespace Web;
        public class Site : Page { public void Limit(Options options) { options.Check(); } }
        """,
    "samples/Shop/Program.cs": """
        using Shared;
        namespace Shop;
        public class Program { public void Main(Options options) { options.Check(); } }
        """,
}


@pytest.fixture(scope="module")
def made() -> MemoryGraph:
    return graph(FILES)


def _calls(made: MemoryGraph, path: str, source: str) -> set[str]:
    return {target for where, around, target in edges(made) if (where, around) == (path, source)}


def test_the_referenced_project_s_type_is_meant(made: MemoryGraph) -> None:
    own = {"src/Old/Options.cs::Options", "src/Old/Options.cs::Options.Check"}
    referenced = {"src/Core/Options.cs::Options", "src/Core/Options.cs::Options.Check"}
    assert _calls(made, "src/Old/Page.cs", "Page.Limit") == own
    assert _calls(made, "src/Web/Site.cs", "Site.Limit") == referenced
    assert _calls(made, "samples/Shop/Program.cs", "Program.Main") == referenced


def test_imports_of_the_whole_project_hold_in_its_files_alone(made: MemoryGraph) -> None:
    page, engine = "src/Web/Page.cs", "src/Core/Engines/Engine"
    assert f"{engine}.Stop.cs::Core.Engines.Engine.Stop" in _calls(made, page, "Web.Page.Close")
    assert _calls(made, page, "Web.Page.Size") == {"src/Core/Shapes/Areas.cs::Areas.Area"}
    assert "src/Core/Options.cs::Options.Check" in _calls(made, page, "Web.Page.Limit")
    assert f"{engine}.cs::Engine.Run" in _calls(made, page, "Web.Page.Start")
    assert _calls(made, "src/Old/Page.cs", "Page.Start") == set()
    assert ("Core.Engines", "", "") not in imports(made, "src/Web/Usings.cs")


def test_extensions_are_seen_where_their_namespace_is_opened(made: MemoryGraph) -> None:
    assert _calls(made, "src/Web/Page.cs", "Web.Page.Name") == {
        "src/Core/Text/Slugs.cs::Slugs.ToSlug"
    }
    assert _calls(made, "src/Old/Page.cs", "Page.Name") == {"src/Old/Options.cs::Slugs.ToSlug"}


def test_parts_of_a_type_share_members_and_bases(made: MemoryGraph) -> None:
    engine = "src/Core/Engines/Engine"
    assert _calls(made, f"{engine}.cs", "Engine.Run") == {
        f"{engine}.Stop.cs::Core.Engines.Engine.Stop"
    }
    assert _calls(made, f"{engine}.Stop.cs", "Core.Engines.Engine.Stop") == {
        f"{engine}.cs::Engine.Run",
        f"{engine}.cs::Machine.Log",
    }


def test_a_file_of_several_namespaces_is_seen_in_each(made: MemoryGraph) -> None:
    assert made.facts["src/Web/Page.cs"].package == "Polyfills;Web"
    assert "src/Web/Page.cs::Web.Page" in _calls(made, "src/Web/Site.cs", "Site")


def test_a_type_in_more_parts_than_candidates_are_named_is_still_known() -> None:
    parts = {
        f"Mapper.{number}.cs": f"""
        namespace Data;
        public static partial class Mapper {{ public static void Read{number}() {{ }} }}
        """
        for number in range(12)
    }
    use = """
        namespace Data.Tests;
        public class Use { public void All() { Mapper.Read11(); } }
        """
    made = graph({**parts, "Use.cs": use, "Data.csproj": PROJECT.format("")})
    assert _calls(made, "Use.cs", "Use.All") >= {"Mapper.11.cs::Mapper.Read11"}
    assert any(each.endswith("::Mapper") for each in _calls(made, "Use.cs", "Use.All"))


def test_shared_items_and_linked_files_are_built_with_each_project() -> None:
    shared = '<Import Project="..\\Shared\\Shared.projitems" Label="Shared" />'
    made = graph(
        {
            "A/A.csproj": f"<Project>{shared}</Project>",
            "B/B.csproj": PROJECT.format('<Compile Include="..\\Linked\\**\\*.cs" />'),
            "Shared/Shared.projitems": "<Project></Project>",
            "Shared/Guard.cs": "namespace X { class Guard { public static void Check() { } } }",
            "Linked/in/Guard.cs": "namespace X { class Guard { public static void Check() { } } }",
            "A/Use.cs": "namespace X { class Use { void Run() { Guard.Check(); } } }",
            "B/Use.cs": "namespace X { class Use { void Run() { Guard.Check(); } } }",
        }
    )
    assert "Shared/Guard.cs::X.Guard.Check" in _calls(made, "A/Use.cs", "X.Use.Run")
    assert "Linked/in/Guard.cs::X.Guard.Check" in _calls(made, "B/Use.cs", "X.Use.Run")
    assert not any("Linked" in each for each in _calls(made, "A/Use.cs", "X.Use.Run"))


def test_a_project_s_other_settings_resolve_nothing_anew() -> None:
    before = PROJECT.format('<ProjectReference Include="../Core/Core.csproj" />')
    assert decides_imports("src/Web/Web.csproj")
    assert decides_imports("Directory.Build.props")
    versioned = before.replace("<ItemGroup>", "<Version>2.0</Version><ItemGroup>")
    assert declared("Web.csproj", before) == declared("Web.csproj", versioned)
    assert declared("Web.csproj", before) != declared("Web.csproj", PROJECT.format(""))


def test_parameters_of_types_are_members_and_what_is_walked_or_caught_has_a_type() -> None:
    made = graph(
        {
            "Shop.cs": """
                namespace A;
                public record Pair(Box First, int Size) { public int Twice() => Size + Size; }
                public class Box { public void Open() {} }
                public class Held<T> { public T Value; }
                public class Bad : System.Exception { public void Explain() {} }
                public class Shop(Box box) { public void Run() { box.Open(); } }
                """,
            "Use.cs": """
                namespace A;
                class Use {
                    void Run(Pair pair, Held<Box> held, System.Collections.Generic.List<Box> all) {
                        pair.First.Open();
                        foreach (var each in all) each.Open();
                        try {} catch (Bad bad) { bad.Explain(); }
                        held.Value.Open();
                    }
                }
                """,
        }
    )
    found = edges(made)
    assert ("Shop.cs", "Pair.Twice", "Shop.cs::Pair.Size") in found
    assert ("Shop.cs", "Shop.Run", "Shop.cs::Box.Open") in found
    opened = {e.line: e.score for e in made.resolutions["Use.cs"].edges
              if e.target.qualname == "Box.Open"}  # fmt: skip
    assert opened[5] == opened[6] == 1.0
    assert 0.25 < opened[8] < 0.5  # whatever T stands for
    assert ("Use.cs", "Use.Run", "Shop.cs::Bad.Explain") in found
    assert ("Use.cs", "Use.Run", "Shop.cs::Pair.First") in found


def test_blocks_of_extensions_are_extensions_of_their_receiver() -> None:
    made = graph(
        {
            "Client.cs": """
                namespace Rest;
                public class Client { public void Run() { } }
                public static class ClientExtensions
                {
                    extension(Client client)
                    {
                        public Client Get(string path) => client.Send(path);
                        internal Client Send(string path) { client.Run(); return client; }
                    }
                    extension<T>(IEnumerable<T> all) where T : class
                    {
                        public T One() => all.First();
                    }
                    public static void Close([In] this Client client) { client.Get("/"); }
                }
                """,
            "Use.cs": """
                using Rest;
                namespace Web;
                public class Page
                {
                    public void Open(Client client) { client.Get("a").Send("b").Close(); }
                }
                """,
        }
    )
    extensions = "ClientExtensions"
    assert [name.qualname for name in made.facts["Client.cs"].names] == [
        "Client", "Client.Run", extensions, f"{extensions}.Get", f"{extensions}.Send",
        f"{extensions}.One", f"{extensions}.Close",
    ]  # fmt: skip
    found = {target for _, source, target in edges(made) if source == "Page.Open"}
    called = {f"Client.cs::{extensions}.{name}" for name in ("Get", "Send", "Close")}
    assert found == {"Client.cs::Client", *called}
    inside = {(source, target) for _, source, target in edges(made)}
    assert (f"{extensions}.Send", "Client.cs::Client.Run") in inside
    assert (f"{extensions}.Get", f"Client.cs::{extensions}.Send") in inside


@pytest.mark.parametrize(("type_", "sure"), [("Action<int>", False), ("int", True)])
def test_a_property_that_holds_a_function_may_be_what_is_called(type_: str, sure: bool) -> None:
    made = graph(
        {
            "Rule.cs": f"""
                class Rule {{ public {type_} Validate {{ get; set; }} }}
                class Engine {{ public void Validate(int n) {{}} }}
                class Page {{ void Go(dynamic any) {{ any.Validate(1); }} }}
                """
        }
    )
    found = {(e.target.qualname, e.score >= 0.5) for e in made.resolutions["Rule.cs"].edges}
    assert ("Engine.Validate", sure) in found


def test_lambdas_are_handed_what_is_held_by_what_they_are_called_on() -> None:
    made = graph(
        {
            "Box.cs": """
                namespace N;
                public class Item { public int Quantity { get; set; } public int Price; }
                public class Order {
                    public List<Item> Items => _items;
                    readonly List<Item> _items = new();
                    public int Total() => _items.Sum(i => i.Quantity);
                }
                public class Other { public int Quantity { get; set; } }
                public class Options { public string Url { get; set; } }
                public class Context { public DbSet<Item> All { get; set; } }
            """,
            "Use.cs": """
                namespace N;
                public class Use {
                    void Run(Order order, IEnumerable<Order> orders,
                             EntityTypeBuilder<Item> builder, IServiceCollection services,
                             List<Other> others, Context db) {
                        var a = order.Items.Where(x => x.Quantity > 1).Select(x => x.Price);
                        var b = orders.Select(o => new View { Sum = o.Total() });
                        builder.Property(bi => bi.Price);
                        services.Configure<Options>(o => o.Url = "x");
                        others.ForEach((x) => { x.Quantity = 2; });
                        Assert.Contains(order.Items, x => x.Quantity == 3);
                        db.All.Any(x => x.Quantity == 1);
                        order.Items?.Any(async x => x.Quantity == 2);
                        unknown.Where(x => x.Price == 2);
                    }
                }
            """,
        }
    )
    wanted = {"Quantity", "Price", "Total", "Url"}
    sure = {
        (path, edge.line, edge.target.qualname)
        for path, resolution in made.resolutions.items()
        for edge in resolution.edges
        if edge.score == 1.0 and edge.target.qualname.rpartition(".")[2] in wanted
    }
    assert sure == {
        ("Box.cs", 7, "Item.Quantity"),
        ("Use.cs", 7, "Item.Quantity"),
        ("Use.cs", 7, "Item.Price"),
        ("Use.cs", 8, "Order.Total"),
        ("Use.cs", 9, "Item.Price"),
        ("Use.cs", 10, "Options.Url"),
        ("Use.cs", 11, "Other.Quantity"),
        ("Use.cs", 12, "Item.Quantity"),
        ("Use.cs", 13, "Item.Quantity"),
        ("Use.cs", 14, "Item.Quantity"),
    }


def test_what_a_delegate_gives_and_what_is_made_with_an_initializer_have_their_types() -> None:
    made = graph(
        {
            "a.cs": """\
                public delegate Res<T> Parse<T>(string text);
                public delegate Other Made();
                public class Res<T> { public bool Back; public void Done() {} }
                public class Other { public bool Back; public void Done() {} }
                static class Ext {
                  static Parse<T> Many<T>(this Parse<T> parser) =>
                    input => { var r = parser(input); if (r.Back) r.Done(); return r; };
                  static void F(Parse<int> p, Made m) { p("x").Done(); }
                  static void G(Made m) { m().Done(); }
                  static void H() { new Other { Back = true }.Done(); }
                }
                """
        }
    )
    assert uses(made, "a.cs") >= {
        (7, "Res.Back"), (7, "Res.Done"), (8, "Res.Done"), (9, "Other.Done"), (10, "Other.Done")
    }  # fmt: skip
