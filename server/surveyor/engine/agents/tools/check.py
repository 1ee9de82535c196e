"""`check`: the receipt of a change."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.engine.agents.text import clip, fenced, inline
from surveyor.engine.agents.tools.base import (
    Built,
    Several,
    Tool,
    ToolAnswer,
    ToolContext,
    Values,
    freshness_lines,
    joined,
    sureness,
)
from surveyor.engine.agents.tools.test_results import run_and_tell
from surveyor.protocol import tools
from surveyor.units import counted

WAIT_MS = 5000
"""How long the index may take to know what was saved last: the change is minutes old at most."""
MESSAGE_CHARS = 400
"""Of what is wrong: a duplicate's has a signature and a call."""
TESTS = 20
"""Most that are named."""


async def check(asker: ToolContext, values: Values) -> ToolAnswer:
    """What a change leaves behind, and the tests that reach it."""
    wait = values["wait_until_fresh_ms"]
    answer = await asker.ask(
        "check",
        diff=values["diff"],
        paths=values["paths"] or [],
        limit=values["limit"],
        wait_until_fresh_ms=WAIT_MS if wait is None else wait,
        **asker.where(values["project"]),
    )
    ran = ""
    results: list[str] = []
    if values["run"]:
        where = asker.where(values["project"])
        ran, results = await run_and_tell(asker, answer["tests"], where)
        results, _ = clip(results, values["max_tokens"] // 2)
    return receipt(answer, values["max_tokens"], ran, results)


def receipt(
    answer: Built, max_tokens: int, ran: str = "", results: Sequence[str] = ()
) -> ToolAnswer:
    """What a change leaves behind, as text; with what came of running its tests."""
    tests = [inline(path) for path in answer["tests"]]
    beside = [
        f"rule {inline(each['label'])}: {inline(each['content'])}" for each in answer["rules"]
    ]
    if tests:
        more = f" and {len(tests) - TESTS} more" if len(tests) > TESTS else ""
        beside.append(f"tests: {' '.join(tests[:TESTS])}{more}")
    kept, _ = clip(beside, max_tokens // 4)
    lines, cut = clip([_line(each) for each in answer["results"]], max_tokens)
    left = cut + (answer.get("omitted") or 0)
    found = len(answer["results"]) + (answer.get("omitted") or 0)
    unasked, notice = "; ".join(answer["unasked"]), answer.get("notice") or ""
    lacks = [f"Diagnostics: {inline(unasked)}."] if unasked else []
    lacks += [f"Not complete: {inline(notice)}."] if notice else []
    text = joined(
        ran,
        _summary(answer, found),
        fenced([*results, *freshness_lines(answer), *lines, *kept, *lacks]),
        f"{left} left out: raise max_tokens or limit." if left else "",
    )
    return ToolAnswer(text, sureness(answer, cut))


def _summary(answer: Built, found: int) -> str:
    files, signatures = answer["changed_files"], answer["changed_signatures"]
    changed = counted(files, "changed file")
    if signatures:
        changed += f", {counted(signatures, 'changed signature')}"
    if not found:
        return f"Nothing found wrong ({changed})."
    return f"{counted(found, 'place')} to look at ({changed})."


def _line(each: Built) -> str:
    sure = "" if each["certainty"] == "certain" else "  likely"
    version = each.get("unsaved_version")
    unsaved = f"  [unsaved, version {version}]" if version is not None else ""
    where = f"{inline(each['path'])}:{each['line']}:{each['column']}"
    led = "" if each["kind"] == "duplicate" else "changed at "
    about = f" ({led}{inline(each['about'])})" if each["about"] else ""
    inside = f"  in {inline(each['symbol'])}" if each["symbol"] else ""
    message = inline(each["message"], MESSAGE_CHARS)
    return f"{where}  {message}{about}{inside}{sure}{unsaved}"


def _several(values: Values) -> Several:
    return "first" if values["paths"] else "each"


CHECK = Tool(tools.CHECK, check, _several)
