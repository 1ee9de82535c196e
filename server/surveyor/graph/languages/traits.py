"""What differs by language where names are read and resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from surveyor.graph.expressions.model import Expression
from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.languages.readers import Binding, Found
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "COMMON_MEMBERS",
    "GlobalNames",
    "LocalImportReader",
    "MembersElsewhere",
    "Traits",
    "ValueReader",
]

_COMMON_WORDS = """
abort add addEventListener all any append apply assign at body call catch charAt clear clone close
concat contains copy count decode delete dispatchEvent dump each emit empty encode endsWith
endswith entries equals every exec exists extend fill filter finally find findIndex first flat
flatMap flush forEach format from fromEntries get getattr group groups has hashCode headers
includes index indexOf insert invoke is_empty items iter join json key keys last len length lower
lstrip map match max message method min name new next of off on once open or_else parse path peek
pop popleft push put read readline reduce reject remove removeEventListener replace replaceAll
resolve reverse rstrip run seek send set shift signal size slice some sort splice split start
startsWith startswith status statusCode stop string strip sub substr substring sum test then
toLowerCase toString toUpperCase to_string trim type unwrap update upper url value valueOf values
wait write
"""
COMMON_MEMBERS = frozenset(_COMMON_WORDS.split())
"""Members that strings, lists, maps, files, promises and options have in most languages."""
_NONE = frozenset[str]()

ValueReader: TypeAlias = "Callable[[Node], Expression | None]"
BindingReader: TypeAlias = "Callable[[Node], Iterator[Binding]]"
ImportReader: TypeAlias = "Callable[[Node], Found]"
ImpliedReader: TypeAlias = "Callable[[Node], Iterator[tuple[Node, Expression, str]]]"
LocalImportReader: TypeAlias = "Callable[[Node], Iterator[tuple[str, str, str]]]"


class MembersElsewhere(msgspec.Struct, frozen=True):
    """How members are told to be a type's that stand outside of it, in other files perhaps."""

    same_folder: bool = False
    """They stand in files of the type's folder."""
    full_name: bool = False
    """They name the type in full."""
    unless_defined: bool = False
    """Not those in a file that defines a type of the name itself."""
    partial: bool = False
    """They stand in other parts of the type: of the same full name, its package's included, and
    built with it."""


