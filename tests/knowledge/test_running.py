"""Libraries, notes, sessions, limits and derived points in one running engine."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import docx
import psutil
import pytest
from tests.product import git

from surveyor.client.blocking import call
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.protocol.engine import DoctorRequest, Finding, StatusRequest, StopRequest
from surveyor.protocol.knowledge import (
    EvictedRequest,
    KnowledgeUsage,
    LibraryAddRequest,
    LibraryDepsRequest,
    LibraryIngestRequest,
    LibraryListRequest,
    LibraryRemoveRequest,
    LibraryRestoreRequest,
    LibrarySearchRequest,
    MemoryExportRequest,
    MemoryImportRequest,
    MemoryInjectRequest,
    MemoryListRequest,
    MemoryRecallRequest,
    MemoryWriteRequest,
    RefreshRequest,
    WriteWaitRequest,
)
from surveyor.protocol.projects import IndexRequest
from surveyor.protocol.search import SearchRequest
from surveyor.store.vectors.edge import EdgeStore

WAIT_MS = 300_000
DAY_S = 86_400
POLL_S = 0.3
"""The engine tells nobody when it has read its configuration or a folder: it is asked again."""
PATIENCE_S = 120

pytestmark = pytest.mark.timeout(900)


@dataclass
class Room:
    """A data folder whose engine runs."""

    folder: Path
    data: Path

    def configure(self, model: str | None = None, **storage: str) -> None:
        """Write the configuration; the engine looks at it twice a second."""
        lines = ["[model]", f'name = "{Path(model).as_posix()}"'] if model else []
        lines += ["[storage]", *(f'{name} = "{value}"' for name, value in storage.items())]
        lines += [
            "[memory]",
            "harvest = true",
            f'claude_code = "{(self.folder / "claude").as_posix()}"',
            f'opencode = "{(self.folder / "opencode").as_posix()}"',
            f'transcripts = ["{(self.folder / "minutes").as_posix()}"]',
        ]
        (self.data / "surveyor.toml").write_text("\n".join(lines) + "\n")

    def limit(self, name: str) -> float:
        return float(call(StatusRequest()).knowledge["limits"][name])

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = tmp_path_factory.mktemp("room")
    made = Room(folder, folder / "data")
    made.data.mkdir()
    made.configure()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SURVEYOR_DATA_DIR", str(made.data))
        yield made
        call(StopRequest())


def refresh() -> KnowledgeUsage:
    answer = call(RefreshRequest(wait_ms=WAIT_MS))
    assert answer.status == "done"
    return answer.usage


def until(condition: Callable[[], object]) -> None:
    """Ask the engine now and then until it says what is hoped for."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(POLL_S)


def project(room: Room, name: str, remote: str | None = None) -> Path:
    root = room.folder / uuid.uuid4().hex[:8] / name
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    if remote:
        git(root, "remote", "add", "origin", remote)
    return root


def index(root: Path) -> None:
    call(IndexRequest(path=str(root), wait=True))


def found(query: str, library: str, **options: object) -> list[str]:
    request = LibrarySearchRequest(query=query, library=library, **options)  # type: ignore[arg-type]
    try:
        return [hit.tenant for hit in call(request).results]
    except NotFoundError:
        return []


# --- libraries ----------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "left"), [("sync", False), ("incremental", True)])
def test_sync_mirrors_a_deletion_and_incremental_ignores_it(
    room: Room, mode: str, left: bool
) -> None:
    kept = room.write(f"{mode}/part/kept.md", "# Tides\n\nThe moon pulls the sea.\n")
    gone = room.write(f"{mode}/part/gone.md", "# Volcanoes\n\nLava is molten rock.\n")
    name = f"nature-{mode}"
    add = LibraryAddRequest(folder=str(kept.parent.parent), name=name, mode=mode, wait_ms=WAIT_MS)  # type: ignore[arg-type]
    assert call(add).status == "done"
    assert f"{name}.part.gone" in found("molten rock", name)

    gone.unlink()
    kept.write_text("# Tides\n\nThe moon pulls the sea, the sun a little.\n")
    refresh()

    assert (f"{name}.part.gone" in found("molten rock", name)) == left
    assert found("the sun pulls a little", f"{name}.part")[0] == f"{name}.part.kept"


