"""`surveyor index` and what follows from changes on disk."""

import shutil
import signal
from pathlib import Path

import pytest

from surveyor.engine.index.scanner import EARLY_FILES
from tests.product import Product, git, until, write_tree


def test_a_changed_file_is_found_and_a_deleted_one_is_not(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    report = surveyor.index(shop)
    assert report["mode"] == "full"
    assert report["files_indexed"] == 6
    assert report["errors"] == []
    (shop / "shop" / "fresh.py").write_text("def quokka_feeder():\n    return 'leaves'\n")
    until(lambda: "shop/fresh.py" in surveyor.paths("quokka_feeder", shop))
    (shop / "shop" / "fresh.py").unlink()
    until(lambda: "shop/fresh.py" not in surveyor.paths("quokka_feeder", shop))


def test_a_line_on_top_embeds_nothing_again(surveyor: Product, tmp_path: Path) -> None:
    long = "\n\n".join(f"def number_{i}(x):\n    return x + {i}\n" * 3 for i in range(120))
    folder = write_tree(tmp_path / "long", {"long.py": long, "other.py": "x = 1\n"})
    first = surveyor.index(folder)
    assert first["embeddings_generated"] > 10
    surveyor.run("watch", "disable", str(folder))
    (folder / "long.py").write_text("\n" + long)
    again = surveyor.json("reindex", str(folder))
    assert (again["files_indexed"], again["embeddings_generated"]) == (1, 0)
    place = surveyor.search("number_0", folder)["results"][0]
    assert place["start_line"] == 2


def test_a_renamed_file_is_found_by_its_new_name_only(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("watch", "disable", str(shop))
    (shop / "shop" / "cart.py").rename(shop / "shop" / "basket.py")
    report = surveyor.json("reindex", str(shop))
    assert report["files_removed"] == 1
    found = surveyor.paths("total_price", shop)
    assert "shop/basket.py" in found and "shop/cart.py" not in found


def test_nothing_to_do_is_said(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    (shop / "no_text.py").write_bytes(b"x = 1\n" + bytes(range(256)) * 4)
    surveyor.index(shop)
    report = surveyor.json("reindex", str(shop))
    assert report["mode"] == "incremental"
    assert report["files_indexed"] == 0
    assert (report["files_unchanged"], report["files_skipped"]) == (6, 1)


def test_clean_builds_the_same_index_again(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    first = surveyor.index(shop)
    again = surveyor.json("reindex", str(shop), "--clean")
    assert again["mode"] == "clean"
    assert again["chunks_created"] == first["chunks_created"]
    assert surveyor.run("doctor", "--no-measure", check=False).returncode == 0


def test_what_is_skipped_has_a_reason(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    (shop / ".env").write_text("PASSWORD=hunter2\n")
    (shop / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (shop / "big.py").write_bytes(b"x = 1\n" * 400_000)
    (shop / "package-lock.json").write_text("{}")
    surveyor.index(shop)
    answer = surveyor.json("status", str(shop), "--skipped")
    reasons = {item["path"]: item["reason"] for item in answer["skipped"]}
    assert reasons[".env"] == "secret"
    assert reasons["image.png"] == "binary"
    assert reasons["big.py"] == "too_large"
    assert reasons["package-lock.json"] == "lock_file"
    assert "hunter2" not in str(surveyor.search("PASSWORD hunter2", shop))


@pytest.mark.parametrize("rules", [".gitignore", ".surveyorignore"])
def test_what_is_ignored_later_leaves_the_index_and_comes_back(
    surveyor: Product, tmp_path: Path, rules: str
) -> None:
    shop = write_tree(tmp_path / "shop")
    git(shop, "init", "-b", "main")
    surveyor.index(shop)
    (shop / rules).write_text("retry.py\n")
    until(lambda: "shop/retry.py" not in surveyor.paths("call_with_backoff", shop))
    surveyor.settle(shop)
    assert surveyor.json("reindex", str(shop))["files_indexed"] == 0
    (shop / rules).write_text("")
    until(lambda: "shop/retry.py" in surveyor.paths("call_with_backoff", shop))


@pytest.mark.parametrize(
    ("argument", "code", "says"),
    [
        ("missing", 3, "no folder"),
        ("shop/README.md", 2, "is a file"),
        ("/", 2, "whole file system"),
        ("/etc", 2, "system"),
    ],
)
def test_what_cannot_be_indexed_is_said(
    surveyor: Product, tmp_path: Path, argument: str, code: int, says: str
) -> None:
    write_tree(tmp_path / "shop")
    done = surveyor.run("index", argument, check=False, cwd=tmp_path)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_strange_files_do_no_harm(surveyor: Product, tmp_path: Path) -> None:
    folder = tmp_path / "strange"
    folder.mkdir()
    (folder / "latin.py").write_bytes(b"# caf\xe9\ndef espresso():\n    return 1\n")
    (folder / "dos.py").write_bytes(b"def dos_line():\r\n    return 2\r\n")
    (folder / "empty.py").write_bytes(b"")
    (folder / "broken.py").write_text("def broken(:\n  ((((\n" * 50)
    (folder / "loop").symlink_to(folder)
    (folder / "outside").symlink_to("/etc")
    report = surveyor.index(folder)
    assert report["files_failed"] == 0
    assert surveyor.paths("espresso", folder)[0] == "latin.py"
    assert surveyor.paths("dos_line", folder)[0] == "dos.py"


def test_files_that_are_begun_early_count_once(surveyor: Product, tmp_path: Path) -> None:
    """A new project's first files are queued before it is looked through as a whole."""
    folder = tmp_path / "many"
    folder.mkdir()
    count = EARLY_FILES + 20
    for number in range(count):
        (folder / f"m{number}.py").write_text(f"def named_{number}():\n    return {number}\n")
    for mode in ("index", "reindex --clean"):
        command, *options = mode.split()
        report = surveyor.json(command, str(folder), *options)
        assert (report["files_indexed"], report["files_unchanged"]) == (count, 0)
        assert report["chunks_created"] == count
    assert surveyor.json("reindex", str(folder))["files_unchanged"] == count


@pytest.mark.parametrize("pages", [30, EARLY_FILES + 30])
def test_code_is_read_before_what_describes_it(
    surveyor: Product, tmp_path: Path, pages: int
) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(pages):
        (folder / f"a{number}.html").write_text(f"<p>page {number}</p>\n")
    for name in ("b.json", "c.md", "test_d.py", "e.py"):
        (folder / name).write_text("{}\n" if name == "b.json" else "# text\n")
    surveyor.run("engine", "pause")
    surveyor.run("index", str(folder), "--no-wait")
    while len(waiting := surveyor.json("queue", "list", "--limit", "1000")["items"]) < pages + 4:
        pass
    waiting.sort(key=lambda item: item["created_at"])
    paths = [item["payload"]["relative_path"] for item in waiting]
    assert paths[:2] == ["e.py", "test_d.py"]
    assert set(paths[2:4]) == {"b.json", "c.md"}


def test_an_empty_folder_answers(surveyor: Product, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert surveyor.index(empty)["files_indexed"] == 0
    assert surveyor.search("anything", empty)["results"] == []


def test_worktrees_share_vectors_and_never_paths(surveyor: Product, tmp_path: Path) -> None:
    main = write_tree(tmp_path / "main")
    git(main, "init", "-b", "main")
    git(main, "add", ".")
    git(main, "commit", "-m", "one")
    git(main, "worktree", "add", "-b", "feature", str(tmp_path / "feature"))
    feature = tmp_path / "feature"
    (feature / "shop" / "wombat.py").write_text("def wombat_burrow():\n    return 'deep'\n")
    surveyor.index(main)
    report = surveyor.index(feature)
    assert report["embeddings_generated"] == 1
    assert "shop/wombat.py" in surveyor.paths("wombat_burrow", feature)
    assert "shop/wombat.py" not in surveyor.paths("wombat_burrow", main)
    ids = {p["project_id"] for p in surveyor.json("status")["projects"]}
    assert len(ids) == 1


def test_a_branch_switch_is_followed_and_the_other_branch_remembered(
    surveyor: Product, tmp_path: Path
) -> None:
    repository = write_tree(tmp_path / "repository")
    git(repository, "init", "-b", "main")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "one")
    git(repository, "checkout", "-b", "feature")
    (repository / "numbat.py").write_text("def numbat_tongue():\n    return 'long'\n")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "two")
    surveyor.index(repository)
    assert surveyor.paths("numbat_tongue", repository)[0] == "numbat.py"
    git(repository, "checkout", "main")
    until(lambda: "numbat.py" not in surveyor.paths("numbat_tongue", repository))
    branch = surveyor.search("numbat_tongue", repository)["branch"]
    assert branch == "main"
    assert "numbat.py" in surveyor.paths("numbat_tongue", repository, "--branch", "feature")
    assert "numbat.py" in surveyor.paths("numbat_tongue", repository, "--branch", "*")
    git(repository, "branch", "-D", "feature")
    until(lambda: "numbat.py" not in surveyor.paths("numbat_tongue", repository, "--branch", "*"))
    asked = ("search", "numbat_tongue", "--project", str(repository), "--branch", "feature")
    refused = surveyor.run(*asked, check=False)
    assert refused.returncode == 3 and "main" in refused.stderr


def test_a_gained_remote_changes_the_id_and_embeds_nothing(
    surveyor: Product, tmp_path: Path
) -> None:
    repository = write_tree(tmp_path / "repository")
    git(repository, "init", "-b", "main")
    surveyor.index(repository)
    before = surveyor.json("status", str(repository))["projects"][0]
    git(repository, "remote", "add", "origin", "git@example.org:team/shop.git")

    def changed() -> bool:
        now = surveyor.json("status", str(repository))["projects"][0]
        return bool(now["project_id"] != before["project_id"] and now["chunks"] == before["chunks"])

    until(changed)
    assert surveyor.paths("total_price", repository)[0] == "shop/cart.py"
    assert surveyor.json("reindex", str(repository))["embeddings_generated"] == 0
    assert surveyor.run("doctor", "--no-measure", check=False).returncode == 0


def test_a_moved_folder_keeps_its_index(surveyor: Product, tmp_path: Path) -> None:
    old = write_tree(tmp_path / "old")
    surveyor.index(old)
    old.rename(tmp_path / "new")
    report = surveyor.index(tmp_path / "new")
    assert report["embeddings_generated"] == 0
    assert [p["root"] for p in surveyor.json("projects", "list")["projects"]] == [
        str(tmp_path / "new")
    ]
    assert surveyor.paths("total_price", tmp_path / "new")[0] == "shop/cart.py"


def test_a_moved_folder_is_known_before_it_is_indexed_again(
    surveyor: Product, tmp_path: Path
) -> None:
    old, new = write_tree(tmp_path / "old"), tmp_path / "new"
    surveyor.index(old)
    rule = ("--label", "cart-rule", "--content", "Carts are never emptied", "--anchor", "Cart")
    surveyor.run("memory", "add", *rule, "--project", str(old))
    old.rename(new)
    (new / "shop/extra.py").write_text("def wombat_cubes():\n    return 6\n")
    listed = surveyor.json("memory", "list", cwd=new / "shop")["rules"]
    assert [each["label"] for each in listed] == ["cart-rule"]
    assert surveyor.paths("total_price", new)[0] == "shop/cart.py"
    until(lambda: surveyor.paths("wombat_cubes", new)[:1] == ["shop/extra.py"])
    # And followed there.
    (new / "shop/more.py").write_text("def numbat_stripes():\n    return 7\n")
    until(lambda: surveyor.paths("numbat_stripes", new)[:1] == ["shop/more.py"])
    assert [p["root"] for p in surveyor.json("projects", "list")["projects"]] == [str(new)]


def test_a_folder_that_takes_a_removed_one_s_number_is_not_that_one(
    surveyor: Product, tmp_path: Path
) -> None:
    """File systems give the number of a folder that is gone to the next one."""
    old = write_tree(tmp_path / "old")
    surveyor.index(old)
    surveyor.run(
        *("memory", "add", "--label", "cart-rule", "--content", "x", "--project", str(old))
    )
    surveyor.run("engine", "stop")
    # What has its number now, and nothing else of it.
    other = tmp_path / "other"
    old.rename(other)
    for path in other.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (other / "unlike.py").write_text("def quokka():\n    return 1\n")
    surveyor.index(other)
    roots = {p["root"] for p in surveyor.json("projects", "list")["projects"]}
    assert roots == {str(old), str(other)}
    listed = surveyor.json("memory", "list", cwd=other)["rules"]
    assert listed == []


def test_a_clone_that_nobody_has_opened_has_the_rules_of_its_repository(
    surveyor: Product, tmp_path: Path
) -> None:
    first = write_tree(tmp_path / "first")
    git(first, "init", "-b", "main")
    git(first, "remote", "add", "origin", "https://example.org/shop.git")
    git(first, "add", ".")
    git(first, "commit", "-m", "all")
    surveyor.index(first)
    surveyor.run(
        *("memory", "add", "--label", "use-uv", "--content", "Use uv", "--project", str(first))
    )
    git(tmp_path, "clone", "-q", str(first), "second")
    second = tmp_path / "second"
    git(second, "remote", "set-url", "origin", "git@example.org:shop.git")
    assert "use-uv" in surveyor.run("memory", "inject", cwd=second / "shop").stdout
    strange = write_tree(tmp_path / "strange")
    assert "use-uv" not in surveyor.run("memory", "inject", cwd=strange).stdout
    assert str(strange) not in {p["root"] for p in surveyor.json("projects", "list")["projects"]}


def test_a_submodule_is_a_project_of_its_own(surveyor: Product, tmp_path: Path) -> None:
    inner = write_tree(tmp_path / "inner", {"inner.py": "def bilby_ears():\n    return 2\n"})
    git(inner, "init", "-b", "main")
    git(inner, "add", ".")
    git(inner, "commit", "-m", "inner")
    outer = write_tree(tmp_path / "outer")
    git(outer, "init", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(inner), "lib/inner")
    surveyor.index(outer)

    def linked() -> bool:
        projects = {p["root"]: p for p in surveyor.json("status")["projects"]}
        child = projects.get(str(outer / "lib" / "inner"))
        return child is not None and child["parent_root"] == str(outer) and child["files"] == 1

    until(linked)
    assert surveyor.paths("bilby_ears", outer / "lib" / "inner")[0] == "inner.py"
    assert "lib/inner/inner.py" not in surveyor.paths("bilby_ears", outer)


def test_a_submodule_that_is_added_later_becomes_a_project(
    surveyor: Product, tmp_path: Path
) -> None:
    inner = write_tree(tmp_path / "inner", {"inner.py": "def bilby_ears():\n    return 2\n"})
    outer = write_tree(tmp_path / "outer")
    for folder in (inner, outer):
        git(folder, "init", "-b", "main")
        git(folder, "add", ".")
        git(folder, "commit", "-m", "all")
    surveyor.index(outer)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(inner), "lib/inner")
    until(lambda: surveyor.paths("bilby_ears", outer / "lib" / "inner") == ["inner.py"])


def test_projects_are_listed_and_removed(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    assert [p["root"] for p in surveyor.json("projects", "list")["projects"]] == [str(shop)]
    surveyor.run("projects", "remove", str(shop), "--yes")
    assert surveyor.json("projects", "list")["projects"] == []
    assert (shop / "shop" / "cart.py").exists()
    assert not list((surveyor.data / "vectors" / "projects").glob("*/*"))


def test_an_ignored_folder_that_is_named_is_indexed(surveyor: Product, tmp_path: Path) -> None:
    repository = write_tree(tmp_path / "repository")
    git(repository, "init", "-b", "main")
    (repository / ".gitignore").write_text(".venv/\n")
    package = write_tree(repository / ".venv" / "lib" / "package", {"a.py": "def dugong(): ...\n"})
    surveyor.index(package)
    assert surveyor.paths("dugong", package)[0] == "a.py"


@pytest.mark.parametrize("command", [("reindex", "--clean"), ("reindex",), ("index",)])
def test_ctrl_c_gives_up_a_clean_reindexing_and_stops_waiting_for_others(
    indexed: tuple[Product, Path], tmp_path: Path, command: tuple[str, ...]
) -> None:
    surveyor, _ = indexed
    folder = write_tree(tmp_path / "shop")
    surveyor.index(folder)
    surveyor.run("engine", "pause")
    try:
        (folder / "shop" / "new.py").write_text("def new_one(): ...\n")
        waiting = surveyor.start(
            *command,
            str(folder),
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        until(lambda: "indexing" in (waiting.stderr.readline() if waiting.stderr else ""))
        waiting.send_signal(signal.SIGINT)
        _, said = waiting.communicate(timeout=60)
        assert waiting.returncode == 130, said
        is_clean = "--clean" in command
        assert ("its index is as it was" in said) == is_clean
        assert ("goes on in the background" in said) != is_clean

        def behind() -> int:
            status = surveyor.json("status", str(folder))["projects"][0]
            assert status["status"] != "healthy"
            files: int = status["files_behind"]
            return files

        until(lambda: behind() == 1)  # the new file, whatever was given up
    finally:
        surveyor.run("engine", "resume")
    surveyor.run("reindex", str(folder))
    assert "shop/new.py" in surveyor.paths("new_one", folder)
