"""`surveyor check`, as a user and a script run it, on a repository of several languages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from surveyor.cli import hook_deadline
from tests.gitrepo import git, write
from tests.product import Product, product, until

SLUG = (
    "import re\n\n\n"
    "def slug(title, limit=80):\n"
    "    text = re.sub(r'[^a-z0-9]+', '-', title.casefold())\n"
    "    if len(text) > limit:\n"
    "        return text[:limit].rstrip('-')\n"
    "    return text.strip('-')\n"
)
FILES = {
    "shop/text.py": SLUG,
    "shop/Find.java": (
        "class Find {\n"
        "  List<Item> byText(Pattern p) { return Collector.collect(new ByText(p), this); }\n"
        "  List<Item> byText(String regex) {\n    Pattern p;\n"
        "    try { p = Pattern.compile(regex); }\n"
        "    catch (PatternSyntaxException e) { throw new BadPattern(regex, e); }\n"
        "    return byText(p);\n  }\n}\n"
    ),
    "shop/merge.py": (
        "def merge(one, two):\n    for key, value in two.items():\n"
        "        if isinstance(one.get(key), Branch) and isinstance(value, Branch):\n"
        "            merge(one[key], value)\n        else:\n            one[key] = copied(value)\n"
    ),
    "shop/page.py": (
        "from shop.text import slug\n\n\ndef address(page):\n    return slug(page.title)\n"
    ),
    "shop/pay.py": (
        "class Base:\n    def total(self, items):\n        return 0\n\n\n"
        "class Cart(Base):\n    def total(self, items):\n        return len(items)\n\n\n"
        "def charge(cart, amount):\n    return amount\n\n\n"
        "def refund(cart):\n    return charge(cart, -1)\n"
    ),
    "shop/desk.py": (
        "from shop.pay import charge, refund\n\n\n"
        "def sell(cart):\n    charge(cart, 1)\n    charge(cart, amount=2)\n"
        "    charge(*cart)\n    return refund(cart)\n"
    ),
    "tests/test_desk.py": "from shop.desk import sell\n\n\ndef test_sell():\n    assert sell([])\n",
    "shop/key.rb": "class Key\n  def rebased(at)\n    at\n  end\nend\n",
    "shop/door.rb": "def unlock(key)\n  key.rebased(1)\nend\n",
    "web/render.ts": "export function render(text: string, wide?: boolean) { return text; }\n",
    "web/app.ts": 'import { render } from "./render";\nexport const main = () => render("x");\n',
    "mail/mail.go": (
        "package mail\n\nfunc Send(to string) error { return nil }\n\n"
        'func Again() error { return Send("b") }\n'
    ),
    "mail/all.go": 'package mail\n\nfunc All() error { return Send("a") }\n',
    "mail/more_test.go": (
        'package mail_test\n\nimport mail "example.com/mail"\n\n'
        'func ExampleSend() { mail.Send("a") }\n'
    ),
    "notes.md": "# Notes\n",
}


WITHOUT_SERVERS = ("--no-diagnostics",)
"""One that is ready in time, on this machine, has much to say of these files."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, Path]]:
    root = tmp_path_factory.mktemp("work") / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, FILES)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    with product(tmp_path_factory.mktemp("home")) as made:
        made.index(root)
        yield made, root


@pytest.fixture
def clean(shop: tuple[Product, Path]) -> Iterator[tuple[Product, Path]]:
    yield shop
    git(shop[1], "reset", "-q", "--hard", "HEAD")
    git(shop[1], "clean", "-qfd")


def run(shop: tuple[Product, Path], *arguments: str) -> subprocess.CompletedProcess[str]:
    made, root = shop
    given = (*arguments, *WITHOUT_SERVERS, "--project", str(root), "--wait", "50")
    return made.run("check", *given, check=False)


def replace(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new, 1))


def said(shop: tuple[Product, Path], *arguments: str) -> list[tuple[str, str, int]]:
    made, root = shop
    given = (*arguments, *WITHOUT_SERVERS, "--project", str(root), "--wait", "50")
    answer: Any = made.json("check", *given)
    return [(each["kind"], each["path"], each["line"]) for each in answer["results"]]