def test_a_removed_library_is_only_marked_and_comes_back_and_a_purged_one_does_not(
    room: Room,
) -> None:
    for chapter, text in (("ch1.heat", "Heat flows from warm to cold."), ("ch2.light", "Light")):
        stored = call(
            LibraryIngestRequest(name=f"physics.{chapter}", content=text, wait_ms=WAIT_MS)
        )
        assert stored.status == "done"
    assert found("heat flows", "physics.ch1") == ["physics.ch1.heat"]

    call(LibraryRemoveRequest(name="physics.ch1", wait_ms=WAIT_MS))
    assert "physics.ch1.heat" not in found("heat flows", "physics")
    assert "physics.ch1.heat" in found("heat flows", "physics", include_deleted=True)
    assert "physics.ch2.light" in found("light", "physics")

    call(LibraryRestoreRequest(name="physics.ch1", wait_ms=WAIT_MS))
    assert "physics.ch1.heat" in found("heat flows", "physics")

    call(LibraryRemoveRequest(name="physics", purge=True, wait_ms=WAIT_MS))
    assert found("heat flows", "physics", include_deleted=True) == []
    with pytest.raises(NotFoundError):
        call(LibraryRestoreRequest(name="physics"))


def test_what_cannot_be_read_is_named_with_the_reason(room: Room) -> None:
    good = room.write("mixed/good.txt", "Plain words about glaciers.\n")
    room.write("mixed/broken.pdf", "%PDF-1.7 but nothing more")
    call(LibraryAddRequest(folder=str(good.parent), name="mixed", wait_ms=WAIT_MS))
    refresh()
    (item,) = [one for one in call(LibraryListRequest()).libraries if one.name == "mixed"]
    assert item.documents >= 1
    assert any("broken.pdf" in problem for problem in item.failed)
    assert found("glaciers", "mixed") == ["mixed.good"]


def test_two_documents_of_one_name_are_two_and_the_same_one_again_is_one(room: Room) -> None:
    first = room.write("one/README.md", "# One\n\nAbout geysers.\n")
    second = room.write("two/README.md", "# Two\n\nAbout fjords.\n")
    for _ in range(2):
        for path in (first, second):
            call(LibraryIngestRequest(name="readmes", path=str(path), wait_ms=WAIT_MS))
        for text in ("Notes\n\nOf Monday, about lynxes.", "Notes\n\nOf Tuesday, about martens."):
            call(LibraryIngestRequest(name="readmes", content=text, wait_ms=WAIT_MS))
    (item,) = [one for one in call(LibraryListRequest()).libraries if one.name == "readmes"]
    assert item.documents == 4
    for word in ("geysers", "fjords", "lynxes", "martens"):
        hits = call(LibrarySearchRequest(query=word, library="readmes")).results
        assert any(word in hit.snippet for hit in hits)
    second.write_text("# Two\n\nAbout lagoons.\n")
    call(LibraryIngestRequest(name="readmes", path=str(second), wait_ms=WAIT_MS))
    hits = call(LibrarySearchRequest(query="lagoons", library="readmes")).results
    assert any("lagoons" in hit.snippet for hit in hits)
    (item,) = [one for one in call(LibraryListRequest()).libraries if one.name == "readmes"]
    assert item.documents == 4


