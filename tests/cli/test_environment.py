"""The stored PATH."""

import os
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from surveyor.cli.environment import merged_path
from tests.product import Product

entries = st.lists(st.sampled_from(["/usr/bin", "/bin", "/opt/x/bin", "/home/me/.local/bin", ""]))


@given(entries, entries)
def test_first_wins_and_nothing_is_there_twice(current: list[str], stored: list[str]) -> None:
    merged = merged_path(os.pathsep.join(current), os.pathsep.join(stored))
    found = [entry for entry in merged.split(os.pathsep) if entry]
    assert found == list(dict.fromkeys(entry for entry in current + stored if entry))
    assert merged_path(merged, merged) == merged


def test_indexing_stores_the_path_and_keeps_the_rest_of_the_file(surveyor: Product) -> None:
    file = surveyor.data / "surveyor.toml"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n[engine]\nworkers = 1\n")
    folder = surveyor.home / "code"
    folder.mkdir()
    surveyor.extra["PATH"] = "/opt/tools/bin" + os.pathsep + os.environ["PATH"]
    surveyor.run("index", str(folder))
    text = file.read_text()
    assert text.startswith("# mine\n[engine]\nworkers = 1\n")
    stored = tomllib.loads(text)["environment"]["user_path"].split(os.pathsep)
    assert stored[0] == "/opt/tools/bin"
    before = file.stat().st_mtime_ns
    surveyor.run("index", str(folder))
    assert file.stat().st_mtime_ns == before
