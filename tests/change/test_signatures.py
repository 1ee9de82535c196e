"""Whether calls fit signatures: what Python itself says of its own is the measure."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from surveyor.change.comparison import ChangedSignature, changed_signatures, renamed_to, why_unfit
from surveyor.change.jobs import DefinedSignature
from surveyor.change.signatures import Arguments, CallParameter, Signature, misfit, reordered

NAMES = ("a", "b", "c", "d", "e", "f")
KINDS = {
    "positional": inspect.Parameter.POSITIONAL_ONLY,
    "any": inspect.Parameter.POSITIONAL_OR_KEYWORD,
    "rest": inspect.Parameter.VAR_POSITIONAL,
    "keyword": inspect.Parameter.KEYWORD_ONLY,
    "keywords": inspect.Parameter.VAR_KEYWORD,
}


@st.composite
def signatures(draw: st.DrawFn) -> Signature:
    """Of Python: positions, then names; nothing without a default behind one that has it."""
    names = iter(NAMES)
    found: list[CallParameter] = []
    required = True
    for kind in ("positional", "any"):
        for _ in range(draw(st.integers(0, 2))):
            required = required and draw(st.booleans())
            found.append(CallParameter(next(names), kind, required))
    if draw(st.booleans()):
        found.append(CallParameter("rest", "rest"))
    for _ in range(draw(st.integers(0, 2))):
        found.append(CallParameter(next(names), "keyword", draw(st.booleans())))
    if draw(st.booleans()):
        found.append(CallParameter("others", "keywords"))
    return Signature(tuple(found))


calls = st.builds(
    Arguments,
    positional=st.integers(0, 5),
    names=st.lists(st.sampled_from((*NAMES, "z")), unique=True, max_size=4).map(tuple),
)


def of_python(signature: Signature) -> Callable[..., None]:
    """A function with that signature."""
    empty = inspect.Parameter.empty
    listed = [
        inspect.Parameter(
            each.name,
            KINDS[each.kind],
            default=empty if each.is_required or each.kind in ("rest", "keywords") else 1,
        )
        for each in signature.parameters
    ]
    made: dict[str, Callable[..., None]] = {}
    exec(f"def f{inspect.Signature(listed)}: pass", made)
    return made["f"]


@given(signatures(), calls)
def test_a_call_fits_where_python_binds_it(signature: Signature, call: Arguments) -> None:
    try:
        of_python(signature)(*range(call.positional), **dict.fromkeys(call.names, 1))
        binds = True
    except TypeError:
        binds = False
    assert (misfit([signature], call) is None) == binds


@given(signatures(), calls)
def test_a_call_that_spreads_something_lacks_nothing(signature: Signature, call: Arguments) -> None:
    spread = Arguments(0, (), is_open=True)
    assert misfit([signature], spread) is None
    if misfit([signature], call) is None:
        assert misfit([signature, Signature()], call) is None, "one signature that fits is enough"


def test_why_a_call_does_not_fit_is_said_in_words() -> None:
    two = Signature((CallParameter("a"), CallParameter("b")))
    assert misfit([two], Arguments(3)) == "passes 3 arguments, takes 2"
    assert misfit([two], Arguments(1)) == "does not pass b"
    assert misfit([two], Arguments(1, ("c",))) == "passes c=, which is no parameter"
    assert misfit([two], Arguments(2, ("a",))) == "passes a twice"
    optional = Signature((CallParameter("a"), CallParameter("b", is_required=False)))
    assert misfit([optional], Arguments(3)) == "passes 3 arguments, takes 1 to 2"
    go = Signature(results=2)
    assert misfit([go], Arguments(taken=1)) == "takes 1 result of 2"
    assert misfit([go], Arguments(taken=-1)) is None


def test_an_instance_that_is_passed_by_hand_is_no_argument() -> None:
    method = Signature((CallParameter("a"),), takes_instance=True)
    assert misfit([method], Arguments(2, receiver="Box"), "Box") is None
    assert misfit([method], Arguments(2, receiver="box"), "Box") is not None
    either = msgspec.structs.replace(method, shares_names=True)
    for passed, fits in ((0, False), (1, True), (2, True), (3, False)):
        reason = misfit([either], Arguments(passed, receiver="Box"), "Box")
        assert (reason is None) is fits, "a value may be called like its type"


def test_a_function_behind_the_brackets_is_the_last_argument() -> None:
    last = Signature((CallParameter("a", is_required=False), CallParameter("each")))
    assert misfit([last], Arguments(block=True)) is None
    assert misfit([Signature()], Arguments(block=True)) is not None


def test_named_arguments_are_one_hash_where_nothing_takes_names() -> None:
    one = Signature((CallParameter("options", "positional"),))
    assert misfit([one], Arguments(names=("a", "b"), names_are_one=True)) is None
    keyword = Signature((CallParameter("a", "keyword"),))
    assert misfit([keyword], Arguments(names=("b",), names_are_one=True)) is not None


def defined(name: str, *parameters: str) -> DefinedSignature:
    kind = "method" if "." in name else "function"
    return DefinedSignature(name, kind, 1, 0, 1, Signature(tuple(map(CallParameter, parameters))))


def changed(before: tuple[str, ...], after: tuple[str, ...]) -> ChangedSignature:
    (found,) = changed_signatures([defined("f", *before)], [defined("f", *after)])
    return found


def test_parameters_that_change_places_are_told_of_to_who_passes_them_by_place() -> None:
    swapped = changed(("a", "b"), ("b", "a"))
    assert why_unfit(swapped, Arguments(2), is_touched=False) == "argument 1 was a and is b now"
    assert why_unfit(swapped, Arguments(0, ("a", "b")), is_touched=False) is None
    assert why_unfit(swapped, Arguments(2), is_touched=True) is None, "the change wrote the call"
    renamed = changed(("a", "b"), ("a", "c"))
    assert reordered(renamed.before, renamed.after, Arguments(2)) is None


def test_a_call_that_never_fitted_means_something_else() -> None:
    more = changed(("a",), ("a", "b"))
    assert why_unfit(more, Arguments(1), is_touched=False) == "does not pass b"
    assert why_unfit(more, Arguments(4), is_touched=False) is None
    assert why_unfit(more, Arguments(4), is_touched=True) is not None


def test_the_new_name_is_said_where_only_one_takes_the_same() -> None:
    before = [defined("C.f", "a"), defined("g")]
    assert renamed_to("C.f", before, [defined("C.h", "a"), defined("g")]) == "C.h"
    assert renamed_to("C.f", before, [defined("D.h", "a")]) is None
    assert renamed_to("C.f", before, [defined("C.h", "a"), defined("C.i", "a")]) is None
    assert renamed_to("C.f", before, before) is None


def test_of_many_parameters_the_first_are_named() -> None:
    many = Signature(tuple(CallParameter(f"p{number}") for number in range(15)))
    assert many.named.startswith("p0, p1, ") and many.named.endswith("p11, … 3 more")
    assert Signature(many.parameters[:12]).named.endswith("p11")
