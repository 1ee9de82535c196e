"""Files of other programs are found while those programs write."""

import shutil
import threading
from pathlib import Path

from surveyor.knowledge.foreign_files import matching


def test_hidden_ones_and_those_at_any_depth_in_order(tmp_path: Path) -> None:
    for name in ("b/one.md", ".a/two.md", "b/deep/three.md", "b/four.txt", "five.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")

    def found(pattern: str) -> list[str]:
        return [path.relative_to(tmp_path).as_posix() for path in matching(tmp_path, pattern)]

    assert found("*/*.md") == [".a/two.md", "b/one.md"]
    assert found("**/*.md") == [".a/two.md", "b/deep/three.md", "b/one.md", "five.md"]
    assert matching(tmp_path / "nowhere", "*") == matching(tmp_path / "nowhere", "**/*") == []


def test_folders_that_disappear_meanwhile_hold_nothing(tmp_path: Path) -> None:
    stays = tmp_path / "stays" / "file.json"
    stays.parent.mkdir()
    stays.write_text("{}")
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            for number in range(5):
                (tmp_path / f"goes{number}" / "below").mkdir(parents=True)
                (tmp_path / f"goes{number}" / "below" / "file.json").write_text("{}")
            for number in range(5):
                shutil.rmtree(tmp_path / f"goes{number}")

    churning = threading.Thread(target=churn)
    churning.start()
    try:
        for _ in range(300):
            assert stays in matching(tmp_path, "**/*.json")
            assert stays in matching(tmp_path, "*/*.json")
            matching(tmp_path, "*/*/*.json")
    finally:
        stop.set()
        churning.join()