def test_what_a_file_said_stays_while_it_cannot_be_read(room: Room) -> None:
    paper = room.folder / "flaky" / "paper.docx"
    paper.parent.mkdir()
    document = docx.Document()
    document.add_paragraph("Corals build reefs.")
    document.save(str(paper))
    call(LibraryAddRequest(folder=str(paper.parent), name="flaky", wait_ms=WAIT_MS))
    assert found("corals build", "flaky") == ["flaky.paper"]
    whole = paper.read_bytes()
    paper.write_bytes(whole[: len(whole) // 2])  # still being copied
    refresh()
    assert found("corals build", "flaky") == ["flaky.paper"]
    (item,) = [one for one in call(LibraryListRequest()).libraries if one.name == "flaky"]
    assert any("what it said before is kept" in problem for problem in item.failed)
    paper.write_bytes(whole)
    refresh()
    (item,) = [one for one in call(LibraryListRequest()).libraries if one.name == "flaky"]
    assert item.failed == []


def test_a_notes_folder_that_is_out_of_reach_loses_nothing(room: Room) -> None:
    room.write("data/notes/far.md", "# Far\n\nThe lighthouse keeper sleeps.\n")
    refresh()
    assert "notes.far" in _notes("lighthouse keeper")
    (room.data / "notes").rename(room.data / "unmounted")
    refresh()
    assert "notes.far" in _notes("lighthouse keeper")
    (room.data / "unmounted").rename(room.data / "notes")
    (room.data / "notes" / "far.md").unlink()
    refresh()
    assert "notes.far" not in _notes("lighthouse keeper")


def test_a_projects_document_is_seen_there_and_on_request_only(room: Room) -> None:
    here, there = project(room, "here"), project(room, "there")
    for root in (here, there):
        (root / "a.py").write_text("A = 1\n")
        index(root)
    call(
        LibraryIngestRequest(
            name="specs.wire", content="# Wire\n\nFrames begin with a magic byte.\n",
            title="Wire format", url="https://example.org/wire", topics=["protocol"],
            project=str(here), wait_ms=WAIT_MS,
        )
    )  # fmt: skip
    query = "what do frames begin with"
    (hit,) = call(LibrarySearchRequest(query=query, library="specs", cwd=str(here))).results
    assert hit.tenant.endswith(".specs.wire")
    assert hit.tenant != "specs.wire"
    assert (hit.title, hit.url, hit.topics) == (
        "Wire format", "https://example.org/wire", ["protocol"],
    )  # fmt: skip
    assert found(query, "specs", cwd=str(there)) == []
    assert found(query, "specs", project="all") == [hit.tenant]
    assert found(query, "specs", cwd=str(there), project=str(here)) == [hit.tenant]


# --- notes and sessions -------------------------------------------------------------------


def test_notes_and_sessions_are_harvested_each_for_its_project(room: Room) -> None:
    shop, blog = project(room, "shop"), project(room, "blog")
    for root in (shop, blog):
        (root / "a.py").write_text("A = 1\n")
        index(root)
    said = {"role": "user", "content": "The login cookie expires too early"}
    lines = [{"type": "user", "cwd": str(shop), "timestamp": _today(), "message": said}]
    claude = room.write("claude/-shop/s1.jsonl", "\n".join(map(json.dumps, lines)) + "\n")
    now_ms = time.time() * 1000
    times = {"created": now_ms, "updated": now_ms}
    info = {"id": "ses_1", "title": "Feed", "directory": str(blog), "time": times}
    room.write("opencode/session/p/ses_1.json", json.dumps(info))
    room.write(
        "opencode/message/ses_1/m.json", json.dumps({"id": "m", "role": "user", "time": times})
    )
    part = {"type": "text", "text": "The feed of articles lacks dates"}
    room.write("opencode/part/m/p.json", json.dumps(part))
    room.write("minutes/monday.md", "# Monday\n\nWe will drop Python 3.9 in spring.\n")
    room.write("data/notes/MEMORY.md", "# Memory\n\nThe staging database is called marmot.\n")
    before = claude.read_bytes()

    usage = refresh()

    assert (usage.kinds["notes"]["entries"], usage.kinds["sessions"]["entries"]) == (1, 3)
    assert _first_note("cookie expires", shop) == str(claude)
    assert _first_note("feed lacks dates", blog).endswith("ses_1.json")
    assert _first_note("cookie expires", blog) != str(claude)
    for root in (shop, blog):
        assert _first_note("drop Python 3.9", root).endswith("monday.md")
        assert _first_note("staging database", root).endswith("MEMORY.md")
    assert claude.read_bytes() == before

    claude.unlink()
    (room.data / "notes" / "MEMORY.md").unlink()
    refresh()
    assert _first_note("cookie expires", shop) == str(claude)
    assert not _first_note("staging database", shop).endswith("MEMORY.md")


def _first_note(query: str, root: Path) -> str:
    answer = call(SearchRequest(query=query, cwd=str(root), corpora=["notes"], limit=1))
    return answer.results[0].path if answer.results else ""


def _today() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


# --- limits -------------------------------------------------------------------------------


def test_what_the_user_stored_stays_whatever_its_age_and_size(room: Room) -> None:
    call(MemoryWriteRequest(action="add", label="stays", content="Rules stay", wait_ms=WAIT_MS))
    call(LibraryIngestRequest(name="pasted.text", content="Pasted words", wait_ms=WAIT_MS))
    folder = room.write("shelf/book.md", "# Book\n\nAbout whales and krill.\n").parent
    call(LibraryAddRequest(folder=str(folder), name="shelf", wait_ms=WAIT_MS))
    _date(room.write("data/notes/old.md", "# old\n\nThe old day was rainy.\n"), 1_000_000_000)
    room.configure(max_size="1KB", retention="1d")
    until(lambda: room.limit("max_size") == 1024)
    _a_day_later(room)
    usage = refresh()
    assert room.limit("retention") == DAY_S
    assert usage.pending == []
    assert found("whales", "shelf") == ["shelf.book"]
    assert "notes.old" in _notes("rainy day")
    assert found("pasted words", "pasted") == ["pasted.text"]
    assert "stays" in [rule.label for rule in call(MemoryListRequest()).rules]
    assert any("libraries: " in warning and "stay" in warning for warning in usage.warnings)
    room.configure()
    until(lambda: room.limit("max_size") == 2 * 1024**3)
    refresh()


def _a_day_later(room: Room) -> None:
    """Every limit that waits to become smaller has waited long enough."""
    refresh()  # it is seen that they wait
    with closing(sqlite3.connect(room.data / "state.db", timeout=30)) as state, state:
        for key, value in state.execute(
            "SELECT key, value FROM settings WHERE key LIKE 'in_force:%'"
        ).fetchall():
            in_force, wanted, since = json.loads(value)
            state.execute(
                "UPDATE settings SET value = ? WHERE key = ?",
                (json.dumps([in_force, wanted, since - DAY_S]), key),
            )


def _session(room: Room, name: str, said: str, age_days: float) -> Path:
    path = room.write(f"minutes/{name}.md", f"# {name}\n\n{said}\n")
    _date(path, time.time() - age_days * DAY_S)
    return path


def test_a_shorter_retention_waits_a_day_is_listed_and_what_went_comes_back(room: Room) -> None:
    _session(room, "old", "We talked about badgers.", 40)
    _session(room, "new", "We talked about badgers again.", 2)
    refresh()
    assert len(_sessions("badgers")) == 2

    room.configure(retention="30d")
    until(lambda: room.limit("retention") == 30 * DAY_S)
    usage = refresh()
    assert len(_sessions("badgers")) == 2
    (pending,) = usage.pending
    assert "storage.retention goes from 90 days to 30 days on " in pending
    assert "deletes 1 session " in pending
    doctor = call(DoctorRequest()).findings
    assert any(pending == each.message and not each.ok for each in doctor)

    room.configure()  # undone
    until(lambda: room.limit("retention") == 90 * DAY_S)
    assert refresh().pending == []

    room.configure(retention="30d")
    until(lambda: room.limit("retention") == 30 * DAY_S)
    _a_day_later(room)
    usage = refresh()
    assert len(_sessions("badgers")) == 1
    assert usage.evicted == {"sessions": 1}
    (gone,) = call(EvictedRequest()).evicted
    assert (gone.kind, gone.reason, gone.returns) == ("sessions", "retention", True)
    assert gone.path == str(room.folder / "minutes" / "old.md")

    room.configure()
    until(lambda: room.limit("retention") == 90 * DAY_S)
    assert call(RefreshRequest(wait_ms=WAIT_MS)).restored == 1
    assert len(_sessions("badgers")) == 2
    assert call(EvictedRequest()).evicted == []


def test_a_lower_size_lets_go_of_the_oldest_sessions_and_of_nothing_else(room: Room) -> None:
    for number in range(3):
        _session(room, f"size{number}", f"Hedgehogs, part {number}.", 10 - number)
    root = project(room, "sized")
    for number in range(4):
        (root / "a.py").write_text(f"A = {number}\n")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"change {number}")
    index(root)
    until(lambda: refresh().kinds["history"]["entries"] >= 4)  # read every ten seconds
    usage = refresh()
    size = usage.kinds["sessions"]["bytes"]
    room.configure(max_sessions=f"{size - 1}")
    until(lambda: room.limit("max_sessions") == size - 1)
    assert refresh().evicted == {}
    assert any("sessions: " in each and "beyond it" in each for each in refresh().warnings)
    _a_day_later(room)
    usage = refresh()
    assert set(usage.evicted) == {"sessions"}
    assert usage.kinds["sessions"]["bytes"] < size
    assert usage.kinds["history"]["entries"] >= 4
    room.configure()
    until(lambda: room.limit("max_sessions") == 2 * 1024**3)
    refresh()
    assert call(EvictedRequest()).evicted == []


def test_packages_and_history_go_by_their_own_limits_and_come_back(room: Room) -> None:
    root = project(room, "gathered")
    (root / "package.json").write_text('{"dependencies": {"left-pad": "1.0.0"}}')
    package = root / "node_modules" / "left-pad"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "left-pad", "version": "1.0.0"}')
    (package / "README.md").write_text("# left-pad\n\nPads strings with wombats.\n")
    for number in range(8):
        (root / "a.py").write_text(f"A = {number}\n")
        git(root, "add", "a.py", "package.json")
        git(root, "commit", "-q", "-m", f"change {number}")
    index(root)
    deps = LibraryDepsRequest(cwd=str(root), project=str(root), wait_ms=WAIT_MS)
    assert call(deps).new == 1
    until(lambda: refresh().kinds["history"]["entries"] >= 8)
    library = "npm.left-pad@1.0.0"
    assert found("wombats", library, project=str(root))
    commits = refresh().kinds["history"]["entries"]

    room.configure(max_packages="1", max_history="1")
    until(lambda: room.limit("max_history") == 1)
    _a_day_later(room)
    usage = refresh()
    assert usage.evicted["packages"] == 1 and usage.evicted["history"] >= 1
    assert found("wombats", library, project=str(root)) == []
    assert usage.kinds["history"]["entries"] < commits
    listed = {one.kind: one for one in call(EvictedRequest()).evicted}
    assert listed["packages"].name == library and listed["packages"].returns
    (item,) = [
        one
        for one in call(LibraryListRequest(project=str(root), packages=True)).libraries
        if one.name == library
    ]
    assert (item.documents, item.evicted > 0) == (0, True)

    room.configure()
    until(lambda: room.limit("max_history") == 2 * 1024**3)
    refresh()
    until(lambda: refresh().kinds["history"]["entries"] == commits)
    assert found("wombats", library, project=str(root))
    assert call(EvictedRequest()).evicted == []


