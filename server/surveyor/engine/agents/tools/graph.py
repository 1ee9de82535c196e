"""`symbol`, `impact` and `map`: who defines, who uses, what breaks, what matters."""

from __future__ import annotations

from typing import Any

from surveyor.engine.agents.text import FRAME_TOKENS, clip, estimate_tokens, fenced, inline, place
from surveyor.engine.agents.tools.base import (
    Built,
    Several,
    Tool,
    ToolAnswer,
    ToolContext,
    Values,
    freshness,
    freshness_lines,
    joined,
    sureness,
)
from surveyor.errors import UsageError
from surveyor.protocol import tools
from surveyor.units import counted


def _position(values: Values) -> dict[str, Any]:
    """Name or position as the engine takes them (columns from 0)."""
    column = values["column"] - 1 if values.get("column") else None
    return {
        "name": values["name"] or "",
        "path": values["path"],
        "line": values["line"],
        "column": column,
    }


SUBJECTS = 20
"""Most that are named of what a diff changes."""
UNRESOLVED = 5
"""Most imports without a file that are named."""
OUTBOUND = 8
"""Most that are named of what something depends on itself."""


async def symbol(asker: ToolContext, values: Values) -> ToolAnswer:
    """Navigation: by the editor's language server where one is attached, else our own."""
    action = values["action"]
    if action == "outline" and not values["path"] and not values["name"]:
        raise UsageError("outline needs a file or a definition", "Give path, or name.")
    if action != "outline" and not values["name"] and not (values["path"] and values["line"]):
        raise UsageError(f"{action} of what?", "Give name, or path with line.")
    where = asker.where(values["project"])
    if action == "hover":
        return await _hover(asker, values, where)
    parameters: dict[str, Any] = {
        **_position(values),
        **where,
        "limit": values["limit"],
        "exact": values["exact"],
        "wait_until_fresh_ms": values["wait_until_fresh_ms"] or 0,
    }
    if action == "references":
        parameters["declaration"] = True
    if action in ("callers", "callees"):
        parameters["depth"] = values["depth"]
    if action == "outline":
        parameters["path"] = values["path"] or values["name"]
        parameters["name"] = ""
    answer = await asker.ask(action, **parameters)
    return _places(answer, values, action)


def _places(answer: Built, values: Values, action: str) -> ToolAnswer:
    results, candidates = answer["results"], answer.get("candidates") or []
    declared = action == "references" and bool(results)
    subject = "" if declared else _subject(answer)
    if action == "outline":
        subject = inline(results[0]["path"]) if values["name"] and results else ""
    above = [line for line in (_note(answer), subject) if line]
    lines = [_line(each, action) for each in results]
    shown, cut = clip(lines, _less(values["max_tokens"], above))
    others = [_line(each, "definition") for each in candidates[:10]]
    left = cut + (answer.get("omitted") or 0)
    found = (
        f"{counted(len(results) - 1, 'use')} and the definition"
        if declared
        else f"{len(results)} found"
    )
    sure = f"{found}, {answer['precision']}" + _doubt(answer)
    if answer.get("server"):
        sure += f", by {inline(answer['server'], 40)}"
    text = joined(
        f"{sure}.",
        fenced([*freshness_lines(answer), *above, *shown]),
        joined("The name may also mean:", fenced(others)) if others else "",
        f"{left} left out: raise max_tokens or limit." if left else "",
    )
    return ToolAnswer(text, sureness(answer, cut))


def _doubt(answer: Built) -> str:
    """That places may be missing, other than those that are counted as left out."""
    return "" if answer["complete"] or answer.get("limited") else ", perhaps not all"


def _less(budget: int, lines: list[str]) -> int:
    """What is left of a budget of tokens beside lines that are said in any case."""
    return budget - estimate_tokens("\n".join(lines)) if lines else budget


def _note(answer: Built) -> str:
    """What is to be known about the answer; it names symbols, so it belongs in the fence."""
    return f"Note: {inline(answer['notice'])}" if answer.get("notice") else ""


def _subject(answer: Built) -> str:
    return _at(answer["symbol"]) if answer.get("symbol") else ""


def _at(subject: Built) -> str:
    """A definition and its place."""
    where = place(inline(subject["path"]), subject["line"], subject["line"])
    kind = subject["symbol_kind"] or "symbol"
    named = inline(subject["symbol"] or subject["path"])
    return f"{named} ({kind}) at {where}{_unsaved(subject)}"


def _line(each: Built, action: str) -> str:
    where = f"{inline(each['path'])}:{each['line']}:{each['column']}"
    indent = "  " * max(0, each.get("depth", 1) - 1)
    if action == "outline":
        lines = place("", each["line"], each["end_line"]).lstrip(":")  # not of its decorator
        signature = inline(each.get("signature") or each["symbol"])
        kind = each["symbol_kind"] or ""
        said = signature if kind in signature.split() else f"{kind} {signature}"
        return f"{lines}  {said}{_unsaved(each)}"
    parts = [f"{indent}{where}", each["kind"]]
    if each["symbol"]:
        parts.append(("in " if each["kind"] != "definition" else "") + inline(each["symbol"]))
    if each.get("is_test"):
        parts.append("test")
    if each.get("precision") == "text":
        parts.append("by name only")
    if each.get("text"):
        parts.append(inline(each["text"].strip(), 160))
    return "  ".join(parts) + _unsaved(each)


def _unsaved(each: Built) -> str:
    version = each.get("unsaved_version")
    return f"  [unsaved, version {version}]" if version is not None else ""


