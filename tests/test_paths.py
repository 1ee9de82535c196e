from __future__ import annotations

import shutil
import tempfile
import threading
import unicodedata
from pathlib import Path

import pytest

from surveyor.errors import EngineUnavailableError
from surveyor.files.contained_paths import below
from surveyor.paths import disk_bytes, is_file, is_folder, is_there, runtime_dir


def test_bytes_on_disk_are_those_of_all_files_and_of_no_hole(tmp_path: Path) -> None:
    (tmp_path / "below" / "deeper").mkdir(parents=True)
    (tmp_path / "below" / "deeper" / "one").write_bytes(b"x" * 10_000)
    (tmp_path / "below" / "two").write_bytes(b"x" * 20_000)
    with (tmp_path / "below" / "holes").open("wb") as file:
        file.truncate(32 << 20)
    (tmp_path / "link").symlink_to(tmp_path / "below")
    assert disk_bytes(tmp_path / "below" / "two") == 20_000
    assert 30_000 <= disk_bytes(tmp_path) < 100_000
    assert disk_bytes(tmp_path / "not there") == 0


def test_what_goes_away_while_it_is_counted_is_left_out(tmp_path: Path) -> None:
    """A shard is replaced while somebody asks for its size."""
    ended = threading.Event()

    def replace() -> None:
        while not ended.is_set():
            for name in "abcdefgh":
                (tmp_path / "live" / name / name).mkdir(parents=True)
                (tmp_path / "live" / name / name / "page").write_bytes(b"x")
            shutil.rmtree(tmp_path / "live")

    replacing = threading.Thread(target=replace)
    replacing.start()
    try:
        for _ in range(500):
            assert disk_bytes(tmp_path) >= 0
    finally:
        ended.set()
        replacing.join()


def test_a_folder_for_sockets_that_another_user_could_have_made_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        folder = runtime_dir(tmp_path / ("d" * 100))
        assert folder.parent == Path(short)
        folder.symlink_to(tmp_path)
        with pytest.raises(EngineUnavailableError, match="not a folder of yours"):
            runtime_dir(tmp_path / ("d" * 100))


def test_what_cannot_be_looked_at_is_not_there(tmp_path: Path) -> None:
    """Root may enter every folder, so that a name which no file system allows stands for one."""
    unseen = tmp_path / ("n" * 300)
    assert not (is_there(unseen) or is_folder(unseen) or is_file(unseen))
    assert is_there(tmp_path) and is_folder(tmp_path) and not is_file(tmp_path)


def test_a_name_that_is_composed_otherwise_on_disk_names_that_file(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "café/größe.py")
    (tmp_path / decomposed).parent.mkdir()
    (tmp_path / decomposed).write_bytes(b"")
    typed = unicodedata.normalize("NFC", decomposed)
    assert below(tmp_path, typed) == below(tmp_path, decomposed) == decomposed
    assert below(tmp_path, typed.replace("py", "txt")) == decomposed[:6] + "größe.txt"
    (tmp_path / typed).parent.mkdir(exist_ok=True)
    (tmp_path / typed).write_bytes(b"")
    assert below(tmp_path, typed) in (typed, decomposed)  # one file, where the disk composes
