"""What names mean in Go, Java, C and C++, on small projects given as text."""

from __future__ import annotations

from textwrap import dedent

from surveyor.graph.facts import KIND_CODES, KIND_NAMES
from tests.graph.memory import edges, graph, imports, names, uses

INHERITANCE = KIND_CODES["inheritance"]


def test_go_packages_methods_and_embedding() -> None:
    made = graph(
        {
            "go.mod": "module example.com/app\n",
            "store/store.go": """
                package store

                type Base struct{}

                func (b *Base) Close() {}

                type Store struct {
                    Base
                    items map[string]int
                }

                func New() *Store { return &Store{} }
                """,
            "store/get.go": """
                package store

                func (s *Store) Get(key string) int { return s.items[key] }
                """,
            "main.go": """
                package main

                import db "example.com/app/store"

                func main() {
                    s := db.New()
                    s.Get("a")
                    s.Close()
                }
                """,
        }
    )
    found = edges(made)
    assert ("main.go", "main", "store/store.go::New") in found
    assert ("main.go", "main", "store/get.go::Store.Get") in found
    assert ("main.go", "main", "store/store.go::Base.Close") in found
    assert ("store/get.go", "Store.Get", "store/store.go::Store.items") in found
    assert ("example.com/app/store", "store/get.go", "") in imports(made, "main.go")


def test_java_packages_inheritance_and_fields() -> None:
    made = graph(
        {
            "src/a/Base.java": "package a;\npublic class Base { protected void log() {} }\n",
            "src/a/b/Service.java": """
                package a.b;
                import a.Base;
                import static a.Util.trim;

                public class Service extends Base {
                    private final Repo repo = new Repo();
                    public void run(String s) { log(); repo.find(trim(s)); }
                }
                """,
            "src/a/b/Repo.java": "package a.b;\nclass Repo { void find(String s) {} }\n",
            "src/a/Util.java": """
                package a;
                public class Util { public static String trim(String s) { return s; } }
                """,
        }
    )
    found = edges(made)
    service = "src/a/b/Service.java"
    assert (service, "Service.run", "src/a/Base.java::Base.log") in found
    assert (service, "Service.run", "src/a/b/Repo.java::Repo.find") in found
    assert (service, "Service.run", "src/a/Util.java::Util.trim") in found
    assert (service, "Service", "src/a/Base.java::Base") in found


def test_c_includes_lead_to_declaration_and_definition() -> None:
    made = graph(
        {
            "include/list.h": "struct list { int n; };\nint list_add(struct list *l);\n",
            "src/list.c": '#include "list.h"\nint list_add(struct list *l) { return l->n; }\n',
            "src/main.c": """
                #include <list.h>
                int main(void) { struct list l; return list_add(&l); }
                """,
        }
    )
    found = edges(made)
    assert ("src/main.c", "main", "include/list.h::list_add") in found
    assert ("src/main.c", "main", "src/list.c::list_add") in found
    assert ("src/main.c", "main", "include/list.h::list") in found
    assert ("src/list.c", "list_add", "include/list.h::list.n") in found


def test_a_go_package_whose_path_ends_with_its_version() -> None:
    made = graph(
        {
            "go.mod": "module example.org/web/go-router/v5\n",
            "mux.go": "package router\nfunc New() int { return 1 }\n",
            "sub/use.go": """
                package sub
                import "example.org/web/go-router/v5"
                func Use() int { return router.New() }
                """,
        }
    )
    assert ("sub/use.go", "Use", "mux.go::New") in edges(made)


