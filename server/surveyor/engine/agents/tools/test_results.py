"""What became of tests, as agents read it: failures first, each with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surveyor.engine.agents.text import inline
from surveyor.engine.agents.tools.base import Built, ToolContext
from surveyor.errors import SurveyorError

REASON_CHARS = 800
"""Of why tests were not run, or not all."""
OUTPUT_LINES = 15
"""Of a runner that named no failure."""


async def run_and_tell(
    asker: ToolContext, tests: Sequence[str], where: Mapping[str, str | None]
) -> tuple[str, list[str]]:
    """Run test files; one line in our own words, and lines with what the project says."""
    if not tests:
        return "No test reaches the change: none was run.", []
    try:
        ran = await asker.ask("run_tests", targets=list(tests), **where)
    except SurveyorError as error:
        return "Tests were not run:", [inline(error.sentence, REASON_CHARS)]
    counts = f"{ran['passed']} passed, {ran['failed']} failed, {ran['skipped']} skipped"
    said = f"Tests: {counts} in {ran['took_ms'] / 1000:.1f} s."
    lines = [inline(ran["notice"], REASON_CHARS)] if ran.get("notice") else []
    lines += [_failure(each) for each in ran["failures"]]
    for run in ran["runs"]:
        if run["state"] in ("broken", "timeout"):
            lines.append(f"{run['runner']} {run['state']}: {inline(' '.join(run['command']))}")
            lines += [f"    {inline(each)}" for each in run["output"].splitlines()[-OUTPUT_LINES:]]
    lines += [
        f"not run: {inline(each['path'])}: {inline(each['reason'])}" for each in ran["not_run"]
    ]
    return said, lines


def _failure(each: Built) -> str:
    line = f":{each['line']}" if each["line"] else ""
    where = f"{inline(each['path'])}{line}" if each["path"] else "(no place)"
    around = f"  in {inline(each['symbol'])}:{each['symbol_line']}" if each["symbol"] else ""
    text = f"  | {inline(each['text'])}" if each["text"] else ""
    return f"FAILED {where}  {inline(each['test'])}: {inline(each['message'])}{around}{text}"
