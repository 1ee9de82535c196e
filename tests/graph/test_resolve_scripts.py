"""What names mean in C#, Ruby and PHP, on small projects given as text."""

from __future__ import annotations

from surveyor.graph.facts import KIND_NAMES
from tests.graph.memory import edges, graph, imports, uses


def test_csharp_ruby_and_php() -> None:
    made = graph(
        {
            "A.cs": """
                namespace N {
                    public class A : B {
                        private readonly Repo repo = new Repo();
                        void M() {
                            repo.Get();
                            Log();
                        }
                    }
                }
                """,
            "B.cs": """
                namespace N {
                    public class B {
                        protected void Log() {}
                    }
                    public class Repo {
                        public void Get() {}
                    }
                }
                """,
            "lib/a.rb": """
                require_relative 'b'
                class A < B
                  def initialize
                    @repo = Repo.new
                  end

                  def run
                    @repo.fetch_all
                    log_it
                  end
                end
                """,
            "lib/b.rb": """
                class B
                  def log_it; end
                end

                class Repo
                  def fetch_all; end
                end
                """,
            "src/A.php": """<?php
                namespace App;
                use App\\Db\\Repo;
                class A extends Base {
                    public function __construct(private Repo $repo) {}
                    public function run(): void { $this->repo->all(); $this->log(); }
                }
                """,
            "src/Base.php": "<?php\nnamespace App;\nclass Base { protected function log() {} }\n",
            "src/Db/Repo.php": """<?php
                namespace App\\Db;
                class Repo { public function all() {} }
                """,
        }
    )
    found = {(path, target.rpartition(".")[2]) for path, _, target in edges(made)}
    assert ("A.cs", "Get") in found and ("A.cs", "Log") in found
    assert ("lib/a.rb", "fetch_all") in found and ("lib/a.rb", "log_it") in found
    assert ("src/A.php", "all") in found and ("src/A.php", "log") in found
    assert ("./b", "lib/b.rb", "") in imports(made, "lib/a.rb")


def test_namespaces_of_php_are_named_from_where_a_file_is_from_what_it_uses_and_from_the_root() -> (
    None
):
    made = graph(
        {
            "src/Tools.php": """<?php
                namespace Shop\\Web;
                class Tools { public static function trim() {} }
                """,
            "src/Other.php": """<?php
                namespace Elsewhere\\Web;
                class Tools { public static function trim() {} }
                """,
            "tests/Used.php": """<?php
                namespace Shop\\Tests\\Web;
                use Shop\\Web;
                use Shop\\Web as W;
                function used() { Web\\Tools::trim(); W\\Tools::trim(); }
                """,
            "src/Near.php": """<?php
                namespace Shop;
                function near() { Web\\Tools::trim(); }
                """,
            "src/Root.php": """<?php
                namespace Far;
                function root() { \\Shop\\Web\\Tools::trim(); }
                """,
            "src/Stranger.php": """<?php
                namespace Far;
                use Vendor\\Web;
                function stranger() { Web\\Tools::trim(); }
                """,
        }
    )
    calls = {
        path: [
            (edge.target.path, edge.target.qualname)
            for edge in made.resolutions[path].edges
            if KIND_NAMES[edge.kind] == "call" and edge.target.qualname.endswith("trim")
        ]
        for path in ("tests/Used.php", "src/Near.php", "src/Root.php", "src/Stranger.php")
    }
    right = ("src/Tools.php", "Tools.trim")
    assert set(calls.pop("tests/Used.php")) == {right}
    assert calls.pop("src/Stranger.php") == []
    assert all(found == [right] for found in calls.values()), calls


def test_ruby_classes_are_instantiated_and_kernel_is_no_class_of_the_project() -> None:
    made = graph(
        {
            "lib/files.rb": "module Rack\n  class Files\n    def fail(status); end\n  end\nend\n",
            "lib/use.rb": "def use\n  Rack::Files.new\n  fail 'no'\nend\n",
        }
    )
    found = {
        (edge.target.qualname, KIND_NAMES[edge.kind])
        for edge in made.resolutions["lib/use.rb"].edges
    }
    assert ("Rack.Files", "instantiation") in found
    assert not [name for name, _ in found if name == "Rack.Files.fail"]


def test_ruby_constants_are_looked_up_from_the_modules_around() -> None:
    made = graph(
        {
            "lib/base.rb": """
                module Shop
                  module Guard
                    class Base
                      def check; end
                    end
                  end
                end
                """,
            "lib/other.rb": "class Base\n  def check; end\nend\n",
            "lib/token.rb": """
                module Shop
                  module Guard
                    Short = Base
                    class Token < Base
                      def run; check; end
                    end
                    class Alias < Short; end
                  end
                end
                """,
        }
    )
    found = edges(made)
    assert ("lib/token.rb", "Shop.Guard.Token", "lib/base.rb::Shop.Guard.Base") in found
    assert ("lib/token.rb", "Shop.Guard.Token.run", "lib/base.rb::Shop.Guard.Base.check") in found
    assert not [each for each in found if each[2].startswith("lib/other.rb")]
    assert made.facts["lib/token.rb"].bases["Shop.Guard.Alias"] == ["Short"]