def test_c_and_cpp_are_read_through_macros_and_conditionals() -> None:
    made = graph(
        {
            "db.h": """
                namespace db {
                class LOCKABLE Mutex {};
                class Set {
                 public:
                  LIB_API int Apply(int edit) LOCKS_REQUIRED(mutex_);
                };
                class Impl {
                  void Run();
                  Set* const versions_ GUARDED_BY(mutex_);
                  class Iter;
                };
                class Impl::Iter {
                  void Next() { helper(); }
                  void helper();
                };
                }
                """,
            "db.cc": """
                #include "db.h"
                namespace db {
                Limiter::Limiter(int max)
                    :
                #if !defined(NDEBUG)
                      max_(max),
                #endif
                      left_(max) {
                }
                void Impl::Run() { versions_->Apply(1); }
                }
                """,
            "main.c": """
                START_DECLARATIONS
                static int walk(int a) {
                #ifdef _WIN32
                  if (a) {
                #else
                  if (a + 1) {
                #endif
                    return 1;
                  }
                  return 0;
                }
                int main(void) { return walk(1); }
                """,
        }
    )
    found = edges(made)
    assert ("db.cc", "db.Impl.Run", "db.h::db.Set.Apply") in found
    assert ("db.h", "db.Impl.Iter.Next", "db.h::db.Impl.Iter.helper") in found
    assert ("main.c", "main", "main.c::walk") in found


def test_files_that_c_includes_under_other_endings() -> None:
    made = graph(
        {
            "src/main.c": '#include "table.inc"\n#include "ops.def"\n'
            "int go(void) { return one(); }\n",
            "src/table.inc": "static int one(void) { return 1; }\n",
            "src/ops.def": "#ifndef OP\n#define OP(x)\n#endif\nOP(ADD)\n",
            "src/list.hpp": '#include "list.tcc"\n',
            "src/list.tcc": "template <class T> T first(T value) { return value; }\n",
            "web/page.inc": "<?php\nfunction page() {}\n",
        }
    )
    assert ("src/main.c", "go", "src/table.inc::one") in edges(made)
    included = {target for _, target, _ in imports(made, "src/main.c")}
    assert included == {"src/table.inc", "src/ops.def"}
    languages = {path: facts.language for path, facts in made.facts.items()}
    assert languages["src/ops.def"] == "c" and languages["src/list.tcc"] == "cpp"
    assert languages["web/page.inc"] == "php"


def test_cpp_calls_by_long_paths_and_members_that_a_file_may_not_see() -> None:
    made = graph(
        {
            "a.h": """
                namespace a { namespace b {
                class C {
                 public:
                  static void stat();
                  template <class T> static void made();
                  int inner;
                };
                } }
                """,
            "unseen.h": "struct Day {\n  int monday;\n};\n",
            "a.cc": """
                #include "a.h"
                void f() {
                  a::b::C::stat();
                  a::b::C::made<int>();
                  for (auto& each : table) { each.monday; each.inner; }
                }
                """,
        }
    )
    found = made.resolutions["a.cc"].edges
    calls = {(e.line, e.target.qualname) for e in found if KIND_NAMES[e.kind] == "call"}
    assert calls == {(4, "a.b.C.stat"), (5, "a.b.C.made")}
    reads = {e.target.qualname: e.score for e in found if e.line == 6}
    assert reads["a.b.C.inner"] > 0.5 > reads["Day.monday"]  # what is not included is a guess


def test_a_macro_of_a_function_is_no_other_functions_and_a_foreign_type_has_nothing_of_ours() -> (
    None
):
    made = graph(
        {
            "src/lib.rs": """
                pub fn check() {
                    macro_rules! assert_eq { ($a:expr) => {}; }
                    assert_eq!(1);
                }
                pub fn other() {
                    assert_eq!(2);
                }
                """,
            "Enforce.cs": """
                static class Enforce
                {
                    public static void NotNull(object value) { }
                    void Run() { Assert.NotNull(this); Enforce.NotNull(this); }
                }
                """,
        }
    )
    assert {line for line, name in uses(made, "src/lib.rs") if "assert_eq" in name} <= {3, 4}
    assert len([1 for e in made.resolutions["Enforce.cs"].edges if e.score >= 0.5
                and e.target.qualname == "Enforce.NotNull"]) == 1  # fmt: skip


def test_go_elements_of_an_array_with_a_length() -> None:
    made = graph(
        {
            "go.mod": "module m\n",
            "a.go": """
                package m

                type node struct {
                    children [kinds + 1]nodes
                }
                type nodes []*node

                func (ns nodes) find(l byte) *node { return nil }
                func (n *node) find(l byte) *node { return nil }
                func walk(n *node) {
                    for _, child := range n.children {
                        child.find('x')
                    }
                }
                """,
        }
    )
    assert ("a.go", "walk", "a.go::nodes.find") in edges(made)
    assert ("a.go", "walk", "a.go::node.find") not in edges(made)


