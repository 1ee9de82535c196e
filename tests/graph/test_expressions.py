"""Expressions and types: what the parser reads is what the printer wrote."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.graph.expressions import keys
from surveyor.graph.expressions.bindings import Imported
from surveyor.graph.expressions.grammar import (
    parse,
    parse_qualifier,
    parse_type,
    print_expression,
    print_qualifier,
    print_type,
)
from surveyor.graph.expressions.model import (
    NOTHING,
    Argument,
    Call,
    CollectionOf,
    Element,
    Expression,
    Fixture,
    GivenArguments,
    GivenTypeArguments,
    Instance,
    Key,
    KeyElement,
    Local,
    Member,
    Module,
    Name,
    Parameter,
    Result,
    Shape,
    Type,
    TypeAtPlace,
    TypeName,
    TypePart,
    TypeVariable,
    Unknown,
    ValueOf,
)

identifiers = st.from_regex(r"[A-Za-z][A-Za-z0-9_$]{0,6}", fullmatch=True)
dotted = st.lists(identifiers, min_size=1, max_size=3).map(".".join)
numbers = st.integers(0, 9)
parameters = st.lists(numbers, min_size=1, max_size=2).map(lambda path: Parameter(tuple(path)))


def _types(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    arguments = st.lists(inner, max_size=2).map(tuple)
    heads = st.one_of(
        dotted.map(TypeName),
        dotted.map(Shape),
        st.builds(TypeVariable, identifiers, st.none() | inner.filter(lambda t: bool(t.parts))),
        st.builds(ValueOf, plain),
    )
    steps = st.lists(
        st.one_of(
            st.builds(CollectionOf),
            st.builds(Result),
            st.builds(KeyElement),
            identifiers.map(Key),
            numbers.map(lambda number: Parameter((number,))),
        ),
        max_size=2,
    ).map(tuple)
    with_arguments = st.builds(TypePart, heads, arguments, steps)
    parts = st.one_of(
        with_arguments.filter(lambda part: not isinstance(part.head, ValueOf) or not part.given),
        st.builds(TypePart, st.builds(TypeAtPlace, numbers, numbers)),
    )
    return st.lists(parts, min_size=1, max_size=2).map(Type)


plain = st.builds(
    Expression,
    identifiers.map(Name),
    st.lists(
        st.one_of(identifiers.map(Member), st.builds(Call), st.builds(Element)), max_size=2
    ).map(tuple),
)
named = dotted.map(lambda name: Type((TypePart(TypeName(name)),)))
types = st.recursive(st.just(NOTHING) | named, _types, max_leaves=4)
heads = st.one_of(
    identifiers.map(Name),
    dotted.map(Local),
    identifiers.map(Fixture),
    st.builds(Module, st.from_regex(r"[\w@./#~+$-]{1,8}", fullmatch=True), st.booleans()),
    types.map(Instance),
)
handed = st.lists(st.builds(Argument, st.none() | plain, st.booleans()), min_size=1, max_size=2)
steps = st.lists(
    st.one_of(
        identifiers.map(Member),
        st.builds(Call),
        st.builds(Element),
        parameters,
        st.lists(types, min_size=1, max_size=2).map(lambda told: GivenTypeArguments(tuple(told))),
        handed.map(lambda arguments: GivenArguments(tuple(arguments))),
        st.just(GivenArguments(())),
    ),
    max_size=3,
)


@st.composite
def expressions(draw: st.DrawFn) -> Expression:
    made = Expression(draw(heads))
    for step in draw(steps):
        made = made.then(step)
    return made


@given(expressions())
def test_an_expression_is_read_as_it_was_written(expression: Expression) -> None:
    text = print_expression(expression)
    assert expression.text == text  # made step by step, or at once
    read = parse(text)
    assert read == expression
    assert read is not None and (read.head, read.steps) == (expression.head, expression.steps)


@given(types)
def test_a_type_is_read_as_it_was_written(type: Type) -> None:
    assert parse_type(print_type(type)).parts == type.parts


@given(st.text(max_size=60) | st.text(alphabet="<>{}()[]=^?!~#@|.,;'_ab0", max_size=30))
def test_any_text_can_be_read(text: str) -> None:
    parse(text)
    parse_type(text)
    parse_qualifier(text)
    keys.parse_type_parameters(text)


@given(st.one_of(expressions(), dotted.map(Local), st.builds(Imported, dotted, identifiers)))
def test_what_stands_before_a_name_is_read_as_it_was_written(
    qualifier: Expression | Local | Imported,
) -> None:
    assert parse_qualifier(print_qualifier(qualifier)) == qualifier


@given(plain, expressions())
def test_a_value_in_place_of_the_first_name_has_the_text_of_both(
    value: Expression, expression: Expression
) -> None:
    if isinstance(expression.head, Name) and expression.steps:
        whole = expression.on(value)
        assert whole.text == print_expression(whole)


def test_what_is_unknown_stays_unknown_under_a_longer_name() -> None:
    unknown = Expression(Unknown("box"))
    assert unknown.member("open").then(Call()).text == "?box.open()"
    assert parse("?box.open()") == unknown.member("open").then(Call())


def test_types_that_did_not_change_are_the_same_object() -> None:
    expression = parse("<Box<A,{b.C}[]>>.open()<D>(x;=>y;)")
    assert expression is not None
    assert expression.with_types(lambda part: None) is expression
    renamed = expression.with_types(
        lambda part: (
            Type((TypePart(TypeName("Z"), part.given, part.steps),))
            if part.head == TypeName("A")
            else None
        )
    )
    assert renamed.text == "<Box<Z,{b.C}[]>>.open()<D>(x;=>y;)"


def test_facts_of_signatures_and_type_parameters() -> None:
    assert keys.parse_arities("1-2,0-3") == [(1, 2), (0, 3)]
    assert keys.print_arities(keys.parse_arities("1-2,0-3")) == "1-2,0-3"
    text = "Base,D=Draft<Base>"
    declared = keys.parse_type_parameters(text)
    assert [each.name for each in declared] == ["Base", "D"]
    assert keys.print_type_parameters(declared) == text
    parameter = keys.parameter_of(keys.overload("f", 1), Parameter((0, 1)))
    assert (parameter, keys.result_of(parameter)) == ("f~1#0#1", "f~1#0#1()")
