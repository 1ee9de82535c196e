"""The watcher on real folders and real repositories. Every wait is for an event."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.gitrepo import git, repository, write

from surveyor.engine.index import watch as watch_module
from surveyor.engine.index import watched_root
from surveyor.engine.index.change_batches import ChangeBatch
from surveyor.engine.index.watch import Watcher
from surveyor.parsing.ignore import Ignore

PATIENCE_S = 20.0


class Seen:
    """Collects batches and waits until they say what is hoped for."""

    def __init__(self) -> None:
        self.batches: list[ChangeBatch] = []
        self._news = asyncio.Condition()

    async def __call__(self, changes: ChangeBatch) -> None:
        async with self._news:
            self.batches.append(changes)
            self._news.notify_all()

    async def until(self, hoped: Callable[[Seen], bool]) -> None:
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: hoped(self)), PATIENCE_S)

    @property
    def modified(self) -> set[str]:
        return {path for batch in self.batches for path in batch.modified}

    @property
    def deleted(self) -> set[str]:
        return {path for batch in self.batches for path in batch.deleted}

    @property
    def renamed(self) -> set[tuple[str, str]]:
        return {pair for batch in self.batches for pair in batch.renamed}

    @property
    def reasons(self) -> set[str]:
        return {batch.reason for batch in self.batches if batch.overflow}

    @property
    def git_changed(self) -> bool:
        return any(batch.git_changed for batch in self.batches)

    def forget(self) -> None:
        self.batches.clear()


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
async def watcher(seen: Seen) -> AsyncIterator[Watcher]:
    made = Watcher(seen)
    yield made
    await asyncio.to_thread(made.close)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(
        tmp_path / "r",
        {"a.py": "", "sub/b.py": "", "sub/deep/c.py": "", ".gitignore": "build/\n*.tmp\n"},
    )


async def follow(watcher: Watcher, root: Path) -> None:
    await asyncio.to_thread(watcher.add, root, Ignore(root))


async def test_an_edit_a_new_file_and_a_deletion(watcher: Watcher, seen: Seen, root: Path) -> None:
    await follow(watcher, root)
    write(root, {"a.py": "a = 2\n", "sub/new.py": "", "build/out.py": "", "x.tmp": ""})
    (root / "sub" / "b.py").unlink()
    await seen.until(lambda s: {"a.py", "sub/new.py"} <= s.modified and "sub/b.py" in s.deleted)
    assert seen.modified == {"a.py", "sub/new.py"}
    assert seen.deleted == {"sub/b.py"}
    assert not seen.git_changed


@pytest.mark.skipif(sys.platform != "linux", reason="others say so as an edit, or not at all")
async def test_a_file_that_may_be_read_now_or_no_more_is_a_change(
    watcher: Watcher, seen: Seen, root: Path
) -> None:
    await follow(watcher, root)
    (root / "sub" / "b.py").chmod(0)
    await seen.until(lambda s: "sub/b.py" in s.modified)
    seen.forget()
    (root / "sub" / "b.py").chmod(0o644)
    await seen.until(lambda s: "sub/b.py" in s.modified)


async def test_the_first_file_of_a_batch_is_said_and_ignored_ones_are_not(
    seen: Seen, root: Path
) -> None:
    first: list[str] = []
    watcher = Watcher(seen, first.append)
    try:
        await follow(watcher, root)
        write(root, {"x.tmp": "", "build/out.py": "", "a.py": "a = 2\n"})
        await seen.until(lambda s: "a.py" in s.modified)
        assert set(first) == {"a.py"}
    finally:
        await asyncio.to_thread(watcher.close)


async def test_renames_are_pairs(watcher: Watcher, seen: Seen, root: Path) -> None:
    await follow(watcher, root)
    (root / "a.py").rename(root / "sub" / "z.py")
    await seen.until(lambda s: ("a.py", "sub/z.py") in s.renamed)
    (root / "sub").rename(root / "moved")
    await seen.until(lambda s: ("sub/deep/c.py", "moved/deep/c.py") in s.renamed)
    assert ("sub/b.py", "moved/b.py") in seen.renamed
    seen.forget()
    write(root, {"moved/deep/c.py": "c = 2\n"})
    await seen.until(lambda s: "moved/deep/c.py" in s.modified)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
async def test_names_that_are_not_text_do_not_hide_what_happens_beside_them(
    watcher: Watcher, seen: Seen, root: Path
) -> None:
    folder = os.fsencode(root)
    Path(os.fsdecode(folder + b"/old\xff.py")).write_text("")
    await follow(watcher, root)
    os.rename(folder + b"/a.py", folder + b"/a\xe9.py")  # noqa: PTH104 - bytes
    os.rename(folder + b"/old\xff.py", folder + b"/new.py")  # noqa: PTH104
    os.mkdir(folder + b"/f\xfe")  # noqa: PTH102
    Path(os.fsdecode(folder + b"/f\xfe/x.py")).write_text("")
    write(root, {"sub/b.py": "b = 2\n"})
    await seen.until(lambda s: {"new.py", "sub/b.py"} <= s.modified and "a.py" in s.deleted)
    assert (seen.modified, seen.deleted) == ({"new.py", "sub/b.py"}, {"a.py"})
    assert not seen.renamed


async def test_changes_that_could_not_be_followed_ask_for_a_scan(root: Path) -> None:
    class Failing(Seen):
        async def __call__(self, changes: ChangeBatch) -> None:
            await super().__call__(changes)
            if not changes.overflow:
                raise ValueError("of nobody's making")

    seen = Failing()
    watcher = Watcher(seen)
    try:
        await follow(watcher, root)
        write(root, {"a.py": "a = 2\n"})
        await seen.until(lambda s: s.reasons == {"overflow"})
    finally:
        await asyncio.to_thread(watcher.close)


async def test_an_editors_atomic_save_is_a_change(watcher: Watcher, seen: Seen, root: Path) -> None:
    await follow(watcher, root)
    write(root, {"a.py~new": "a = 3\n"})
    (root / "a.py~new").rename(root / "a.py")
    await seen.until(lambda s: "a.py" in s.modified)
    assert not seen.renamed


async def test_a_file_moved_out_and_one_moved_in(
    watcher: Watcher, seen: Seen, root: Path, tmp_path: Path
) -> None:
    await follow(watcher, root)
    write(tmp_path, {"outside.py": ""})
    (root / "a.py").rename(tmp_path / "away.py")
    (tmp_path / "outside.py").rename(root / "inside.py")
    await seen.until(lambda s: "a.py" in s.deleted and "inside.py" in s.modified)


async def test_folders_come_and_go_with_what_is_in_them(
    watcher: Watcher, seen: Seen, root: Path, tmp_path: Path
) -> None:
    await follow(watcher, root)
    write(root, {"new/deeper/still/d.py": "", "new/e.py": ""})
    await seen.until(lambda s: {"new/deeper/still/d.py", "new/e.py"} <= s.modified)
    shutil.rmtree(root / "sub")
    await seen.until(lambda s: {"sub/b.py", "sub/deep/c.py", "sub"} <= s.deleted)
    (root / "new").rename(tmp_path / "away")
    await seen.until(lambda s: "new" in s.deleted)
    seen.forget()
    write(tmp_path, {"away/e.py": "x"})
    write(root, {"last.py": ""})
    await seen.until(lambda s: "last.py" in s.modified)
    assert seen.modified == {"last.py"}


@pytest.mark.skipif(sys.platform != "linux", reason="counts inotify watches")
async def test_ignored_folders_are_not_watched(watcher: Watcher, root: Path) -> None:
    write(root, {f"node_modules/p{n}/i.js": "" for n in range(30)})
    write(root, {f"build/{n}/x.py": "" for n in range(30)})
    repository(root / "clone", {"deep/x.py": ""})
    await follow(watcher, root)
    # root, sub, sub/deep; .git with info, refs and refs/heads
    assert watcher.watched_folders(root) == 7


async def test_rules_that_change_ask_for_a_scan(watcher: Watcher, seen: Seen, root: Path) -> None:
    await follow(watcher, root)
    write(root, {"build/x.py": "", "sub/.surveyorignore": "b.py\n"})
    await seen.until(lambda s: "rules" in s.reasons)
    seen.forget()
    write(root, {".gitignore": "*.tmp\n"})
    await seen.until(lambda s: "rules" in s.reasons)
    write(root, {"build/x.py": "now followed", "sub/b.py": "not any more"})
    await seen.until(lambda s: "build/x.py" in s.modified)
    assert "sub/b.py" not in seen.modified


async def test_commits_branches_and_configuration_are_noticed(
    watcher: Watcher, seen: Seen, root: Path
) -> None:
    await follow(watcher, root)
    for command in (
        ["checkout", "-q", "-b", "feature/x"],
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["remote", "add", "origin", "https://example.org/r.git"],
        ["branch", "-q", "-D", "main"],
    ):
        seen.forget()
        git(root, *command)
        await seen.until(lambda s: s.git_changed)
        assert not seen.modified


async def test_a_checkout_reports_its_files(watcher: Watcher, seen: Seen, root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    write(root, {f"sub/f{n}.py": f"x = {n}\n" for n in range(50)})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "more")
    await follow(watcher, root)
    git(root, "checkout", "-q", "main")
    await seen.until(lambda s: s.git_changed and len(s.deleted) == 50)
    seen.forget()
    git(root, "checkout", "-q", "other")
    await seen.until(lambda s: s.git_changed and len(s.modified) == 50)


async def test_a_worktrees_git_folder_is_followed_where_it_lies(
    watcher: Watcher, seen: Seen, root: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    git(root, "worktree", "add", "-q", "-b", "next", str(tree))
    await follow(watcher, tree.resolve())
    git(tree, "commit", "-q", "--allow-empty", "-m", "x")
    await seen.until(lambda s: s.git_changed)
    seen.forget()
    git(root, "remote", "add", "origin", "https://example.org/r.git")
    await seen.until(lambda s: s.git_changed)
    seen.forget()
    write(root, {"a.py": "only in main"})
    write(tree, {"a.py": "only in tree"})
    await seen.until(lambda s: "a.py" in s.modified)
    assert {batch.root for batch in seen.batches} == {tree.resolve()}


async def test_a_submodule_is_followed(
    watcher: Watcher, seen: Seen, root: Path, tmp_path: Path
) -> None:
    library = repository(tmp_path / "library", {"lib.py": ""})
    git(root, "submodule", "--quiet", "add", str(library), "vendor")
    await follow(watcher, root / "vendor")
    git(root / "vendor", "checkout", "-q", "-b", "mine")
    await seen.until(lambda s: s.git_changed)


async def test_two_roots_do_not_mix_and_a_removed_one_is_silent(
    watcher: Watcher, seen: Seen, root: Path, tmp_path: Path
) -> None:
    other = repository(tmp_path / "other")
    await follow(watcher, root)
    await follow(watcher, other)
    write(root, {"a.py": "1"})
    write(other, {"a.py": "2"})
    await seen.until(lambda s: {batch.root for batch in s.batches} == {root, other})
    await asyncio.to_thread(watcher.remove, other)
    seen.forget()
    write(other, {"a.py": "3"})
    write(root, {"a.py": "3"})
    await seen.until(lambda s: "a.py" in s.modified)
    assert {batch.root for batch in seen.batches} == {root}


async def test_a_root_that_goes_while_its_watches_are_added_is_followed_when_it_is_back(
    watcher: Watcher, seen: Seen, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "ROOT_CHECK_S", 0.05)
    rules = Ignore(root)
    root.rename(tmp_path / "away")
    await asyncio.to_thread(watcher.add, root, rules)
    assert not watcher.problem(root)
    await seen.until(lambda s: any(batch.missing for batch in s.batches))
    (tmp_path / "away").rename(root)
    await seen.until(lambda s: "returned" in s.reasons)
    write(root, {"a.py": "new"})
    await seen.until(lambda s: "a.py" in s.modified)


async def test_a_root_that_goes_is_missing_and_then_back(
    watcher: Watcher, seen: Seen, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "ROOT_CHECK_S", 0.05)
    await follow(watcher, root)
    root.rename(tmp_path / "away")
    await seen.until(lambda s: any(batch.missing for batch in s.batches))
    assert not seen.deleted
    (tmp_path / "away").rename(root)
    await seen.until(lambda s: "returned" in s.reasons)
    write(root, {"a.py": "again"})
    await seen.until(lambda s: "a.py" in s.modified)
    seen.forget()
    shutil.rmtree(root)
    await seen.until(lambda s: any(batch.missing for batch in s.batches))


@pytest.mark.skipif(sys.platform != "linux", reason="inotify's limits")
async def test_the_limit_of_watches_is_survived_and_said(
    watcher: Watcher, seen: Seen, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "ROOT_CHECK_S", 0.05)
    monkeypatch.setattr(watched_root, "LIMITED_RESCAN_S", 0.1)
    observer = watcher.observer
    assert observer is not None
    real, left = observer._inotify_fd._get_or_create_watch, [3]  # type: ignore[attr-defined]

    def limited(*arguments: object) -> object:
        if left[0] == 0:
            raise OSError(errno.ENOSPC, "inotify watch limit reached")
        left[0] -= 1
        return real(*arguments)

    monkeypatch.setattr(observer._inotify_fd, "_get_or_create_watch", limited)  # type: ignore[attr-defined]
    await follow(watcher, root)
    await seen.until(lambda s: len([b for b in s.batches if b.reason == "limit"]) >= 2)
    assert "max_user_watches" in watcher.problem(root)
    assert "max_user_watches" in seen.batches[-1].message


@pytest.mark.skipif(sys.platform != "linux", reason="inotify's limits")
async def test_no_inotify_at_all_is_survived_and_said(
    seen: Seen, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "ROOT_CHECK_S", 0.05)

    def refuse(*_: object) -> int:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    monkeypatch.setattr("watchdog.observers.inotify_c.InotifyFD._create_inotify_fd", refuse)
    watcher = Watcher(seen)
    try:
        await follow(watcher, root)
        await seen.until(lambda s: "limit" in s.reasons)
        assert "max_user_instances" in watcher.problem(root)
    finally:
        await asyncio.to_thread(watcher.close)


@pytest.mark.skipif(sys.platform != "linux", reason="inotify's queue")
async def test_lost_events_ask_for_a_scan_and_watching_goes_on(
    watcher: Watcher, seen: Seen, root: Path
) -> None:
    from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, WatchDescriptor

    await follow(watcher, root)
    lost = InotifyEvent(WatchDescriptor(-1), InotifyConstants.IN_Q_OVERFLOW, 0, b"")
    observer = watcher.observer
    assert observer is not None
    await asyncio.to_thread(observer._inotify_fd.handle_event, lost)  # type: ignore[attr-defined]
    await seen.until(lambda s: "overflow" in s.reasons)
    write(root, {"sub/deep/c.py": "after"})
    await seen.until(lambda s: "sub/deep/c.py" in s.modified)


async def test_a_storm_is_complete(watcher: Watcher, seen: Seen, root: Path) -> None:
    await follow(watcher, root)
    storm = {f"storm/d{n % 40}/f{n}.py": f"x = {n}\n" for n in range(2000)}
    write(root, storm)
    await seen.until(lambda s: set(storm) <= s.modified or "overflow" in s.reasons)
    seen.forget()
    shutil.rmtree(root / "storm")
    await seen.until(lambda s: set(storm) <= s.deleted or "storm" in s.deleted)