def test_a_class_without_a_name_is_not_the_class_around_it() -> None:
    files = {
        "a.php": """
            <?php
            interface Check {}
            class T {
                function test() {
                    $c = new class implements Check {
                        function ok() {}
                    };
                }
            }
            """,
        "B.java": """
            interface Check {}
            class T {
                void test() {
                    Check c = new Check() {
                        public void ok() {}
                    };
                }
            }
            """,
        "c.ts": """
            class Check {}
            class T {
                test() {
                    return new (class extends Check {
                        ok() {}
                    })();
                }
            }
            """,
        "d.kt": """
            interface Check
            class T {
                fun test() {
                    val c = object : Check {
                        fun ok() {}
                    }
                }
            }
            """,
    }
    made = graph({path: dedent(text).lstrip() for path, text in files.items()})
    for path, resolution in made.resolutions.items():
        below = [edge.source for edge in resolution.edges if edge.kind == INHERITANCE]
        assert below == ["T.test"], path
        assert "T" not in made.facts[path].bases, path


def test_macros_and_constants_of_files_that_are_not_included_are_not_meant() -> None:
    made = graph(
        {
            "harness.h": "#define TEST(a, b) void a##b()\nvoid helper(int);\nenum { LOUD };\n",
            "own.h": "#define OWN(a) a\n",
            "other.cc": "#define STEP(a) a\nenum Order { FRESH };\nvoid linked() {}\n",
            "foreign.cc": """
                #include "gtest/gtest.h"
                #include "own.h"
                void use() { TEST(1, 2); OWN(1); STEP(1); helper(FRESH); linked(); }
                """,
            "plain.cc": """
                #include <sys/types.h>
                void use() { TEST(1, 2); STEP(1); int x = LOUD; }
                """,
        }
    )

    def sure(path: str) -> set[str]:
        return {name for _, name in uses(made, path)}

    assert sure("foreign.cc") == {"OWN", "helper", "linked"}
    assert "TEST" in sure("plain.cc") and "STEP" not in sure("plain.cc")


def test_what_macros_of_c_stand_for_uses_what_it_names() -> None:
    made = graph(
        {
            "own.h": """
                #include "other.h"
                #define ADD_READ(ctx)                                \\
                    do {                                             \\
                        refresh(ctx);                                \\
                        if ((ctx)->ev.add) (ctx)->ev.add((ctx)->ev); \\
                    } while (0)
                #define PICK(size, b) ((size) > (b) ? pick(size) : (b))
                #define TWICE (LIMIT * 2)
                #define copied strong_copy
                #define JOIN(a) a##_copy
                static inline void refresh(struct ctx *c) {}
                """,
            "other.h": "#define LIMIT 10\nint pick(int a);\nint size;\n"
            "char *strong_copy(char *c);\nvoid add(void);\n",
        }
    )
    found = {
        (edge.source, edge.target.qualname, KIND_NAMES[edge.kind])
        for edge in made.resolutions["own.h"].edges
        if edge.score >= 0.5
    }
    assert found == {
        ("ADD_READ", "refresh", "call"),
        ("PICK", "pick", "call"),
        ("TWICE", "LIMIT", "read"),
        ("copied", "strong_copy", "read"),
    }


def test_a_bare_name_in_a_macro_may_be_a_member_of_what_surrounds_its_invocation() -> None:
    made = graph(
        {
            "logger.h": """
                #define CATCH(p) \\
                    catch (const std::exception &ex) { fail_(ex.what()); last_ = 1; flush(p); }
                class Logger {
                    void log() { try { } CATCH(0) }
                    void fail_(const char *text);
                    int last_;
                };
                void flush(int p);
                """,
            "other.h": "class Other { void fail_(); void flush(); };\n",
        }
    )
    found = {
        (edge.target.path, edge.target.qualname, edge.score >= 0.25, edge.score >= 0.5)
        for edge in made.resolutions["logger.h"].edges
        if edge.source == "CATCH"
    }
    assert found == {
        ("logger.h", "Logger.fail_", True, False),  # what the macro's own file sees is likelier
        ("other.h", "Other.fail_", False, False),
        ("logger.h", "Logger.last_", True, False),
        ("logger.h", "flush", True, True),
    }


