"""What is never a project, by whatever name; and paths that stay below a root."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import UsageError
from surveyor.files.contained_paths import (
    NotPlainError,
    below,
    checked,
    open_below,
    read_below,
    real,
    shown,
    spelled_below,
)
from surveyor.files.forbidden import KEYS, is_in_temporary, is_never_read, refusal_of

linux = pytest.mark.skipif(not Path("/proc/self/root").exists(), reason="Linux has this")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "homes" / "ada"
    made.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(made))
    return made


@linux
@pytest.mark.parametrize(
    "name",
    [
        *("/", "/etc", "/etc/ssh", "/usr", "/usr/lib", "/usr/local/bin", "/var", "/var/log"),
        *("/proc", "/proc/1", "/sys", "/dev", "/boot", "/bin", "/lib", "/run", "/opt", "/srv"),
        *("/mnt", "/media", "/nix/store", "/snap/x", "/proc/self/root/etc", "//etc", "/etc/../usr"),
        *("/System/Library", "/Library", "/Applications", "/private/etc", "/private/var/db"),
        *("/mnt/c", "/mnt/c/Windows/System32", "/home", "/Users", "/var/lib/docker"),
    ],
)
def test_what_is_the_systems_is_refused_for_good(name: str) -> None:
    refusal = refusal_of(real(name))
    assert refusal is not None
    assert refusal.is_final
    assert "--force" not in refusal.hint
    assert is_never_read(real(name))


@pytest.mark.parametrize(
    "name",
    [
        *("/opt/shop", "/srv/shop", "/mnt/disk/shop", "/media/ada/disk/shop", "/workspace"),
        *("/usr/src/app", "/usr/local/src/app", "/var/www/shop", "/data/shop", "/etcetera"),
        *("/tmp/shop", "/var/tmp/shop", "/private/var/folders/x/T/shop", "/mnt/c/Users/ada/shop"),
        *("/run/media/ada/disk/shop", "/usrlocal", "/home/nobody-of-that-name-here/shop"),
    ],
)
def test_what_lies_beside_or_is_peoples_may_be_a_project(name: str) -> None:
    assert refusal_of(Path(name)) is None


def test_homes_and_what_is_above_them(home: Path) -> None:
    refusal = refusal_of(home)
    assert refusal is not None
    assert (refusal.kind, refusal.is_final) == ("home", False)
    above = refusal_of(home.parent)
    assert above is not None
    assert (above.kind, above.is_final) == ("above_homes", True)
    assert refusal_of(home / "work") is None


@pytest.mark.parametrize("name", KEYS)
def test_where_keys_are_is_refused_for_good(home: Path, name: str) -> None:
    for folder in (home / name, home / name / "deeper"):
        assert is_never_read(folder)
    assert refusal_of(home / "work" / name) is None, "a repository may have a folder of that name"


def test_the_temporary_folder_itself_is_refused_and_what_is_in_it_is_not(tmp_path: Path) -> None:
    for name in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        refusal = refusal_of(Path(name).resolve())
        assert refusal is not None
    assert is_in_temporary(tmp_path)
    assert refusal_of(tmp_path) is None


@linux
def test_a_folder_is_known_by_more_than_its_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    assert is_never_read(real(str(tmp_path / "link")))
    assert is_never_read(Path("/proc/self/root/etc")), "not resolved: the same folder all the same"
    assert is_never_read(Path(f"/proc/{os.getpid()}/root/usr/share"))


PARTS = st.sampled_from(
    ["..", ".", "a", "lib", "link", "up", "", "etc", "passwd", "deep.py", "~", "..;", "%2e%2e"]
)
PATHS = st.one_of(st.text(max_size=30), st.lists(PARTS, max_size=8).map("/".join))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("tree").resolve()
    root = base / "root"
    (root / "lib").mkdir(parents=True)
    (root / "lib" / "deep.py").write_text("inside")
    (root / "a").write_text("inside")
    (base / "a").write_text("outside")
    (base / "etc").mkdir()
    (base / "etc" / "passwd").write_text("outside")
    (root / "link").symlink_to(base / "etc")
    (root / "up").symlink_to("..")
    (root / "lib" / "link").symlink_to(base / "a")
    return root


@given(PATHS)
def test_what_is_read_below_a_root_is_inside_it(tree: Path, path: str) -> None:
    """Whatever the path: an error, or text from inside."""
    try:
        data = read_below(tree, path)
    except (OSError, ValueError):
        return
    assert data == b"inside"


@given(PATHS)
def test_a_path_made_relative_stays_below_and_can_be_read_or_not(tree: Path, path: str) -> None:
    for make in (below, spelled_below):
        try:
            inside = make(tree, path)
        except UsageError:
            continue
        assert not inside.startswith(("../", "/"))
        assert inside != ".."
    try:
        resolved = (tree / below(tree, path)).resolve()
    except UsageError:
        return
    assert resolved == tree or tree in resolved.parents


@given(st.text(max_size=40))
def test_no_text_is_a_crash(text: str) -> None:
    assert isinstance(shown(text), str)
    try:
        assert real(text).is_absolute()
    except UsageError as error:
        assert error.hint


@pytest.mark.parametrize("path", ["\0", "a\0b", "\ud800", "a" * 5000, "~nobody-of-that-name/x"])
def test_what_no_file_can_have_as_its_path_is_said(path: str) -> None:
    with pytest.raises(UsageError):
        real(path)


def test_what_is_checked_is_given_back() -> None:
    assert checked("src/caf\udce9.py") == "src/caf\udce9.py", "a name that is no UTF-8 is a name"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_or_a_link_is_not_opened_and_nothing_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "to")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "link", "folder", "../x", ".", ""):
        with pytest.raises(NotPlainError):
            open_below(tmp_path, name)
