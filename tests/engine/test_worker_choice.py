"""Which jobs a worker takes: files of languages that it has compiled, as long as there are."""

import asyncio
from collections import deque

from surveyor.knowledge.document_reading import ReadJob
from surveyor.worker.choice import Ticket, choose, language_needed, languages_of
from surveyor.worker.messages import FileJob, Job


def line_of(*jobs: Job | str) -> deque[Ticket]:
    loop = asyncio.get_running_loop()
    return deque(
        Ticket(FileJob("", job, "p") if isinstance(job, str) else job, loop.create_future())
        for job in jobs
    )


def paths(tickets: deque[Ticket] | list[Ticket]) -> list[str]:
    return [getattr(ticket.job, "path", "") for ticket in tickets]


async def test_files_of_what_only_others_have_compiled_are_left_to_them() -> None:
    line = line_of("a.ts", "b.tsx", "c.md", "d.py", "e.ts", "f.ts")
    taken = choose(line, 4, {"typescript"}, {"tsx", "typescript"})
    assert paths(taken) == ["a.ts", "c.md", "d.py", "e.ts"]
    assert paths(line) == ["b.tsx", "f.ts"]
    assert languages_of(taken) == {"typescript", "python"}


async def test_nothing_waits_for_a_worker_that_is_busy_and_one_language_is_enough() -> None:
    line = line_of("b.tsx", "a.go", "c.tsx")
    assert paths(choose(line, 8, set(), {"tsx", "go"})) == ["b.tsx", "c.tsx"]
    assert paths(line) == ["a.go"]


async def test_a_job_without_a_grammar_is_anybodys() -> None:
    document = ReadJob("document", "book", path="b.cpp")
    assert [language_needed(job) for job in (document, FileJob("", "LICENSE", "p"))] == ["", ""]
    line = line_of(document, "b.cpp", "LICENSE")
    assert paths(choose(line, 8, set(), {"cpp"})) == ["b.cpp", "LICENSE"]
    assert line[0].job == FileJob("", "b.cpp", "p")