def test_nothing_is_said_of_a_change_that_breaks_nothing(clean: tuple[Product, Path]) -> None:
    assert (run(clean).returncode, run(clean).stdout) == (0, "")
    replace(clean[1], "shop/pay.py", "return amount", "return amount + 0")
    replace(clean[1], "web/render.ts", "wide?: boolean", "wide?: boolean, tall = 1")
    done = run(clean)
    assert (done.returncode, done.stdout) == (0, "")
    assert "tests/test_desk.py" in done.stderr, "the tests that reach it are named"


def test_calls_that_a_new_parameter_leaves_behind_are_listed(clean: tuple[Product, Path]) -> None:
    replace(clean[1], "shop/pay.py", "(cart, amount)", "(cart, amount, currency)")
    done = run(clean)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines == [
        "shop/desk.py:5:5 does not pass currency: charge(cart, amount, currency) (shop/pay.py:11)",
        "shop/desk.py:6:5 does not pass currency: charge(cart, amount, currency) (shop/pay.py:11)",
        "shop/pay.py:16:12 does not pass currency: charge(cart, amount, currency) (shop/pay.py:11)",
    ]
    assert said(clean, "web") == [], "only what was asked about"
    assert run(clean, "web").returncode == 0


def test_all_of_a_file_that_git_does_not_know_was_written_by_the_change(
    clean: tuple[Product, Path],
) -> None:
    _, root = clean
    replace(root, "shop/pay.py", "def charge(cart, amount)", "def charge(amount, cart)")
    write(
        root,
        {
            "shop/fee.py": "def fee(cart, rate):\n    return rate\n",
            "shop/new.py": (
                "from shop.fee import fee\nfrom shop.pay import charge\n\n\n"
                "def run(cart):\n    fee(cart)\n    charge(1, cart)\n"
            ),
        },
    )
    places = [each for each in said(clean) if each[1] == "shop/new.py"]
    assert places == [("call", "shop/new.py", 6)]


def test_a_keyword_that_is_renamed_breaks_only_who_says_it(clean: tuple[Product, Path]) -> None:
    replace(clean[1], "shop/pay.py", "def charge(cart, amount)", "def charge(cart, cents)")
    assert said(clean) == [("call", "shop/desk.py", 6)]


def test_what_is_gone_is_told_to_those_who_name_it(clean: tuple[Product, Path]) -> None:
    replace(clean[1], "shop/pay.py", "def charge(cart", "def collect(cart")
    found = said(clean)
    assert {("removed", "shop/desk.py", line) for line in (1, 5, 6, 7)} <= set(found)
    assert ("removed", "shop/pay.py", 16) in found, "in its own file too"
    assert "now collect?" in run(clean).stdout


def test_places_are_counted_that_name_what_is_gone_on_values_of_unknown_type(
    clean: tuple[Product, Path],
) -> None:
    replace(clean[1], "shop/key.rb", "def rebased(at)", "def moved(at)")
    done = run(clean)
    assert (
        "1 other place names rebased, which is gone, on a receiver of unknown type: shop/door.rb:2"
        in done.stdout + done.stderr
    )


def test_imports_by_the_former_name_of_a_file_are_told_where_it_is_now(
    clean: tuple[Product, Path],
) -> None:
    odd = 'shop/we"ird é.py'
    git(clean[1], "mv", "shop/text.py", odd)
    lines = run(clean).stdout.splitlines()
    assert (
        f"shop/page.py:1:23 names slug, which is gone from shop/text.py (now {odd}?) ({odd}:4)"
        in (lines)
    )


def test_what_moved_to_a_module_whose_names_are_all_taken_breaks_nothing(
    clean: tuple[Product, Path],
) -> None:
    root = clean[1]
    moved = "class Base:\n    def total(self, items):\n        return 0\n"
    replace(root, "shop/pay.py", f"{moved}\n\n", "from shop.base import *\n\n\n")
    (root / "shop/base.py").write_text(moved)
    try:
        assert said(clean) == []
    finally:
        (root / "shop/base.py").unlink()
    replace(root, "shop/pay.py", "from shop.base import *\n", "")
    assert ("removed", "shop/pay.py", 3) in said(clean)


