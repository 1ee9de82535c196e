"""What the UI is made of, without a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.text import Text

from surveyor.errors import UsageError
from surveyor.tui.editor_command import chosen_editor, editor_command
from surveyor.tui.impact_tree import ImpactBranch, impact_branches
from surveyor.tui.preview_text import MOST_COLUMNS, preview_text, query_words, safe_lines
from surveyor.tui.rows import fitted_path, search_row, search_target
from tests.tui.fake_engine import HOSTILE, IMPACT, SEARCH

FILE = Path("/src/-x.py")


@pytest.mark.parametrize(
    ("editor", "given"),
    [
        ("vi", ["vi", "+12", "/src/-x.py"]),
        ("/usr/bin/nvim -u NONE", ["/usr/bin/nvim", "-u", "NONE", "+12", "/src/-x.py"]),
        ("vim.basic", ["vim.basic", "+12", "/src/-x.py"]),
        ("code.cmd", ["code.cmd", "--goto", "/src/-x.py:12:5"]),
        ("nano", ["nano", "+12", "/src/-x.py"]),
        ("emacs-29.1 -nw", ["emacs-29.1", "-nw", "+12", "/src/-x.py"]),
        ("emacsclient -t", ["emacsclient", "-t", "+12", "/src/-x.py"]),
        ("code --wait", ["code", "--wait", "--goto", "/src/-x.py:12:5"]),
        ("hx", ["hx", "/src/-x.py:12:5"]),
        ("'/Applications/My Editor/zed'", ["/Applications/My Editor/zed", "/src/-x.py:12:5"]),
        ("kate", ["kate", "--line", "12", "/src/-x.py"]),
        ("env X=1 vi", ["env", "X=1", "vi", "/src/-x.py"]),
    ],
)
def test_an_editor_is_told_the_line_as_it_wants_to_hear_it(editor: str, given: list[str]) -> None:
    command = editor_command(editor, FILE, 12, 4)
    assert command.arguments == given
    assert command.at_line == ("12" in " ".join(given))
    assert command.windowed == any(name in editor for name in ("code", "kate", "zed"))


def test_visual_comes_before_editor_and_none_is_said() -> None:
    assert chosen_editor({"EDITOR": "nano", "VISUAL": "nvim"}) == "nvim"
    assert chosen_editor({"EDITOR": "nano", "VISUAL": " "}) == "nano"
    with pytest.raises(UsageError, match="no editor is set"):
        chosen_editor({})
    for broken in ("vi 'x", "''"):
        with pytest.raises(UsageError, match="is no command"):
            editor_command(broken, FILE, 1)


def _controls(text: Text | str) -> list[str]:
    plain = text.plain if isinstance(text, Text) else text
    return [sign for sign in plain if sign != "\n" and (ord(sign) < 32 or sign in "\x7f\x9b\u202e")]


@pytest.mark.parametrize("language", ["python", "no-such-language", None])
def test_a_preview_keeps_lines_and_nothing_that_a_terminal_obeys(language: str | None) -> None:
    code = "\n\ndef f():\r\n\treturn '\x1b[2J\x9b\u202e'\n" + "x" * 5000 + "\n\n"
    shown = preview_text(
        code,
        path="a.py",
        language=language,
        start_line=98,
        meant=range(100, 101),
        words=["RETURN", "ef"],
    )
    lines = shown.plain.split("\n")
    assert [line[:5] for line in lines] == [
        "  98 ", "  99 ", "▌100 ", " 101 ", " 102 ", " 103 ", " 104 ",
    ]  # fmt: skip
    assert _controls(shown) == []
    assert r"\x1b[2J\x9b\u202e" in lines[3] and lines[2].endswith("def f():")
    assert len(lines[4]) < MOST_COLUMNS + 10
    marked = [shown.plain[s.start : s.end] for s in shown.spans if "on #e3b341" in str(s.style)]
    assert marked == ["return"]


def test_what_is_marked_is_what_the_mode_looks_for() -> None:
    assert query_words("where is a session?", "hybrid") == ["where", "session"]
    assert query_words("f(x", "literal") == ["f(x"]
    assert query_words("f.*", "regex") == []
    assert safe_lines("a\r\nb") == ["a", "b"]


def test_rows_are_one_line_whatever_a_file_is_called() -> None:
    rows = [search_row(each, 80) for each in SEARCH.results]
    assert all(_controls(row) == [] and "\n" not in row.plain for row in rows)
    assert "[@click=app.quit]" in search_row(SEARCH.results[1], 200).plain
    assert rows[2].plain.startswith("0.50 …") and "narrow/line/pricing.py:1" in rows[2].plain
    assert fitted_path("日本語/日本語.py", 9) == "…本語.py"
    target = search_target(SEARCH.results[0])
    assert target.question == "shop/cart.py:Cart.total_price"


def _drawn(branches: list[ImpactBranch], indent: str = "") -> list[str]:
    lines = []
    for branch in branches:
        lines += [f"{indent}{branch.label}", *_drawn(branch.below, indent + "  ")]
    return lines


def test_impact_nests_what_is_reached_below_what_it_is_reached_through() -> None:
    branches = impact_branches(IMPACT)
    assert _drawn(branches) == [
        "Cart.total_price",
        "Depends on it (4)",
        "  Checkout.pay",
        "    post_order",
        "      main",
        r"  \x1b[31m[bold]red",
        "Tests (1)",
        "  tests/test_cart.py:12",
        "It depends on (1)",
        "  floor",
        "Imports without a file (1)",
        "  shop/app.py:3",
    ]
    hostile = branches[1].below[1]
    assert hostile.target is not None and hostile.target.path == HOSTILE
    assert _controls(hostile.note) == []