def test_a_package_that_went_is_read_again_by_the_command_that_read_it(room: Room) -> None:
    root = project(room, "again")
    (root / "package.json").write_text('{"dependencies": {"right-pad": "1.0.0"}}')
    package = root / "node_modules" / "right-pad"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "right-pad", "version": "1.0.0"}')
    (package / "README.md").write_text("# right-pad\n\nPads strings with numbats.\n")
    index(root)
    deps = LibraryDepsRequest(cwd=str(root), project=str(root), wait_ms=WAIT_MS)
    assert call(deps).new == 1
    room.configure(max_packages="1")
    until(lambda: room.limit("max_packages") == 1)
    _a_day_later(room)
    refresh()
    room.configure()
    until(lambda: room.limit("max_packages") == 2 * 1024**3)
    assert call(deps).new == 1
    assert found("numbats", "npm.right-pad@1.0.0", project=str(root))


def test_a_file_that_is_broken_changes_no_setting_and_lets_nothing_go(room: Room) -> None:
    room.configure(retention="3650d")
    until(lambda: room.limit("retention") == 3650 * DAY_S)
    _session(room, "ancient", "We talked about otters.", 400)
    refresh()
    assert len(_sessions("otters")) == 1
    whole = (room.data / "surveyor.toml").read_text()

    for broken in (whole + "[[[", whole.replace('"3650d"', '"a while"'), "", "retention = ["):
        (room.data / "surveyor.toml").write_text(broken)
        until(lambda: any("surveyor.toml" in w or "a while" in w for w in _warnings()))
        assert room.limit("retention") == 3650 * DAY_S
        until(lambda: any(not each.ok and each.check == "settings" for each in _findings()))
        refresh()
        assert len(_sessions("otters")) == 1
    (room.data / "surveyor.toml").unlink()
    _stop()
    assert room.limit("retention") == 3650 * DAY_S  # another engine
    refresh()
    assert len(_sessions("otters")) == 1
    (room.data / "surveyor.toml").write_text("# back to the defaults, on purpose\n" + whole)
    until(lambda: not any("surveyor.toml" in warning for warning in _warnings()))
    room.configure()
    until(lambda: room.limit("retention") == 90 * DAY_S)
    assert any("storage.retention" in each for each in refresh().pending)
    _stop()
    assert any("storage.retention" in each for each in refresh().pending)
    assert len(_sessions("otters")) == 1