class GlobalNames(msgspec.Struct, frozen=True):
    """Which names without an import may mean what any file of the family defines."""

    only_macros: bool = False
    methods: bool = False
    """Methods are called without a receiver."""
    common: bool = True
    """Names of `COMMON_MEMBERS` too, where no type is meant."""
    built_in: frozenset[str] = _NONE
    """Names that mean nothing of the project."""
    only_told: bool = False
    """Those alone that a file says it defines for all others (`readers.GLOBAL`)."""
    is_declared: bool = False
    """Several definitions of one qualified name are one thing: its declaration and its body."""


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """One language. The defaults are those of a language that no family describes."""

    family: str
    """Languages of one family see each other's names."""
    file_classes: tuple[str, ...] = ()
    """Endings of a file's name, with which the platform's other languages name the class of what
    the file defines outside of classes: `UtilKt`, or `Util` where it says so (Kotlin)."""
    platform: str = ""
    """Families of one platform see each other's packages, types and members: those of the JVM."""

    # --- words
    self_words: frozenset[str] = frozenset({"this"})
    """What an object or its class is called inside of it."""
    class_words: frozenset[str] = frozenset()
    """Those of `self_words` that mean the class itself: Python's `cls`."""
    mangles_names: bool = False
    """A name with two underscores before it, and none behind, is a class's own (Python)."""
    class_member: str = ""
    """The member that gives an object's class: Python's `__class__`."""
    given_fixtures: frozenset[str] = _NONE
    """Parameters of tests that come from elsewhere, where the project has no such fixture."""
    super_words: frozenset[str] = frozenset({"super"})
    """What an object's base is called inside of it."""
    self_calls: frozenset[str] = _NONE
    """Functions without a receiver that give the object itself, whatever it inherits them from
    (`shared_from_this()` of C++)."""
    module_words: frozenset[str] = _NONE
    """Modules by words that every file has."""
    outer_module: str = ""
    """Of these the one that means the module around: in a module that stands in a file, that file
    or the module around in it."""
    self_is_module: bool = False
    """Outside of types a word for the object means the file."""
    built_in_names: frozenset[str] = _NONE
    """Values that are there everywhere."""
    foreign_names: frozenset[str] = _NONE
    """Names that mean nothing of the project, even where it opens them."""
    common_members: frozenset[str] = COMMON_MEMBERS
    """Members that values of standard types have as well, and that are called on little else."""
    standard_members: frozenset[str] = _NONE
    """Members that the language brings along: of a receiver of unknown type no member of the
    project is meant for sure that is called so."""
    plain_names: frozenset[str] = _NONE
    """What values of standard types are called, whatever types of the project have such names."""
    global_names: GlobalNames | None = None
    """None: a name means what the file, its imports and its package say, or nothing."""

    # --- types and members
    implicit_this: bool = False
    """Members are named without a receiver inside of their type."""
    dots_join: bool = False
    """A dot joins texts, and stands before no member (PHP)."""
    arrows: bool = False
    """`->` stands before a member (C, C++, C#, PHP); elsewhere before a body or a type."""
    told_in_brackets: bool = False
    """Functions are told types as elements are looked up: `make[int]()` (Go)."""
    several_results: bool = False
    """Functions give several values, which are no elements of the first (Go)."""
    declares_ahead: bool = False
    """A local name may be declared before it is defined as a function (Lua)."""
    sees_class_body: bool = False
    """What a class body binds is seen by what stands in it directly."""
    skips_variables: bool = False
    """Variables of a file are known, and what uses them is not."""
    imports_again: bool = False
    """A name may be imported from another module where the first is not there."""
    imports_around: bool = False
    """Dots alone import a name from the modules around: `import ..open` (Julia)."""
    bases_outside: bool = False
    """What a type extends is looked up around it: a member of its own is none."""
    members_elsewhere: MembersElsewhere | None = None
    """A type's members may stand outside of it."""
    fields_elsewhere: bool = False
    """Fields of a type may be given to it by another file, which names it: Django's relations."""
    declares_members: bool = False
    """Of a member that the type has there may be a body elsewhere: both are meant."""
    containers_elsewhere: bool = False
    """What is around a definition by its qualified name may be defined in another file."""
    modules_are_types: bool = False
    """A module is what its functions' receiver is."""
    open_enums: bool = False
    """Constants of an enumeration in a type are that type's: `Counter::kRate` (C++)."""
    names_itself: bool = False
    """A type is a member of itself, as its constructors are called."""
    outer_self: bool = False
    """An object around an object is a member of its type: `Outer.this`."""
    embeds_types: bool = False
    """A base is a member by its name."""
    made_by_calling: bool = False
    """An instance is made by calling the class, without a word of its own."""
    separate_types: bool = False
    """A name may be a value's and a type's at once: where it stands decides."""
    calls_no_variables: bool = False
    """A name that is called is never a variable's: `int size = size();`."""
    calls_by_brackets: bool = False
    """The same of a name with brackets behind it: `size = size()` in Ruby."""
    blocks: frozenset[str] = frozenset()
    """Nodes of the grammar outside of which a variable that is declared within is not known."""
    hoisted: frozenset[str] = frozenset()
    """Declarations whose variables are known in the whole function all the same: JavaScript's
    `var`."""
    bound_behind: bool = False
    """A local name is seen behind its declaration: `let maker = maker()` calls what is outside."""
    tagged_types: bool = False
    """A variable may have the name of a type and hides it nowhere: `struct box *box`."""
    types_hidden_by_functions: bool = False
    """A function may have the name of a type: before a member the type is meant."""
    named_constructors: bool = False
    """A constructor may have a name of its own, by which alone it is called."""
    memberwise: str = ""
    """The initializer in whose absence an instance of a struct is made of its fields (Swift)."""
    constructor: str = ""
    """The method that runs where an instance is made, by its name."""
    allocator: str = ""
    """The method that makes it before, and takes what a call gives as well."""
    open_protocols: frozenset[str] = frozenset()
    """What types of elsewhere may conform to: what the project gives to these, they have."""
    read_elements: frozenset[str] = frozenset()
    """Members of a collection that are one of its elements without being called."""
    many_types: frozenset[str] = frozenset()
    """The types of the standard library, and what they conform to, that collections written by
    the language's own signs are of."""
    initializer: str = "constructor"
    """What facts call the function that makes an instance."""
    call_method: str = ""
    """The method that runs where an instance is called."""
    walking: tuple[tuple[str, ...], ...] = ()
    """Methods, of each the one that the last one's result has, by which an object is walked
    through: the first that there are."""
    accessors: frozenset[str] = _NONE
    """Decorators of a method that runs where its name is read."""
    is_accessor: Callable[[Node], bool] | None = None
    """Whether a function that is captured as `@accessor` runs where its name is read; all of them
    where this is None."""
    points_to: str = ""
    """The type that a type names for what its objects point to, whose members they have: `Target`
    of `Deref` (Rust)."""
    aliases: bool = False
    """What is given a member of the same name is another name for that: `Box = shapes.Box`."""
    types_are_values: bool = False
    """Types are values, which a function may write out."""
    accessors_by: str = ""
    """The package whose annotations make methods of fields: `lombok` (Java)."""
    gives_accessors: bool = False
    """Other languages of the platform see properties by `getLid()` and `setLid()` (Kotlin)."""
    methods_read: bool = False
    """To read the name of a method is to read what it gives: relations of Eloquent (PHP)."""
    also_called: Callable[[str], Sequence[str]] | None = None
    """Names by which a member may be defined that is used under a name: what a framework or the
    compiler makes of it."""
    making: str = ""
    """The method of a class that gives an instance and that no class need define: Ruby's `new`,
    `default` of Rust, which is derived."""
    finding: frozenset[str] = _NONE
    """Functions of classes by a base from elsewhere that give one of the class, as those of Active
    Record do (`Order.find(1)`), and …"""
    listing: frozenset[str] = _NONE
    """… that give many: `Order.where(open: true)`, `Order.objects`."""
    imported_traits: bool = False
    """What a file imports gives its methods to values of any type: Rust's traits."""
    passing: frozenset[str] = _NONE
    """Methods of what wraps a value, or that every type has, which give the value itself."""
    awaited: tuple[str, str] = ("", "")
    """What waits for a value, as a member, and the member of its type that says what that gives:
    `.await`, and `Output` of Rust's `IntoFuture`."""
    converting: frozenset[str] = _NONE
    """Types of the standard library that hold nothing and are read as what they give: `Into<T>`."""
    walked_as: str = ""
    """The member of a type that says what walking through it gives: `Item` of Rust's iterators and
    of what is made into one."""
    walks_wrappers: bool = False
    """What wraps a value is read as the value (`Option<T>`): walking through it gives that."""
    keys_are_values: bool = False
    """The keys of a literal may be constants, where its type is a map with a name (Go)."""
    hands_words: bool = False
    """A word that a function of the project is handed may be the name of another one (Bash)."""
    giving_back: frozenset[str] = _NONE
    """Functions that give an object which they are handed, or what has its members."""
    literal_objects: bool = False
    """Objects are made of literals, without a class."""
    global_extensions: bool = False
    """Extensions may be meant wherever they are: a directive (`using`) that is not followed says
    which are."""
    generic_extensions: bool = False
    """Extensions are of functions that other types have too: by its name alone none is meant."""
    extends_arguments: bool = False
    """What an extension extends has a name in it, as its first parameter: it is no `this`."""
    types_by_arity: bool = False
    """Types of one name are told apart by how many type parameters they have."""
    last_first: Literal["", "lines", "names", "mixins"] = ""
    """What is mixed in last has its members first: of several statements (Ruby's `include`), of
    all that are named (Scala), or of the mixins (Dart)."""
    mixins: Literal["", "first", "always"] = ""
    """Which bases of a type have their methods before another that it extends, though they know
    nothing of that: those that are written before it, or whatever is mixed in; none."""
    super_is_no_trait: bool = False
    """What `super` means is extended, not mixed in (PHP)."""
    trait_types: bool = False
    """A trait is a type as an interface is: what it declares may have no body."""
    basic_types: frozenset[str] = _NONE
    """Types that no other extends: what extends one of them is nothing of another."""
    extensions: bool = False
    """Functions that say which type they extend (`@extended`) are called like its members, where
    they are visible by their names."""
    implicit_extensions: bool = False
    """An extension may be meant where its name is not visible: those of a type's own companion and
    of givens in Scala."""

    # --- names of files, imports, packages
    modules: type[ModuleFinder] = ModuleFinder
    """From modules' names to files."""
    heads: Callable[[str], list[str]] = lambda module: [
        module.replace("::", ".").rpartition("/")[2].split(".")[0]
    ]
    """The names that an import of a whole module may bind without saying so."""
    binds_top_package: bool = False
    """An import of `a.b` without an alias binds `a`."""
    exports_names: bool = False
    """A module offers what it exports, under the names that it exports it as; to export what
    another one has binds nothing."""
    own_module: str = ""
    """What a file calls the module that it is (`exports`)."""
    has_projects: bool = False
    """Manifests say which files are built together and which others these see, and what is imported
    for all of them, as files may (`readers.PROJECT`)."""
    gives_returned: bool = False
    """What is required is what the file returns, a class as well as a table (Lua)."""
    parts_share_imports: bool = False
    """A file that is a part of another one has its imports (Dart's `part of`)."""
    private_imports: bool = False
    """What a file imports is seen by no other file, unless it exports it."""
    seen_by_import: bool = False
    """A file means what another one defines only where it imports that, itself or through others,
    or by a guess from a member's name."""
    has_conditionals: bool = False
    """What a preprocessor's conditionals leave out may not be read (`parsing.preprocessor`)."""
    renames_types: bool = False
    """A function may give a type another name while the program runs: PHP's `class_alias`."""
    includes_text: bool = False
    """Imports bring the text of files: names, declared there, are defined in others."""
    namespaces_visible: bool = False
    """Names in a file's namespaces are seen without these, where the file is seen."""
    members_visible: bool = False
    """Constructors, fields and methods of a type are seen without it, where the file is seen."""
    imports_packages: bool = False
    """An import of a package depends on all its files."""
    nested_packages: bool = False
    """Each of a file's package clauses is inside of the one before it."""
    package_blocks: tuple[str, ...] = ()
    """Nodes around the parts of a file that are of one package each: of several, their full names
    stand for the file's package, with `;` between them."""
    dotted_packages: bool = False
    """A package is written before a name without an import."""
    types_are_packages: bool = False
    """A package may have the name of a type beside it (PHP's namespaces)."""
    modules_of_files: bool = False
    """A module has what the files of its package define: they are included into it."""
    named_modules: bool = False
    """A module is known everywhere by its full dotted name, whichever file defines it, and what it
    uses (`Import.kind` "use") may import for its user what it imports itself."""
    texts_are_read: bool = False
    """A name that is written out as text is read there, not called: `getattr(box, "open")`."""
    global_constants: bool = False
    """Types and modules are the whole program's: those of a namespace wherever it is opened."""
    calls_by_name: bool = False
    """The name of a function calls it."""
    overloads: bool = False
    """Functions of one name differ by what they take."""
    calls_fields: bool = False
    """What a field holds is called as a method is: `box.validate(1)`."""
    names_run: bool = False
    """To name a function or a value in a definition runs it, or has it run: nothing is called by
    brackets (Haskell)."""
    test_ending: str = ""
    """How files end that only each other sees of a package."""

    # --- reading
    by_computed_name: str | None = None
    """A regular expression that finds where code may reach something by a name that is computed;
    None where it cannot."""
    symbols_are_names: bool = False
    """`:name` is a name, as a string is one."""
    nests: bool = False
    """Anonymous functions define named things: these are told apart by the functions around."""
    keeps_type_parameters: bool = False
    """What type parameters stand for is followed."""
    module_variables: bool = False
    """Variables of a module count that are no symbols: bound under an `if`, or in a pattern."""
    paths_are_bound: bool = False
    """A name that nothing in the file or around it binds is from outside of the project."""
    binds_all_names: bool = False
    """A bare name that nothing in the file binds is built in."""
    sigils: bool = False
    """An `@` marks an instance variable, not a decorator."""
    dollars: bool = False
    """A `$` is a letter."""
    reassigns: bool = False
    """A variable may be assigned a value of another type."""
    follows_values: bool = False
    """Functions are followed that variables, parameters and tables hold."""
    implied: ImpliedReader | None = None
    """What an `@implied` runs without naming it."""
    bindings: BindingReader | None = None
    """The names that a `@bind` node binds; None: `extract.bindings.bindings_of` says it."""
    initialized: ValueReader | None = None
    """What a name in an initializer is a member of."""
    given_to: ValueReader | None = None
    """What a call makes whose argument has a name that may be one of its fields."""
    value: ValueReader | None = None
    """What a value that a function returns is; None: `extract.written.expression_of` says it."""
    declared: ValueReader | None = None
    """An instance of the type at a node; None: `extract.written.declared_type` says it."""
    receiver: ValueReader | None = None
    """What a `@member` is a member of, by the tree; None: the text before it says it
    (`extract.qualifiers`)."""
    parameters: Callable[[Node], Iterator[tuple[tuple[int, ...], Node, Expression]]] | None = None
    """(place, declaration, type) of what a `@takes` takes; the places are the family's own."""
    type_bounds: Callable[[Sequence[Node]], Iterator[tuple[Node, str, str]]] | None = None
    """(type, its parameter, the text of a bound) of what `@generic` nodes say of each other."""
    arity: Callable[[Node], tuple[int, int]] | None = None
    """The least and the most arguments that a `@takes` takes."""
    argument_count: Callable[[Node], int] | None = None
    """How many arguments the function of a name is called with; -1 where it is not called."""
    block_receiver: ValueReader | None = None
    """What a `@block`, a function that is handed over, is run on: its bare names may be members of
    that."""
    implemented: Callable[[Node], tuple[str, list[Node]]] | None = None
    """The type that an `@impl` is of, and the names of what it implements; None: its fields `type`
    and `trait` say it."""
    imports: ImportReader | None = None
    """What an `@import` declares."""
    local_imports: LocalImportReader | None = None
    """(name here, module or nothing, name there) of an import inside of a function."""
    default_exports: Callable[[Node], list[Import]] | None = None
    """What a `@default` exports as the whole of the module."""
    attributes_end: str = ""
    """What an `@attribute` may be written without, of the name of its class (C#)."""
    required_as: Callable[[str], str] | None = None
    """The name that stands for the module that a `@required` names, where a class extends it."""
    called_import: Callable[[Node], list[str]] | None = None
    """The modules that a `@dynamic` may mean; raises `NotConstant`. None: its arguments are
    computed (`extract.dynamic_imports`)."""