def test_a_method_of_a_value_is_not_the_function_of_this_name_that_is_gone(
    clean: tuple[Product, Path],
) -> None:
    root = clean[1]
    called = "def sell(cart):\n    cart.charge(1)\n    pay.charge(cart, 1)\n"
    replace(root, "shop/desk.py", "def sell(cart):\n", called)
    replace(root, "shop/desk.py", "from shop", "from shop import pay\nfrom shop")
    replace(root, "shop/pay.py", "def charge(cart", "def collect(cart")
    lines = [line for kind, path, line in said(clean) if path == "shop/desk.py"]
    assert 6 not in lines and {2, 7, 8} <= set(lines)


def test_overrides_that_stay_behind_are_told(clean: tuple[Product, Path]) -> None:
    replace(clean[1], "shop/pay.py", "def total(self, items)", "def total(self, items, tax)")
    assert ("override", "shop/pay.py", 7) in said(clean)


def test_other_languages_are_compared_as_well(clean: tuple[Product, Path]) -> None:
    replace(clean[1], "web/render.ts", "wide?: boolean", "wide: boolean")
    replace(clean[1], "mail/mail.go", "to string", "to string, subject string")
    assert said(clean) == [
        ("call", "mail/all.go", 3),
        ("call", "mail/mail.go", 5),
        ("call", "web/app.ts", 2),
    ]


def test_what_moved_within_a_package_breaks_nothing_where_it_was(
    clean: tuple[Product, Path],
) -> None:
    replace(clean[1], "mail/mail.go", "func Send(to string) error { return nil }\n", "")
    replace(
        clean[1],
        "mail/all.go",
        "package mail\n",
        "package mail\n\nfunc Send(string) error { return nil }\n",
    )
    assert said(clean) == []


def test_a_file_that_cannot_be_read_any_more_is_told(clean: tuple[Product, Path]) -> None:
    replace(clean[1], "mail/mail.go", "{ return nil }", "{ return (nil }")
    assert [each[:2] for each in said(clean)] == [("syntax", "mail/mail.go")]


def test_a_large_file_that_changed_is_said_not_to_be_compared(clean: tuple[Product, Path]) -> None:
    write(clean[1], {"shop/large.py": "x = 1\n" * 200_000 + "def tail(a):\n    return tail()\n"})
    done = run(clean)
    assert (done.returncode, done.stdout) == (0, "")
    assert "1 changed file is larger than 1 MB and not compared (shop/large.py)" in done.stderr


def test_staged_and_committed_changes_are_looked_at(clean: tuple[Product, Path]) -> None:
    _, root = clean
    replace(root, "shop/pay.py", "(cart, amount)", "(cart)")
    assert said(clean, "--staged") == []
    git(root, "add", "-A")
    assert len(said(clean, "--staged")) == 3
    git(root, "commit", "-qm", "second")
    assert said(clean) == []
    assert len(said(clean, "HEAD~1..HEAD")) == 3
    git(root, "reset", "-q", "--hard", "HEAD~1")


def test_what_cannot_be_looked_at_is_an_error_of_its_own(
    clean: tuple[Product, Path], tmp_path: Path
) -> None:
    unknown = run(clean, "nosuchbranch..HEAD")
    assert unknown.returncode == 2 and "nosuchbranch" in unknown.stderr
    both = run(clean, "HEAD~1", "--staged")
    assert both.returncode == 2 and "several" in both.stderr
    (tmp_path / "plain").mkdir()
    made, _ = clean
    nowhere = made.run("check", "--project", str(tmp_path / "plain"), check=False)
    assert nowhere.returncode == 2, nowhere.stderr