def _warnings() -> list[str]:
    return [str(each) for each in call(StatusRequest()).knowledge["warnings"]]


def _findings() -> list[Finding]:
    return call(DoctorRequest()).findings


def _sessions(query: str) -> list[str]:
    word = query.split(maxsplit=1)[0]
    request = LibrarySearchRequest(query=query, notes=True, project="all", limit=50)
    return [hit.tenant for hit in call(request).results if word in hit.snippet.lower()]


def _notes(query: str) -> list[str]:
    request = LibrarySearchRequest(query=query, notes=True, project="all")
    return [hit.tenant for hit in call(request).results]


def _date(path: Path, at: float) -> None:
    os.utime(path, (at, at))


def test_nothing_is_written_when_the_disk_is_nearly_full(room: Room) -> None:
    room.configure(min_free_disk="4000TB")
    until(lambda: room.limit("min_free_disk") > 1 << 50)
    with pytest.raises(SurveyorError, match="disk are free"):
        call(MemoryWriteRequest(action="add", label="late", content="Too late"))
    room.configure()
    until(lambda: room.limit("min_free_disk") == 100 * 1024**2)
    assert call(
        MemoryWriteRequest(action="add", label="late", content="In time", wait_ms=WAIT_MS)
    ).status == "done"  # fmt: skip