def test_ruby_methods_run_by_their_names_and_give_what_their_last_line_is() -> None:
    made = graph(
        {
            "lib/query.rb": """
                class Query
                  def self.make(limit)
                    new limit
                  end
                  def initialize(limit); end
                  def normalize(text); end
                end
                """,
            "lib/request.rb": """
                require_relative 'query'
                module Settings
                  class << self
                    attr_accessor :default
                  end
                  self.default = Query.make(3).freeze
                end
                class Request
                  def query
                    @query || Settings.default
                  end
                  def missing; end
                  def run
                    missing
                    query.normalize("x")
                  end
                end
                """,
        }
    )
    kinds = {
        (edge.source, edge.target.qualname, KIND_NAMES[edge.kind])
        for edge in made.resolutions["lib/request.rb"].edges
    }
    assert ("Request.run", "Request.missing", "call") in kinds
    assert ("Request.run", "Query.normalize", "call") in kinds


def test_extensions_of_types_that_the_project_does_not_define() -> None:
    csharp = graph(
        {
            "Ext.cs": """
                namespace A;

                static class Ext
                {
                    public static bool IsOpen(this Type type, Type other) => false;
                    public static string Shout(this string text) => text;
                    public static int Weigh(this Car car) => Name();
                    static int Name() => 1;
                }
                """,
            "Car.cs": """
                namespace A;

                class Car
                {
                    Type kind;
                    string Name() => "";

                    bool Check(Type type, Car other, Plate plate)
                    {
                        type.IsOpen(kind);
                        kind.IsOpen(type);
                        plate.Made.IsOpen(type);
                        "a".Shout();
                        other.Weigh();
                        other.Shout();
                    }
                }

                class Plate { public Type Made { get; set; } }
                """,
        }
    )
    assert uses(csharp, "Car.cs") >= {
        (11, "Ext.IsOpen"),
        (12, "Ext.IsOpen"),
        (13, "Ext.IsOpen"),
        (14, "Ext.Shout"),
        (15, "Ext.Weigh"),
    }
    assert not any(line == 16 and name == "Ext.Shout" for line, name in uses(csharp, "Car.cs"))
    assert (8, "Ext.Name") in uses(csharp, "Ext.cs")  # not the car's

    swift = graph(
        {
            "a.swift": """
                extension String { func shout() {} }
                class Car {
                    var name: String = ""
                    var seats: Data
                    func go(text: String) {
                        text.shout()
                        self.name.shout()
                        self.seats.shout()
                    }
                }
                """
        }
    )
    called = {line for line, name in uses(swift, "a.swift") if name == "String.shout"}
    assert called == {7, 8}

    dart = graph(
        {
            "a.dart": """
                extension Shouts on String { String shout() => ""; }
                class Car {
                    String name = "";
                    Uri seats;
                    void go(String text) {
                        text.shout();
                        name.shout();
                        seats.shout();
                    }
                }
                """
        }
    )
    called = {line for line, name in uses(dart, "a.dart") if name == "Shouts.shout"}
    assert called == {7, 8}


def test_a_ruby_test_means_the_helper_of_its_own_tests() -> None:
    made = graph(
        {
            "lib/helpers.rb": "module Helpers\n  def mock_app\n  end\nend\n",
            "test/helper.rb": "class Helped\n  def mock_app\n  end\nend\n",
            "test/use_test.rb": "class UseTest\n  def test_it\n    mock_app(1)\n  end\nend\n",
        }
    )
    found = edges(made)
    assert ("test/use_test.rb", "UseTest.test_it", "test/helper.rb::Helped.mock_app") in found
    assert not any(target.startswith("lib/") for _, _, target in found)


def test_ruby_has_what_a_new_one_does_and_no_method_for_a_variable() -> None:
    made = graph(
        {
            "a.rb": """
                module Mix
                  def gap(other)
                    Delta.new(self, other).gap(1)
                  end
                  class Delta
                    def gap(x); end
                  end
                end
                class Source
                  attr_reader :name
                  def sorted
                    @sorted ||= @name
                  end
                end
                """
        }
    )
    found = edges(made)
    assert ("a.rb", "Mix.gap", "a.rb::Mix.Delta.gap") in found
    assert ("a.rb", "Source.sorted", "a.rb::Source.name") in found
    assert ("a.rb", "Source.sorted", "a.rb::Source.sorted") not in found


def test_ruby_constants_that_are_opened_elsewhere_may_be_meant() -> None:
    found = edges(
        graph(
            {
                "lib/filter.rb": "module App\n  class Filter\n    def glob?(x); end\n  end\nend\n",
                "test/helper.rb": "include App\n",
                "test/test_filter.rb": """
                    class TestFilter < Unit
                      def setup
                        @filter = Filter.new(1)
                      end
                      def test_it
                        @filter.glob?(2)
                      end
                    end
                    """,
            }
        )
    )
    assert ("test/test_filter.rb", "TestFilter.test_it", "lib/filter.rb::App.Filter.glob?") in found


