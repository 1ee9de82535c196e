"""Path globs as people type them."""

import pytest

from surveyor.errors import UsageError
from surveyor.search.globs import below, matcher

PATHS = {"src/a.py", "src/in/b.py", "lib/src/c.py", "docs/d.md"}


@pytest.mark.parametrize(
    ("pattern", "prefix", "expected"),
    [
        ("src", "", {"src/a.py", "src/in/b.py", "lib/src/c.py"}),
        ("./src", "", {"src/a.py", "src/in/b.py"}),
        ("./src/", "", {"src/a.py", "src/in/b.py"}),
        ("./in", "src/", {"src/in/b.py"}),
        ("./", "", PATHS),
        ("/home/shop/src", "", {"src/a.py", "src/in/b.py"}),
        ("/home/shop/src/*.py", "", {"src/a.py"}),
        ("/home/shop", "", PATHS),
        ("/home/shop/", "", PATHS),
        ("/home/shopping/src", "", set()),
        ("!./src", "", {"lib/src/c.py", "docs/d.md"}),
        ("!/home/shop/docs", "", {"src/a.py", "src/in/b.py", "lib/src/c.py"}),
        ("/src", "", {"src/a.py", "src/in/b.py"}),
    ],
)
def test_what_a_shell_completes_names_what_it_is(
    pattern: str, prefix: str, expected: set[str]
) -> None:
    matches = matcher(below([pattern], ["/home/shop"], prefix))
    assert {path for path in PATHS if matches(path)} == expected


def test_what_leads_out_is_said() -> None:
    with pytest.raises(UsageError, match="leads out"):
        below(["../other/*.py"], ["/home/shop"])