def test_a_bad_limit_is_named_with_the_default_that_is_used(room: Room) -> None:
    room.configure(max_size="lots")

    def named() -> list[str]:
        told = call(StatusRequest()).knowledge["warnings"]
        return [one for one in told if "storage.max_size = 'lots'" in one and "default" in one]

    until(named)
    assert room.limit("max_size") == 2 * 1024**3
    room.configure()
    until(lambda: not named())


# --- rules --------------------------------------------------------------------------------


def test_an_export_brings_back_every_rule_in_order(room: Room) -> None:
    root = project(room, "rules")
    (root / "a.py").write_text("def close():\n    return 1\n")
    index(root)
    for label, scope, anchor in (("b-late", "global", None), ("here", "project", "close")):
        call(
            MemoryWriteRequest(
                action="add", label=label, content=f"About {label}\n\n- a list", scope=scope,  # type: ignore[arg-type]
                title="T", tags=["x", "y"], type="pattern", priority=7, cwd=str(root),
                anchor=anchor, wait_ms=WAIT_MS,
            )
        )  # fmt: skip
    # The same label here and everywhere are two rules.
    twin = MemoryWriteRequest(
        action="add", label="b-late", content="Ours", scope="project", cwd=str(root),
        wait_ms=WAIT_MS,
    )  # fmt: skip
    assert call(twin).status == "done"
    before = call(MemoryListRequest(cwd=str(root))).rules
    labels = [(rule.scope, rule.label) for rule in before]
    assert labels == sorted(labels, key=lambda one: one[0] != "global")
    injected = call(MemoryInjectRequest(cwd=str(root))).text
    assert injected.index("About b-late") < injected.index("## In rules") < injected.index("Ours")

    for form in ("markdown", "json"):
        text = call(MemoryExportRequest(cwd=str(root), format=form)).text
        for rule in before:
            call(
                MemoryWriteRequest(
                    action="remove", label=rule.label, scope=rule.scope, cwd=str(root),
                    wait_ms=WAIT_MS,
                )
            )  # fmt: skip
        assert call(MemoryListRequest(cwd=str(root))).rules == []
        answer = call(MemoryImportRequest(text=text, cwd=str(root)))
        waited = call(WriteWaitRequest(queue_ids=answer.queue_ids, wait_ms=WAIT_MS))
        assert waited.status == "done"
        after = call(MemoryListRequest(cwd=str(root))).rules
        assert [_said(rule) for rule in after] == [_said(rule) for rule in before]
        again = call(MemoryImportRequest(text=text, cwd=str(root), wait_ms=WAIT_MS))
        assert len(again.unchanged) == len(before)