def test_ruby_blocks_are_run_on_what_the_method_that_takes_them_says() -> None:
    made = graph(
        {
            "app.rb": """
                module App
                  class Base
                    def self.set(a) end
                    def get(a) end
                  end
                  def self.make(base = Base, &block)
                    base = Class.new(base)
                    base.class_eval(&block) if block_given?
                  end
                end
                """,
            "test/helper.rb": """
                class Minitest::Test
                  def mock_app(base = App::Base, &block)
                    App.make(base, &block)
                  end
                  def loud_app(&block)
                    mock_app do
                      set :loud
                      class_eval(&block)
                    end
                  end
                end
                """,
            "builder.rb": "class Builder\n  def initialize(&block)\n"
            "    instance_eval(&block)\n  end\n  def use(a) end\nend\n",
            "other.rb": "class Table\n  def set(a) end\n  def only_here(a) end\nend\n",
            "test/app_test.rb": """
                class AppTest < Minitest::Test
                  it 'sets' do
                    mock_app { set :a; get('/') { set 1 } }
                    loud_app { set :b }
                    App::Base.class_eval { set :c }
                    Class.new(App::Base) { set :d }
                    set :nothing; Builder.new { use 1 }
                    only_here 1
                  end
                end
                """,
        }
    )
    found = uses(made, "test/app_test.rb")
    assert {line for line, name in found if name == "App.Base.set"} == {4, 5, 6, 7}
    assert (4, "App.Base.get") in found and (4, "Minitest.Test.mock_app") in found
    assert (8, "Builder.use") in found
    assert not {name for line, name in found if line > 8}
    assert (8, "App.Base.set") not in found
    assert (8, "App.Base.set") in uses(made, "test/helper.rb")


def test_ruby_classes_have_what_an_included_module_extends_them_with() -> None:
    made = graph(
        {
            "lib/base.rb": "module Shop\n  module Base\n    class << self\n"
            "      def included(base)\n        base.extend ClassMethods\n      end\n    end\n"
            "    module ClassMethods\n"
            "      def start; end\n      def opts; end\n    end\n  end\nend\n"
            "module ClassMethods\n  def start; end\nend\n",
            "lib/shelf.rb": "class Shelf\n  include Shop::Base\n  def self.go\n    opts\n  end\n"
            "  def check\n    self.class.start\n  end\nend\nclass Other\n  def check; end\nend\n",
            "tool.thor": "class Deep < Shelf; end\nDeep.start\n",
            "spec/a_spec.rb": "def kept\n  @kept ||= Shelf.new\nend\n"
            "describe Shelf do\n  it { kept.check }\nend\n",
            "spec/extra.rb": "class Cow\n  def describe; end\nend\n",
        }
    )
    assert (4, "Shop.Base.ClassMethods.opts") in uses(made, "lib/shelf.rb")
    assert (7, "Shop.Base.ClassMethods.start") in uses(made, "lib/shelf.rb")
    assert (2, "Shop.Base.ClassMethods.start") in uses(made, "tool.thor")
    found = uses(made, "spec/a_spec.rb")
    assert (5, "Shelf.check") in found
    assert not {name for _, name in found if name.startswith(("Other", "Cow"))}


def test_methods_that_are_handed_over_by_their_names_are_used() -> None:
    made = graph(
        {
            "Base.php": """<?php
                abstract class Base {
                    abstract function chunk($a);
                    static function make($x) {}
                    function run(Lid $lid, $data) {
                        array_map([$this, 'chunk'], $data);
                        usort($data, array(self::class, 'make'));
                        route('/', [Base::class, "make"]);
                        on([$lid, 'open']);
                        keep(['this', 'chunk'], [$data, 2]);
                    }
                }
                class Lid { function open() {} }
                """,
            "human.rb": """
                class Human
                  alias_method :kept, :first
                  def go(routes, box)
                    routes.map(&method(:second))
                    send(:third, 1)
                    Box.new.public_send(:open)
                    respond_to?(:first)
                  end
                  def first(r) = r
                  def second(r) = r
                  def third(r) = r
                end
                class Box
                  def open; end
                end
                """,
        }
    )
    methods = {"chunk", "make", "open", "first", "second", "third"}
    found = {
        path: {(line, name) for line, name in uses(made, path) if name.split(".")[-1] in methods}
        for path in ("Base.php", "human.rb")
    }
    assert found["Base.php"] == {
        (6, "Base.chunk"),
        (7, "Base.make"),
        (8, "Base.make"),
        (9, "Lid.open"),
    }
    assert found["human.rb"] == {
        (3, "Human.first"), (5, "Human.second"), (6, "Human.third"), (7, "Box.open"),
    }  # fmt: skip