def test_what_comes_of_a_type_of_elsewhere_is_no_receiver_of_the_projects_methods() -> None:
    made = graph(
        {
            "Replacer.cs": """
                class Replacer { public static int Replace(int a, int b) => a; }
                class Other {
                    void Use(string text) {
                        var pattern = Regex.Escape(text).Replace("a", "b");
                        var one = Replacer.Replace(1, 2);
                    }
                }
                """
        }
    )
    assert {use for use in uses(made, "Replacer.cs") if use[1].endswith(".Replace")} == {
        (6, "Replacer.Replace")
    }


def test_other_names_for_a_type_of_c_are_the_type() -> None:
    made = graph(
        {
            "box.h": """
                namespace shop { class Box; class Lid; using lid_ptr = std::shared_ptr<shop::Lid>; }
                namespace shop {
                class Lid { public: void shut(); };
                class Box { public: void shut(); };
                template <typename T> class Shelf { public: static int size(); };
                using Plain = Box;
                using wide_shelf = Shelf<wchar_t>;
                typedef std::unique_ptr<Box> Old;
                typedef Lid *Star;
                typedef struct Inner { int size; } Outer;
                }
                """,
            "use.cpp": """
                #include "box.h"
                void use(shop::lid_ptr a, shop::Plain &b, shop::Old c, shop::Star d) {
                    a->shut();
                    b.shut();
                    c->shut();
                    d->shut();
                    shop::wide_shelf::size();
                }
                """,
        }
    )
    members = {use for use in uses(made, "use.cpp") if use[1].endswith((".shut", ".size"))}
    assert members == {
        (4, "shop.Lid.shut"),
        (5, "shop.Box.shut"),
        (6, "shop.Box.shut"),
        (7, "shop.Lid.shut"),
        (8, "shop.Shelf.size"),
    }


def test_cpp_macros_in_lines_of_their_own_hide_nothing_and_are_used_there() -> None:
    made = graph(
        {
            "box.hpp": """
                #ifdef __GNUC__
                #define BOX_POP _Pragma("pop")
                #define BOX_IGNORE(x) _Pragma(x)
                #define box_pure [[nodiscard]]
                #else
                #define box_pure
                #endif
                class Value {
                  public:
                  BOX_IGNORE("-Wnull")
                #if !defined(__GNUC__) || __GNUC__ >= 10
                  BOX_IGNORE("-Wnull")
                #endif
                  BOX_NODISCARD
                  bool ready() const;
                  box_pure const std::string& key() const { return key_; }
                };
                BOX_POP

                namespace errors {
                class Error { public: BOX_NODISCARD const char* what() const; };
                }
                """,
        }
    )
    defined = set(names(made, "box.hpp"))
    assert {"Value.ready", "Value.key", "errors", "errors.Error", "errors.Error.what"} <= defined
    used = [use for _, use in sorted(uses(made, "box.hpp")) if use.lower().startswith("box_")]
    assert used == ["BOX_IGNORE", "BOX_IGNORE", "box_pure", "BOX_POP"]


def test_cpp_macros_that_begin_statements_leave_a_class_whole() -> None:
    made = graph(
        {
            "box.hpp": """
                class Box {
                public:
                    void open() {
                        MY_TRY {
                            lift();
                        }
                        MY_CATCH(...) {}
                        LIST_FOREACH(each, head, next) {
                            lift();
                        }
                        list_for_each(each, head) {
                            lift();
                        }
                    }
                    void lift();
                    int size_;
                };
                """,
            "call.c": """
                static int helper(int a) { return a; }
                JNIEXPORT jint JNICALL Java_open(JNIEnv *env) { return helper(1); }
                INLINE static HANDLE take(int a) { helper(a); }
                void STDCALL hook(int a) { helper(a); }
                """,
        }
    )
    assert names(made, "box.hpp") == ["Box", "Box.open", "Box.lift", "Box.size_"]
    assert names(made, "call.c") == ["helper", "Java_open", "take", "hook"]
    lifted = [e.line for e in made.resolutions["box.hpp"].edges if e.target.qualname == "Box.lift"]
    assert lifted == [6, 10, 13]
    for caller in ("Java_open", "take", "hook"):
        assert ("call.c", caller, "call.c::helper") in edges(made)