def _said(rule: object) -> tuple[object, ...]:
    names = [
        "scope",
        "label",
        "title",
        "content",
        "tags",
        "type",
        "priority",
        "anchor",
        "created_at",
    ]
    return tuple(getattr(rule, name) for name in names)


def test_rules_are_seen_in_every_clone_and_worktree_each_with_its_own_place(room: Room) -> None:
    remote = "https://example.org/team/tool.git"
    root = project(room, "tool", remote)
    body = "def total(items):\n    result = 0\n    for item in items:\n        result += item\n"
    body += "    return result\n"
    (root / "a.py").write_text(body)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Add totals")
    clone, tree = root.parent / "tool-clone", root.parent / "tool-tree"
    git(root.parent, "clone", "-q", str(root), str(clone))
    git(clone, "remote", "set-url", "origin", remote)
    git(root, "worktree", "add", "-q", str(tree), "-b", "other")
    for each in (root, clone, tree):
        index(each)
    add = MemoryWriteRequest(
        action="add", label="no-round", content="Totals never round", scope="project",
        cwd=str(root), anchor="total", wait_ms=WAIT_MS,
    )  # fmt: skip
    assert call(add).status == "done"
    (clone / "b.py").write_text("X = 1\n\n\n" + body.replace("total", "add_up"))
    (clone / "a.py").unlink()
    (tree / "a.py").write_text(body.replace("+= item", "-= item"))
    for each in (clone, tree):
        index(each)

    def place(at: Path) -> tuple[str, str | None, bool]:
        (rule,) = call(MemoryListRequest(cwd=str(at), scope="project")).rules
        assert rule.place is not None
        return rule.place.path, rule.place.symbol, rule.needs_review

    assert place(root) == ("a.py", "total", False)
    assert place(clone) == ("b.py", "add_up", False)
    assert place(tree) == ("a.py", "total", True)
    # A search that finds the code says which rule is about it.
    hits = call(SearchRequest(query="add up items", cwd=str(clone))).results
    assert any(one.startswith("no-round: Totals never round") for one in hits[0].rules)