async def _hover(asker: ToolContext, values: Values, where: dict[str, str | None]) -> ToolAnswer:
    answer = await asker.ask("enrichment", **_position(values), **where)
    if not answer["found"] or not answer.get("symbol"):
        raise UsageError("nothing is known of that", "Give the name of a definition, or search.")
    subject = answer["symbol"]
    lines = [
        _subject(answer),
        inline(subject.get("signature") or subject.get("text") or ""),
        f"type: {inline(answer['type_info'])}" if answer.get("type_info") else "",
        f"used {counted(answer['references'], 'time')} in {counted(answer['files'], 'file')}"
        f" ({answer['test_references']} in tests)",
        *(f"called by {_line(each, 'callers')}" for each in answer.get("callers") or []),
    ]
    text = fenced([*freshness_lines(answer), *filter(None, lines)])
    return ToolAnswer(text, freshness(answer))


def _symbol_several(values: Values) -> Several:
    """A name may be defined in each project; a place is in one."""
    return "first" if values["path"] or values["action"] == "hover" else "each"


def _impact_several(values: Values) -> Several:
    return "first" if values["path"] else "each"


def _every(values: Values) -> Several:
    return "each"


SYMBOL = Tool(tools.SYMBOL, symbol, _symbol_several)


async def impact(asker: ToolContext, values: Values) -> ToolAnswer:
    """What depends on something, nearest and most important first, with its tests."""
    if not (values["target"] or values["diff"] or values["path"]):
        raise UsageError("impact of what?", "Give target, path (and line), or diff.")
    target = values["target"] or ("" if values["line"] else values["path"] or "")
    answer = await asker.ask(
        "impact",
        name=target,
        path=values["path"] if values["line"] else None,
        line=values["line"],
        diff=values["diff"],
        depth=values["depth"],
        limit=values["limit"],
        picture=values["picture"],
        wait_until_fresh_ms=values["wait_until_fresh_ms"] or 0,
        **asker.where(values["project"]),
    )
    inbound, budget = answer["inbound"], values["max_tokens"]
    tests, unsaid = clip([f"test: {inline(path)}" for path in answer["tests"]], budget // 4)
    above, _ = clip(_about(answer), budget // 4)
    open_imports = [
        f"unresolved: {inline(each['path'])}:{each['line']}  {inline(each['module'], 80)}"
        for each in answer["unresolved"]
    ]
    unresolved, _ = clip(open_imports[:UNRESOLVED], budget // 8)
    beside = above + tests + unresolved
    depth = values["depth"]
    further = ""
    if any(each["depth"] >= depth for each in inbound):
        further = f"What is more than {counted(depth, 'step')} away is not followed: raise depth."
    lines, cut = clip([_impact_line(each) for each in inbound], _less(budget, [*beside, further]))
    left = cut + (answer.get("omitted") or 0)
    reached = len(inbound) + (answer.get("omitted") or 0)
    text = joined(
        f"{counted(reached, 'thing depends', 'things depend')} on it,"
        f" {counted(len(answer['tests']), 'test file')} among them"
        f" ({answer['precision']}{_doubt(answer)}).",
        fenced(
            [
                *freshness_lines(answer),
                *above,
                *lines,
                *tests,
                *unresolved,
                *filter(None, [answer.get("picture")]),
            ]
        ),
        f"{left} left out: raise max_tokens or limit." if left else "",
        f"{counted(unsaid, 'test file')} left out: raise max_tokens." if unsaid else "",
        further,
        f"{counted(len(answer['unresolved']), 'import')} of these files could not be resolved."
        if answer["unresolved"]
        else "",
    )
    return ToolAnswer(text, sureness(answer, cut))


def _about(answer: Built) -> list[str]:
    """What was asked about, what it depends on itself, and what is to be known of the answer."""
    subjects, outbound = answer["subjects"], answer["outbound"]
    changed = [f"of {subject}" for each in subjects[:SUBJECTS] if (subject := _at(each))]
    if len(subjects) > SUBJECTS:
        changed.append(f"of {len(subjects) - SUBJECTS} more")
    own = list(dict.fromkeys(each["name"] or each["path"] for each in outbound))
    if own:
        more = f" and {len(own) - OUTBOUND} more" if len(own) > OUTBOUND else ""
        named = ", ".join(inline(name, 60) for name in own[:OUTBOUND])
        changed.append(f"depends itself on {named}{more}")
    return [line for line in (_note(answer), *changed) if line]


def _impact_line(each: Built) -> str:
    where = place(inline(each["path"]), each["start_line"], each["end_line"])
    what = f"{each['kind']} {inline(each['name'])}".strip()
    via = " ← ".join(inline(step, 80) for step in each["via"][:4])
    parts = [f"{'  ' * (each['depth'] - 1)}{where}", what, each["edge"]]
    if each["is_test"]:
        parts.append("test")
    if via:
        parts.append(f"via {via}")
    return "  ".join(parts) + _unsaved(each)


IMPACT = Tool(tools.IMPACT, impact, _impact_several)


async def overview(asker: ToolContext, values: Values) -> ToolAnswer:
    """The most important files and definitions that fit a budget."""
    answer = await asker.ask(
        "map",
        tokens=max(values["max_tokens"] // 2, values["max_tokens"] - FRAME_TOKENS),
        query=values["query"],
        files=values["files"] or [],
        **asker.where(values["project"]),
    )
    left = answer.get("omitted") or 0
    counts = (
        f"{counted(answer['files_total'], 'file')}, {counted(answer['symbols_total'], 'symbol')}"
    )
    known = "" if answer["complete"] else ", as far as is known yet"
    text = joined(
        f"{counts}; the most important{known}:" if answer["text"] else "Nothing is mapped yet.",
        fenced([*freshness_lines(answer), *answer["text"].splitlines()]),
        f"{counted(left, 'definition')} left out: raise max_tokens." if left else "",
    )
    return ToolAnswer(text, sureness(answer))


MAP = Tool(tools.MAP, overview, _every)