def test_tests_are_run_where_the_user_trusts_the_folder_only(clean: tuple[Product, Path]) -> None:
    made, root = clean
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    replace(root, "shop/pay.py", "return amount", "return amount + 0")
    refused = run(clean, "--run")
    assert refused.returncode == 2
    assert "is not trusted" in refused.stderr
    made.run("trust", str(root))
    try:
        ran = run(clean, "--run")
        assert ran.returncode == 1, ran.stderr
        failed = [line for line in ran.stdout.splitlines() if "[tests.test_desk.test_sell]" in line]
        assert failed[0].startswith("shop/desk.py:7 TypeError: charge() missing 2")
        assert "in sell (shop/desk.py:4) | charge(*cart)" in failed[0]
        assert "0 passed, 1 failed, 0 skipped (pytest" in ran.stderr
        (root / "tests/test_desk.py").write_text("def test_sell():\n    pass\n")
        one = made.run("test", "tests/test_desk.py::test_sell", "-C", str(root), check=False)
        assert (one.returncode, one.stdout) == (0, ""), one.stderr
        assert "1 passed" in one.stderr
        nobody = made.run("test", "web/app.ts", "-C", str(root), check=False)
        assert (nobody.returncode, "no test reaches" in nobody.stderr) == (2, True), nobody.stderr
        git(root, "stash", "-q", "-u")
        unchanged = made.run("test", "-C", str(root), check=False)
        assert (unchanged.returncode, "nothing has changed" in unchanged.stderr) == (0, True)
    finally:
        made.run("trust", str(root), "--remove")


def test_an_added_function_that_exists_in_other_words_is_named(clean: tuple[Product, Path]) -> None:
    _, root = clean
    added = (
        "import re\n\n\n"
        "def as_path(heading, most=80):\n"
        "    plain = re.sub(r'[^a-z0-9]+', '-', heading.casefold())\n"
        "    if most >= len(plain):\n"
        "        return plain.strip('-')\n"
        "    return plain[:most].rstrip('-')\n\n\n"
        "def first_line(text, most=80):\n"
        "    line = text.partition(SEPARATOR)[0].expandtabs()\n"
        "    if len(line) > most:\n"
        "        return textwrap.shorten(line, most, placeholder='...')\n"
        "    return line.title()\n"
    )
    write(root, {"web/names.py": added, "tests/test_names.py": added})
    clean[0].index(root)
    done = run(clean)
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    assert line.startswith("web/names.py:4:5 does what slug does (same calls, same literals")
    assert "def slug(title, limit=80)" in line and "(shop/text.py:4)" in line
    assert "called as in shop/page.py:5: return slug(page.title)" in line


def test_what_calls_itself_is_compared_and_what_hands_over_to_an_overload_is_not(
    clean: tuple[Product, Path],
) -> None:
    _, root = clean
    java = FILES["shop/Find.java"].replace("byText", "byLabel").replace("ByText", "ByLabel")
    merged = (
        "def deep_update(base, more):\n    for name in more:\n        new = more[name]\n"
        "        if isinstance(base.get(name), Branch) and isinstance(new, Branch):\n"
        "            deep_update(base[name], new)\n            continue\n"
        "        base[name] = copied(new)\n"
    )
    write(
        root, {"shop/Label.java": java.replace("class Find", "class Label"), "web/deep.py": merged}
    )
    clean[0].index(root)
    found = said(clean)
    assert found == [("duplicate", "web/deep.py", 1)]


def test_similar_code_is_found_by_place_and_by_text(clean: tuple[Product, Path]) -> None:
    made, root = clean
    clone = SLUG.replace("slug", "as_path").replace("text", "plain").replace("title", "heading")
    for given in (("--text", clone), ("--text", clone, "--language", "python")):
        found: Any = made.json("similar", *given, "--project", str(root))
        assert found["results"][0]["symbol"] == "slug"
        assert "same calls" in found["results"][0]["reasons"]
    write(root, {"web/names.py": clone})
    made.index(root)
    for place in ("web/names.py:6", "web/names.py:6:3", "web/names.py:4-8"):
        done = made.run("similar", str(root / place), "-n", "1")
        assert done.stdout.startswith("shop/text.py:4-8  function slug"), done.stderr
        assert "same calls, same literals, same shape" in done.stdout
    nothing = made.run("similar", str(root / "web/names.py:1"), check=False)
    assert nothing.returncode != 0 and "no definition at web/names.py:1" in nothing.stderr
    assert made.run("similar", check=False).returncode == 2


