"""`history`, `memory` and `store`: why it is so, what to keep in mind, what to look up."""

from __future__ import annotations

import contextlib

from surveyor.engine.agents.text import clip, fenced, inline
from surveyor.engine.agents.tools.base import (
    ALL,
    Built,
    Several,
    Tool,
    ToolAnswer,
    ToolContext,
    Values,
    freshness,
    joined,
    said_of,
)
from surveyor.errors import UsageError
from surveyor.protocol import tools
from surveyor.units import counted

WRITE_WAIT_MS = 2000
"""A write is durable at once; so long its carrying out is waited for before `queued` is said."""


async def history(asker: ToolContext, values: Values) -> ToolAnswer:
    """Commits by meaning, or those that changed a symbol, a range or a file."""
    where = asker.where(values["project"])
    if values["symbol"] or (values["path"] and values["start_line"]):
        answer = await asker.ask(
            "history_symbol",
            symbol=values["symbol"],
            path=values["path"],
            start_line=values["start_line"],
            end_line=values["end_line"],
            limit=values["limit"],
            diffs=bool(values["diffs"]),
            **where,
        )
    else:
        answer = await asker.ask(
            "history_search",
            query=values["query"] or "",
            author=values["author"],
            since=values["since"],
            until=values["until"],
            path=values["path"],
            limit=values["limit"],
            **where,
        )
    told = [_commit(each) for each in answer["results"]]
    shown, cut = clip([line for lines in told for line in lines], values["max_tokens"])
    text = joined(
        _sentence(len(told), "commit"),
        fenced([*said_of(answer), *shown]),
        f"{counted(cut, 'line')} left out: raise max_tokens." if cut else "",
    )
    return ToolAnswer(text, freshness(answer))


def _sentence(number: int, what: str) -> str:
    return f"{counted(number, what)}." if number else f"No {what}s."


def _commit(each: Built) -> list[str]:
    lines = [f"{each['commit'][:12]}  {each['date'][:10]}  {inline(each['author'], 60)}"]
    lines.append(f"    {inline(each['subject'])}")
    origin = inline(each["moved_from"], 200) if each.get("moved_from") else ""
    if each.get("introduced"):
        lines.append(
            "    introduced here" + (f", of code that stood at {origin}" if origin else "")
        )
    elif origin:
        lines.append(f"    moved from {origin}")
    if each.get("renamed_from"):
        lines.append(f"    renamed from {inline(each['renamed_from'], 80)}")
    if each.get("body"):
        lines.append(f"    {inline(each['body'], 400)}")
    lines += [f"    {inline(step)}" for step in each.get("summary", [])[:8]]
    if each.get("diff"):
        lines += [f"    {line}" for line in each["diff"].splitlines()[:80]]
    return lines


HISTORY = Tool(tools.HISTORY, history, lambda values: "each")


async def memory(asker: ToolContext, values: Values) -> ToolAnswer:
    """Rules that outlive the session."""
    action = values["action"]
    if action in ("list", "recall"):
        return await _rules(asker, values)
    if not values["label"]:
        raise UsageError(
            f"memory {action} needs a label", "A short one, such as prefer-uv or use-pytest."
        )
    if action == "add" and not values["content"]:
        raise UsageError("memory add needs content", "Say the rule in a sentence or two.")
    scope = values["scope"] or "global"
    where = asker.where(values["project"]) if scope == "project" or values["anchor"] else {}
    answer = await asker.ask(
        "memory_write",
        action=action,
        label=values["label"],
        scope=scope,
        content=values["content"],
        title=values["title"],
        tags=values["tags"],
        priority=values["priority"],
        anchor=values["anchor"],
        wait_ms=WRITE_WAIT_MS,
        **where,
    )
    return _written(answer)


async def _rules(asker: ToolContext, values: Values) -> ToolAnswer:
    where: dict[str, str | None] = {}
    every = values["project"] == ALL
    if not every:
        with contextlib.suppress(UsageError):
            where = asker.where(values["project"])
    scope = values["scope"] or ("all" if every else "current" if where else "global")
    if every and scope == "project":
        scope = "all"
    found, notice = await _asked_rules(asker, values, scope, where)
    if values["project"] is None and scope != "global":
        for _, root in (await asker.open_projects())[1:]:
            more, said = await _asked_rules(asker, values, "project", {"cwd": root})
            found, notice = found + more, notice or said
    if values["action"] == "recall":
        found.sort(key=lambda each: -(each.get("confidence") or 0.0))
    distinct = list(
        {(each["scope"], each["project"], each["label"]): each for each in found}.values()
    )
    rules = distinct[: values["limit"]]
    lines = [line for each in rules for line in _rule(each)]
    left = len(distinct) - len(rules)
    text = joined(
        _sentence(len(rules), "rule"),
        fenced([*said_of({"notice": notice}), *lines]),
        f"{left} left out: raise limit." if left else "",
    )
    return ToolAnswer(text)


async def _asked_rules(
    asker: ToolContext, values: Values, scope: str, where: dict[str, str | None]
) -> tuple[list[Built], str]:
    """All rules of a scope, or those that recall finds; and what may be lacking."""
    if values["action"] == "list":
        listed = await asker.ask("memory_list", scope=scope, **where)
        return list(listed["rules"]), ""
    if not values["content"]:
        raise UsageError("recall needs content", "Say what to look for.")
    recalled = await asker.ask(
        "memory_recall", query=values["content"], scope=scope, limit=values["limit"], **where
    )
    return list(recalled["rules"]), recalled["notice"] or ""


def _rule(each: Built) -> list[str]:
    marks = [each["scope"], *(f"#{inline(tag, 30)}" for tag in each["tags"])]
    if each.get("anchor"):
        marks.append(f"at {inline(each['anchor'])}")
    if each["needs_review"]:
        marks.append("its code has changed: review it")
    title = f" — {inline(each['title'])}" if each["title"] else ""
    lines = [f"{inline(each['label'], 60)}{title} ({', '.join(marks)})"]
    return lines + [f"    {line}" for line in each["content"].splitlines()]


def _written(answer: Built) -> ToolAnswer:
    said = "Done." if answer["status"] == "done" else "Queued; it is durable and follows shortly."
    return ToolAnswer(joined(said, fenced(answer.get("warnings", []))))


def _memory_several(values: Values) -> Several:
    """Reading covers every project by itself; a rule belongs to one."""
    if values["action"] in ("list", "recall") or (values["scope"] or "global") == "global":
        return "own"
    return "one"


MEMORY = Tool(tools.MEMORY, memory, _memory_several)


async def store(asker: ToolContext, values: Values) -> ToolAnswer:
    """Keep a reference document."""
    answer = await asker.ask(
        "library_ingest",
        name=values["library_name"],
        content=values["content"],
        title=values["title"],
        source=values["source"],
        url=values["url"],
        metadata=values["metadata"] or {},
        wait_ms=WRITE_WAIT_MS,
    )
    return _written(answer)


STORE = Tool(tools.STORE, store)
