"""The main text of pages, their links and what they say of themselves."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path

import pytest

from surveyor.errors import SurveyorError
from surveyor.formats.page_facts import NEEDED, PageFacts, check_installed
from surveyor.formats.web_page import decoded, read_page

PAGE = """<html><head><title>Sessions</title><base href="/v2/docs/"></head><body>
<div class="menu"><ul><li><a href="/new">Create a new account</a></li><li><a href="/buy">Buy more
</a></li><li><a href="/blog">Read our blog</a></li></ul></div>
<div id="content"><h1>Sessions</h1>
<p>A session keeps the parameters of several requests, so that none has to be given again.</p>
<div id="cookies" class="cookies"><h2>Cookies</h2>
<p>A session keeps the cookies of all answers and sends them with each further request.</p>
<pre>s = Session()
s.get("/cookies")</pre></div>
<h2>Closing</h2><p>Close a session when it is not needed any more, or use it as a context.</p>
<table><tr><td>timeout</td><td>how long an answer may take before it is given up</td></tr></table>
</div>
<div class="footer"><div>Copyright 2026, all rights reserved by us</div><a href="/imprint">Imprint
</a></div>
<a href="guide.html#x">Guide</a> <a rel="nofollow" href="login">x</a> <map><area href="map"></map>
</body></html>"""


def test_what_stands_around_the_text_goes_and_what_is_within_stays() -> None:
    document, facts = read_page(PAGE, "sessions")

    text = "\n".join(section.text for section in document.sections)
    assert "Create a new account" not in text and "all rights reserved" not in text
    assert 's.get("/cookies")' in text and "timeout | how long" in text
    assert [section.headings for section in document.sections] == [
        ("Sessions",), ("Sessions", "Cookies"), ("Sessions", "Closing"),
    ]  # fmt: skip
    assert facts == PageFacts(
        links=["/new", "/buy", "/blog", "/imprint", "/v2/docs/guide.html#x", "/v2/docs/map"]
    )


def test_a_page_that_only_leads_on_has_a_link() -> None:
    _, facts = read_page(
        "<meta http-equiv=Refresh content=\"0; URL='en/latest/'\"><frameset><frame src=f.html>"
        "</frameset>", "start",
    )  # fmt: skip
    assert facts.links == ["f.html", "en/latest/"]


def test_a_main_part_that_is_marked_is_kept_whole() -> None:
    marked = PAGE.replace('<div id="content">', "<main>Share this").replace(
        "</table>\n</div>", "</table><p>Printed on paper</p></main>"
    )
    document, _ = read_page(marked, "sessions")
    text = "\n".join(section.text for section in document.sections)
    assert "Share this" in text and "Printed on paper" in text
    assert "Create a new account" not in text


def test_what_is_missing_is_named_with_the_command_that_helps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_installed()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SurveyorError) as error:
        check_installed()
    assert f'{sys.executable} -m pip install "surveyor[web]"' in error.value.hint
    # An older pip installs trafilatura without what it cannot be imported without.
    there = {"trafilatura"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name if name in there else None)
    with pytest.raises(SurveyorError) as error:
        check_installed()
    assert "needs lxml_html_clean" in error.value.message
    assert error.value.hint.endswith('-m pip install "lxml-html-clean>=0.4"`.')


def test_the_extra_has_all_that_reading_a_page_needs() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert set(NEEDED.values()) == set(project["project"]["optional-dependencies"]["web"])


def test_text_is_what_its_bytes_say() -> None:
    text = "Grüße aus Łódź – „ja“"
    assert decoded(text.encode(), "latin-1") == text
    assert decoded(text.encode("utf-16"), "utf-8") == text
    assert decoded("Grüße".encode("latin-1"), "") == "Grüße"
    assert decoded(text.encode("cp1250", "replace"), "cp1250") == text.encode(
        "cp1250", "replace"
    ).decode("cp1250")
    japanese = "<meta charset='shift_jis'>日本語の文書"
    assert decoded(japanese.encode("shift_jis"), "") == japanese
    assert decoded("日本".encode("iso-2022-jp"), "ISO-2022-JP") == "日本"
    assert decoded(b"\xff\xfe\xfd", "no-such-charset")
    assert decoded(b"caf\x81\xe9", "rot13").endswith("é")
