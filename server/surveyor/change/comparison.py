"""Which signatures differ between two versions of a file, and which calls do not fit any more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from surveyor.change.jobs import DefinedSignature, FileCalls
from surveyor.change.signatures import Arguments, Signature, misfit, reordered

__all__ = [
    "ChangedSignature",
    "added_signatures",
    "aligned",
    "changed_signatures",
    "declared_names",
    "is_about_results",
    "renamed_to",
    "why_unfit",
]


class ChangedSignature(NamedTuple):
    """A definition whose parameters are not what they were."""

    now: DefinedSignature
    before: list[Signature]
    after: list[Signature]
    is_wrapped_anew: bool = False
    """What is around it, and may change what it takes, is not what it was."""

    @property
    def owner(self) -> str:
        """The name of the type that a method is of."""
        return self.now.qualname.rpartition(".")[0].rpartition(".")[2]


_MADE_BY_TYPE = frozenset({"class", "struct", "record", "enum"})


def declared_names(defined: Sequence[DefinedSignature]) -> frozenset[str]:
    """What is defined where it is declared: in C++ members may be defined elsewhere as well."""
    return frozenset(each.qualname for each in defined if not each.is_outside)


def _by_name(
    defined: Sequence[DefinedSignature], declared: frozenset[str]
) -> dict[str, list[DefinedSignature]]:
    """Signatures by what is called: those of a type's further constructors are the type's. Of what
    was `declared`, declarations count, and not what a class does not declare any more."""
    found: dict[str, list[DefinedSignature]] = {}
    types = {each.qualname for each in defined if each.kind in _MADE_BY_TYPE}
    for each in defined:
        if each.is_outside and each.qualname in declared:
            continue
        owner = each.qualname.rpartition(".")[0]
        is_further = each.kind == "constructor" and owner in types
        found.setdefault(owner if is_further else each.qualname, []).append(each)
    return found


def aligned(before: FileCalls, after: FileCalls) -> FileCalls:
    """What a file defined, called as it is now where only the way has changed in which its
    namespace is written: `namespace A;` is around no definition, `namespace A { }` around each."""
    if not before.namespaces and not after.namespaces:
        return before
    named = {each.qualname for each in after.definitions}
    named |= {each.qualname for each in after.reaches}
    named |= {each.qualname for each in after.enumerated}
    by_own = {_without(name, after.namespaces): name for name in named}

    def now(name: str) -> str:
        own = _without(name, before.namespaces)
        found = by_own.get(own, name)
        return found if name not in named and own in (name, found) else name

    return replace(
        before,
        definitions=[replace(each, qualname=now(each.qualname)) for each in before.definitions],
        reaches=[replace(each, qualname=now(each.qualname)) for each in before.reaches],
        enumerated=[
            replace(each, qualname=new, owner=new.rpartition(".")[0])
            for each in before.enumerated
            if (new := now(each.qualname))
        ],
    )


def _without(name: str, namespaces: Sequence[str]) -> str:
    """A name without the innermost of some namespaces that is around it."""
    around = [each for each in namespaces if name.startswith(f"{each}.")]
    return name[len(max(around, key=len)) + 1 :] if around else name


def changed_signatures(
    before: Sequence[DefinedSignature], after: Sequence[DefinedSignature]
) -> list[ChangedSignature]:
    """Definitions of both versions that take something else now."""
    declared = declared_names(before)
    old, new = _by_name(before, declared), _by_name(after, declared)
    return [
        ChangedSignature(new[name][0], was, now, _wrapped(old[name]) != _wrapped(new[name]))
        for name in new
        if name in old
        and (was := [each.signature for each in old[name]])
        != (now := [each.signature for each in new[name]])
    ]


def added_signatures(
    before: Sequence[DefinedSignature], after: Sequence[DefinedSignature]
) -> list[ChangedSignature]:
    """Definitions that only the later version has, and of which nothing is known to change what
    they take: a call that the change wrote has to fit them, also where it named another one."""
    declared = declared_names(before)
    old, new = _by_name(before, declared), _by_name(after, declared)
    return [
        ChangedSignature(defined[0], [], [each.signature for each in defined])
        for name, defined in new.items()
        if name not in old and not any(each.wrapped_by for each in defined)
    ]


def _wrapped(defined: Iterable[DefinedSignature]) -> set[tuple[str, ...]]:
    return {each.wrapped_by for each in defined}


def renamed_to(
    gone: str, before: Sequence[DefinedSignature], after: Sequence[DefinedSignature]
) -> str | None:
    """What a definition is called now: the only new one beside it that takes the same."""
    declared = declared_names(before)
    old, new = _by_name(before, declared), _by_name(after, declared)
    if gone not in old or gone in new:
        return None
    container = gone.rpartition(".")[0]
    was = [each.signature for each in old[gone]]
    same = [
        name
        for name, defined in new.items()
        if name not in old
        and name.rpartition(".")[0] == container
        and [each.signature for each in defined] == was
        and defined[0].kind == old[gone][0].kind
    ]
    return same[0] if len(same) == 1 else None


def is_about_results(changed: ChangedSignature, arguments: Arguments) -> bool:
    """Whether what a call passes fits, so that only what it does with the result may not."""
    passed = _without_result(arguments)
    return kind_misfit(changed, arguments) is not None or (
        misfit(changed.after, passed, changed.owner) is None
        and misfit(changed.after, arguments, changed.owner) is not None
    )


def _without_result(arguments: Arguments) -> Arguments:
    return replace(arguments, taken=-1, is_used=False)


def kind_misfit(changed: ChangedSignature, arguments: Arguments) -> str | None:
    """Why a call does not fit the kind of thing that a definition has become."""
    before, after = changed.before, changed.after
    if all(each.is_property for each in after) and not any(each.is_property for each in before):
        return "calls what is a property now"
    if not arguments.needs_value or any(each.is_awaited for each in before):
        return None
    return "does not await what has to be now" if all(each.is_awaited for each in after) else None


def _as_taken_before(arguments: Arguments, before: Sequence[Signature]) -> Arguments:
    """What `f(g())` passes, which compiled: as many as were taken."""
    if len(before) != 1 or any(each.kind == "rest" for each in before[0].parameters):
        return arguments
    return replace(arguments, positional=len(before[0].parameters), is_open=False)


def _results_changed(changed: ChangedSignature) -> bool:
    was, now = ({each.results for each in every} for every in (changed.before, changed.after))
    return was != now


def why_unfit(
    changed: ChangedSignature, arguments: Arguments, *, is_touched: bool, is_loose: bool = False
) -> str | None:
    """Why a call does not fit what it calls since that changed; None where it does.

    A call that fitted nothing before either means something else, unless the change wrote it
    (`is_touched`), or the language lets calls pass what they like (`is_loose`): of these, those are
    told whose arguments go elsewhere now.
    """
    if arguments.may_copy and changed.now.kind == "constructor":
        return None
    if not _results_changed(changed):
        arguments = _without_result(arguments)
    if arguments.of_one_call and not is_touched:
        arguments = _as_taken_before(arguments, changed.before)
    fitted = bool(changed.before) and misfit(changed.before, arguments, changed.owner) is None
    if (reason := misfit(changed.after, arguments, changed.owner)) is not None:
        if (is_touched and not is_loose) or fitted:
            return reason
    elif fitted and (reason := kind_misfit(changed, arguments)) is not None:
        return reason
    if is_touched or not (fitted or is_loose):
        return None
    return reordered(changed.before, changed.after, arguments)
