"""Which of the jobs that wait an index worker takes.

A worker compiles the queries of a language when it meets the first file of it, for which it needs
up to half a second. So files of a language go to workers that have compiled it, as long as there
are others to do for the rest.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from surveyor.parsing.languages import language_of
from surveyor.worker.messages import FileJob, Job, Outcome

__all__ = ["Ticket", "choose", "language_needed", "languages_of"]


class Ticket(NamedTuple):
    """A job that waits, and where its outcome goes."""

    job: Job
    outcome: asyncio.Future[Outcome]


def language_needed(job: Job) -> str:
    """The language whose queries a job needs, as its file's name tells; empty where none."""
    if not isinstance(job, FileJob):
        return ""
    language = language_of(job.path)
    return language.name if language is not None and language.grammar is not None else ""


def languages_of(tickets: list[Ticket]) -> set[str]:
    """The languages whose queries these jobs need."""
    return {language_needed(ticket.job) for ticket in tickets} - {""}


def choose(
    line: deque[Ticket], most: int, compiled: AbstractSet[str], elsewhere: AbstractSet[str]
) -> list[Ticket]:
    """Takes up to `most` jobs out of a line, in its order.

    `compiled`: the languages of the worker that asks; `elsewhere`: those of all others. What only
    others have compiled it takes where nothing else waits, and then of one language.
    """
    foreign = elsewhere - compiled
    needed = [language_needed(ticket.job) for ticket in line]
    wanted = [language not in foreign for language in needed]
    if not any(wanted):
        wanted = [language == needed[0] for language in needed]
    taken: list[Ticket] = []
    left: list[Ticket] = []
    for ticket, is_wanted in zip(line, wanted, strict=True):
        (taken if is_wanted and len(taken) < most else left).append(ticket)
    line.clear()
    line.extend(left)
    return taken