def test_rules_that_do_not_match_stay_out_of_a_search_for_code(room: Room) -> None:
    root = project(room, "fused")
    (root / "cookies.py").write_text(
        'def read_cookie(header):\n    """Parse the cookie header of a request."""\n'
        "    return dict(part.split('=') for part in header.split(';'))\n"
    )
    index(root)
    for label, content in (
        ("cookie-rule", "Parse cookie headers leniently"),
        ("walrus", "Name every new walrus after a composer"),
    ):
        call(
            MemoryWriteRequest(
                action="add", label=label, content=content, scope="project", cwd=str(root),
                wait_ms=WAIT_MS,
            )
        )  # fmt: skip
    query = SearchRequest(
        query="parse the cookie header", cwd=str(root),
        corpora=["code", "rules", "libraries", "notes", "history"],
    )  # fmt: skip
    results = call(query).results
    assert results[0].source == "code"
    titles = [one.title for one in results if one.source == "rules"]
    assert "cookie-rule" in titles
    assert "walrus" not in titles
    assert {one.source for one in call(SearchRequest(query="walrus", cwd=str(root))).results} <= {
        "code"
    }


# --- derived points -----------------------------------------------------------------------


def test_an_earlier_models_points_answer_until_the_new_ones_are_made(room: Room) -> None:
    from surveyor.embedding.dense import SHIPPED_FOLDER, describe_model

    call(
        MemoryWriteRequest(
            action="add", label="marmots", content="Marmots whistle at eagles", wait_ms=WAIT_MS
        )
    )
    other = room.folder / "model"
    shutil.copytree(SHIPPED_FOLDER, other, dirs_exist_ok=True)
    settings = json.loads((other / "tokenizer_config.json").read_text())
    (other / "tokenizer_config.json").write_text(json.dumps(settings | {"model_max_length": 99}))
    new = describe_model(str(other)).fingerprint
    old = describe_model().fingerprint

    room.configure(model=str(other))
    until(lambda: call(StatusRequest()).model == str(other))

    def only_new() -> bool:
        assert _best("what do marmots do about eagles") == "marmots"
        models = {one.name[:12] for one in (room.data / "vectors" / "memory").glob("global-*/*")}
        return new in models and old not in models

    call(RefreshRequest())
    until(only_new)
    assert _best("what do marmots do about eagles") == "marmots"
    room.configure()
    until(lambda: call(StatusRequest()).model != str(other))


def test_points_that_were_lost_are_made_again(room: Room) -> None:
    call(
        MemoryWriteRequest(
            action="add", label="otters", content="Otters hold hands asleep", wait_ms=WAIT_MS
        )
    )
    stored = LibraryIngestRequest(name="zoo.seals", content="Seals clap.", wait_ms=WAIT_MS)
    assert call(stored).status == "done"
    _stop()
    shutil.rmtree(room.data / "vectors")
    refresh()
    assert _best("how do otters sleep") == "otters"
    assert found("seals", "zoo") == ["zoo.seals"]


def test_points_of_nothing_are_dropped(room: Room) -> None:
    for label in ("herons", "storks"):
        added = MemoryWriteRequest(
            action="add", label=label, content=f"{label} wade", wait_ms=WAIT_MS
        )
        assert call(added).status == "done"
    _stop()
    with closing(sqlite3.connect(room.data / "state.db")) as state, state:
        (orphan,) = state.execute("SELECT rule_id FROM rules WHERE label = 'herons'").fetchone()
        (kept,) = state.execute("SELECT rule_id FROM rules WHERE label = 'storks'").fetchone()
        state.execute("DELETE FROM rules WHERE label = 'herons'")
    assert {orphan, kept} <= _points_of_rules(room)
    refresh()
    _stop()
    points = _points_of_rules(room)
    assert kept in points
    assert orphan not in points
    refresh()


def _stop() -> None:
    engine = psutil.Process(call(StatusRequest()).pid)
    call(StopRequest())
    engine.wait(PATIENCE_S)


def _points_of_rules(room: Room) -> set[str]:
    """Of the rules that hold everywhere, while no engine runs."""
    store = EdgeStore(room.data / "vectors")
    try:
        spaces = [
            each
            for each in store.spaces()
            if (each.collection, each.tenant) == ("memory", "global")
        ]
        return {point for each in spaces for point in store.ids(each)}
    finally:
        store.close()


def _best(query: str) -> str:
    rules = call(MemoryRecallRequest(query=query)).rules
    return rules[0].label if rules else ""