def hook(shop: tuple[Product, Path], session: str) -> str:
    """What a hook says after an edit; nothing where it has nothing new, or no time."""
    event = json.dumps({"session_id": session, "tool_name": "Edit", "tool_input": {}})
    done = shop[0].run("check", "--hook", check=False, input=event, cwd=shop[1])
    assert done.returncode == (1 if done.stdout else 0)
    return done.stdout


def test_a_hook_tells_a_session_each_finding_once(clean: tuple[Product, Path]) -> None:
    _, root = clean
    replace(root, "shop/pay.py", "charge(cart, amount)", "charge(cart, amount, fee)")
    replace(root, "shop/desk.py", "return refund", "return  refund")
    wrong = said(clean)
    told = until(lambda: hook(clean, "one"))
    assert told.count("\n") == len(wrong) > 1
    replace(root, "shop/desk.py", "def sell", "# above\n\n\ndef sell")  # their lines move
    replace(root, "web/render.ts", "wide?: boolean", "wide: boolean")
    moved = said(clean)
    assert until(lambda: hook(clean, "one")).startswith("web/app.ts:2:")
    assert hook(clean, "one") == ""
    assert until(lambda: hook(clean, "another")).count("\n") == len(moved), "to each its own"
    replace(root, "web/render.ts", "wide: boolean", "wide?: boolean")
    said(clean)
    assert hook(clean, "one") == "", "gone"
    replace(root, "web/render.ts", "wide?: boolean", "wide: boolean")
    said(clean)
    assert until(lambda: hook(clean, "one")).startswith("web/app.ts:2:"), "and back"


def test_an_emptied_file_leaves_its_users_behind(clean: tuple[Product, Path]) -> None:
    for text in ("", "\n"):
        (clean[1] / "shop/text.py").write_text(text)
        found = said(clean)
        assert {("removed", "shop/page.py", line) for line in (1, 5)} == set(found), text
        assert "index" not in run(clean).stderr


def test_a_hook_ends_when_its_time_is_over_whatever_it_waits_for() -> None:
    program = (
        "import sys\nfrom surveyor.cli.hook_deadline import HookDeadline\n"
        "HookDeadline(0.0).start()\nsys.stdin.read()\nprint('said')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as waiting:
        assert waiting.stdout is not None and waiting.stdin is not None
        assert waiting.stdout.read() == b"", "it waits for stdin, which nobody closes"
        assert waiting.wait(60) == 0


def test_the_time_of_a_hook_counts_from_the_start_of_its_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hook_deadline, "age_s", lambda: 1.5)
    deadline = hook_deadline.HookDeadline(1.8)
    assert 0.0 <= deadline.left_s() <= 0.31
    assert hook_deadline.is_hook(["check", "src", "--hook"]) and hook_deadline.is_hook(["hint"])
    assert hook_deadline.is_hook(["memory", "inject", "--hook"])
    assert not hook_deadline.is_hook(["check", "hint"])
    assert not hook_deadline.is_hook(["memory", "inject"])


def test_a_hook_loads_no_framework_of_the_command_line(tmp_path: Path) -> None:
    program = (
        "import sys, surveyor.__main__ as m\nsys.argv[1:] = {}\n"
        "try: m.main()\nexcept SystemExit as ended: assert not ended.code, ended\n"
        "assert 'typer' not in sys.modules and 'click' not in sys.modules"
    )
    env = {**os.environ, "SURVEYOR_DATA_DIR": str(tmp_path / "data")}
    for arguments in (["check", "--hook"], ["hint"]):
        command = [sys.executable, "-c", program.format(arguments)]
        done = subprocess.run(command, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, arguments


def test_a_hook_is_silent_where_no_engine_runs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    env = {
        **os.environ,
        "SURVEYOR_DATA_DIR": str(data),
        "SURVEYOR_CONFIG": str(tmp_path / "c.toml"),
    }
    command = [sys.executable, "-m", "surveyor", "check", "--hook"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not list(data.rglob("*.sock")), "and none is started"