def test_an_object_that_gives_itself_and_types_beside_their_constructors() -> None:
    made = graph(
        {
            "pool.h": """
                #include <memory>
                namespace db {
                class Pool : public std::enable_shared_from_this<Pool> {
                  public:
                    Pool(int size);
                    void start();
                    void take(int one);
                };
                class Other : public std::enable_shared_from_this<Other> {
                  public:
                    void take(int one);
                };
                }
                """,
            "pool.cc": """
                #include "pool.h"
                using namespace db;
                Pool::Pool(int size) {}
                void Pool::start() {
                    std::weak_ptr<Pool> weak = shared_from_this();
                    run([weak]() {
                        auto self = weak.lock();
                        self->take(1);
                    });
                    auto own = shared_from_this();
                    run([own]() { own->take(2); });
                    run([self = shared_from_this()]() { self->take(3); });
                    weak_from_this()->take(4);
                }
                void Pool::take(int one) {}
                """,
        }
    )
    found = {
        (edge.line, edge.target.qualname)
        for edge in made.resolutions["pool.cc"].edges
        if edge.target.qualname.endswith("take") and edge.score >= 0.5
    }
    lines = (9, 12, 13, 14)
    names = ("Pool.take", "db.Pool.take")
    assert found == {(line, name) for line in lines for name in names}


def test_a_grammar_of_yacc_uses_what_its_rules_do() -> None:
    made = graph(
        {
            "list.h": (
                "#define printflike(a, b) __attribute__((format(printf, a, b)))\n"
                "void printflike(1, 2) report(const char *, ...);\n"
                "void list_free(int);\n"
            ),
            "list.c": '#include "list.h"\nvoid list_free(int a) {}\n'
            "void printflike(1, 2)\nreport(const char *text, ...)\n{\n}\n"
            "void run(void) {}\n",
            "parse.y": """
                %{
                #include "list.h"
                static int last(int);
                %}
                %union { int number; }
                %token <number> ONE
                %%
                lines : /* nothing { */
                      | lines ONE
                        {
                            list_free($2);
                            $$ = last($1);
                        }
                      | '{' { report("}"); }
                      ;
                %%
                static int last(int a) { report("last"); return a; }
                """.replace("\n                ", "\n").lstrip("\n"),
        }
    )
    found = edges(made)
    assert {
        ("parse.y", "", "list.c::list_free"),
        ("parse.y", "", "list.c::report"),
        ("parse.y", "", "parse.y::last"),
        ("parse.y", "last", "list.c::report"),
    } <= found
    lines = {line for line, name in uses(made, "parse.y") if name == "list_free"}
    assert lines == {11} and names(made, "parse.y") == ["last", "last"]
    assert not {("list.h", "", "list.c::report"), ("list.c", "", "list.c::report")} & found
    assert names(made, "list.c") == ["list_free", "report", "run"]


def test_pointers_of_other_libraries_are_what_they_point_to() -> None:
    made = graph(
        {
            "h.h": """
                class Tool { public: void draw(); };
                class Config {
                    QSharedPointer<Tool> shared(int a);
                    QPointer<Tool> active();
                    boost::intrusive_ptr<Tool> m_tool;
                    scoped_refptr<Tool> m_other;
                    void run();
                };
            """,
            "c.cpp": """
                #include "h.h"
                void Config::run() {
                    shared(1)->draw();
                    auto tool = active();
                    tool->draw();
                    m_tool->draw();
                    m_other->draw();
                }
            """,
        }
    )
    found = {line for line, name in uses(made, "c.cpp") if name == "Tool.draw"}
    assert found == {4, 6, 7, 8}
