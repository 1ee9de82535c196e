"""Ask an agent's questions about public repositories and judge the answers.

    python -m tests.bench.questions --repos DIR [--only NAME…] [--out FILE]

DIR has a clone of each repository under its name, with the pinned commit checked out:

    git clone URL DIR/NAME && git -C DIR/NAME checkout COMMIT

URL and COMMIT stand in repositories.json; what is missing or at another commit is skipped and
said.
Each repository is indexed by the engine of this checkout, and each question goes through
`surveyor mcp` with the tool and the arguments that an agent would use. The language servers are
those on the PATH. `--out` keeps every question with what was missing and false, as JSON lines.

`certain` are answers that are not right and yet claim to be complete and healthy (a search: with a
confidence that agents are not told to doubt).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surveyor.client.blocking import Client, connect
from surveyor.engine.agents.text import FENCE_NOTE
from surveyor.knowledge.history.gitlog import PARTIAL_CLONE
from surveyor.protocol.graph import MapRequest
from tests.agent_answers import (
    candidates_of,
    commits_of,
    data_of,
    outlined_in,
    reached_by,
    results_of,
    subject_of,
    tests_of,
    text_of,
    uses_of,
)
from tests.bench.mcp import Agent
from tests.bench.questions.judge import Judgement, Question, judge
from tests.product import product, until

HERE = Path(__file__).parent
EDGES_S = 600.0
"""Until all edges of one repository are resolved, at most."""
HISTORY_S = 120.0

Asked = tuple[Question, Judgement]


def repositories() -> dict[str, dict[str, str]]:
    """URL, commit, language and licence by name."""
    told: dict[str, dict[str, str]] = json.loads((HERE / "repositories.json").read_text())
    return told


def questions() -> list[Question]:
    """All of them."""
    lines = (HERE / "questions.jsonl").read_text().splitlines()
    return [Question(**json.loads(line)) for line in lines]


def main() -> None:
    """Ask, judge, and print the tables."""
    parser = argparse.ArgumentParser(prog="tests.bench.questions", description=__doc__)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[], help="these repositories")
    parser.add_argument("--out", type=Path, help="keep every judgement here")
    options = parser.parse_args()
    known = repositories()
    chosen = options.only or list(known)
    asked: list[Asked] = []
    for name in chosen:
        if reason := absent(options.repos / name, known[name]):
            say(f"{name}: skipped, {reason}")
            continue
        ours = [each for each in questions() if each.repository == name]
        told = list(ask(options.repos / name, ours))
        asked += told
        counts = Counter(outcome(each) for _, each in told)
        say(f"{name}: {dict(counts)}")
    if options.out:
        options.out.write_text("".join(f"{json.dumps(kept(*each))}\n" for each in asked))
    say(table("task", asked, lambda question: question.task))
    say(table("tool", asked, lambda question: question.tool))
    say(table("language", asked, lambda question: known[question.repository]["language"]))


def absent(folder: Path, told: Mapping[str, str]) -> str:
    """Why a repository cannot be asked about; empty where it can."""
    if not folder.is_dir():
        return f"no folder {folder}"
    head = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return "" if head == told["commit"] else f"at {head[:12]}, not {told['commit'][:12]}"


def ask(folder: Path, ours: Sequence[Question]) -> Iterator[Asked]:
    """Index a repository, wait until the index says that it is all there, and ask."""
    with tempfile.TemporaryDirectory() as home, product(Path(home)) as made:
        os.environ.update(made.environment)
        made.index(folder)
        made.settle(folder)
        with connect() as client:
            settle(client, str(folder.resolve()))
        agent = Agent(made, folder)
        agent.initialize()
        try:
            read_history(agent)
            for question in ours:
                yield question, answered(agent, question)
        finally:
            agent.close()


def settle(client: Client, root: str) -> None:
    """Wait until all edges are resolved."""
    until(lambda: client.call(MapRequest(cwd=root, tokens=50)).complete, EDGES_S)


def read_history(agent: Agent) -> None:
    """The first question about history makes the engine read it: not what is judged here."""
    arguments = {"query": "fix", "limit": 1}
    deadline = time.monotonic() + HISTORY_S
    while time.monotonic() < deadline:
        told = agent.ask("tools/call", {"name": "history", "arguments": arguments})
        if commits_of(told) and not said_above(told).replace(PARTIAL_CLONE, "").strip():
            return
        time.sleep(1.0)


def answered(agent: Agent, question: Question) -> Judgement:
    """What the tool says, judged."""
    told = agent.ask("tools/call", {"name": question.tool, "arguments": question.arguments})
    if told.get("isError"):
        return judge(question, {}, " ".join(part.get("text", "") for part in told["content"]))
    return judge(question, heard(question, told))


def heard(question: Question, told: Any) -> dict[str, Any]:
    """An answer as an agent hears it: the places from its text, and what it says of itself."""
    said = data_of(told) | {"notice": said_above(told)}
    if question.tool == "search":
        return said | {"results": results_of(told)}
    if question.tool == "history":
        return said | {"results": commits_of(told)}
    if question.tool == "impact":
        return said | {"results": reached_by(told), "tests": tests_of(told)}
    if question.task == "outline":
        return said | {"results": outlined_in(told, question.arguments["path"])}
    return said | {
        "results": uses_of(told),
        "candidates": candidates_of(told),
        "symbol": subject_of(told),
    }


def said_above(told: Any) -> str:
    """What an answer says between its first line and the results: what is to be known of it."""
    above = text_of(told).split(FENCE_NOTE)[0].splitlines()[1:]
    return " ".join(line for line in above if not line.startswith("["))


def outcome(judgement: Judgement) -> str:
    """The column that it counts in."""
    if judgement.verdict == "right":
        return "right"
    return "certain" if judgement.certain else judgement.verdict


def kept(question: Question, judgement: Judgement) -> dict[str, Any]:
    """One question with its judgement."""
    return {**asdict(question), "outcome": outcome(judgement), **asdict(judgement)}


def table(title: str, asked: Sequence[Asked], group: Callable[[Question], str]) -> str:
    """Right, partly, wrong and wrong but certain, each counted once."""
    columns = ("right", "partly", "wrong", "certain")
    head = ("asked", "right", "partly, not certain", "wrong, not certain", "wrong but certain")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for question, judgement in asked:
        for row in (group(question), "all"):
            counts[row][outcome(judgement)] += 1
    lines = [
        f"\n| {title} | {' | '.join(head)} |",
        f"|{'---|' * (len(head) + 1)}",
    ]
    for row in [*sorted(set(counts) - {"all"}), *(["all"] if asked else [])]:
        total = counts[row].total()
        cells = [str(counts[row][name]) for name in columns]
        share = f" ({100 * counts[row]['right'] / total:.0f} %)"
        lines.append(f"| {row} | {total} | {cells[0]}{share} | {' | '.join(cells[1:])} |")
    return "\n".join(lines)


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
