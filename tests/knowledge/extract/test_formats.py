"""Every format, from real files made by the formats' own libraries."""

import io
import json
import re
import zipfile
from typing import Any

import docx
import pypdf
import pytest
from bs4.element import Tag
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from surveyor.formats import ExtractionError, extract, format_of


def sections(data: bytes, name: str) -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for one in extract(data, name).sections:
        found[one.headings] = "\n".join(filter(None, (found.get(one.headings), one.text)))
    return found


def pdf(pages: list[str], outline: list[tuple[str, int]], password: str = "") -> bytes:
    """A PDF with one line of text a row, and bookmarks."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(width=400, height=400)
        content = StreamObject()
        rows = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n"))
        content.set_data(f"BT /F1 12 Tf 20 360 Td {rows} ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
    for title, number in outline:
        writer.add_outline_item(title=title, page_number=number)
    writer.add_metadata({"/Title": "The Manual", "/Keywords": "tea, cups"})
    if password:
        writer.encrypt(password)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_pdf_keeps_title_pages_and_outline() -> None:
    data = pdf(
        ["Preface\nHello", "Brewing\nUse hot water\nServing\nPour", "More of it"],
        [("Brewing", 1), ("Serving", 1)],
    )
    document = extract(data, "m.pdf")
    assert document.title == "The Manual"
    assert document.topics == ("tea", "cups")
    assert [(one.page, one.headings) for one in document.sections] == [
        (1, ()),
        (2, ("Brewing",)),
        (2, ("Serving",)),
        (3, ("Serving",)),
    ]
    assert "hot water" in document.sections[1].text


def test_an_encrypted_or_damaged_pdf_says_so() -> None:
    with pytest.raises(ExtractionError, match="encrypted"):
        extract(pdf(["x"], [], password="secret"), "m.pdf")
    with pytest.raises(ExtractionError, match="not a readable PDF"):
        extract(b"%PDF-1.7\nrubbish", "m.pdf")
    assert "images" in extract(pdf([""], []), "scan.pdf").problems[0]


def test_a_docx_is_called_what_its_reader_sees() -> None:
    """Word's properties often have a template's title, or an earlier document's."""

    def title(said: str, *paragraphs: tuple[str, str]) -> str:
        document = docx.Document()
        document.core_properties.title = said
        for text, style in paragraphs:
            document.add_paragraph(text, style=style)
        out = io.BytesIO()
        document.save(out)
        return extract(out.getvalue(), "tides.docx").title

    seen = ("The Book of Tides", "Title"), ("Chapter one", "Heading 1")
    assert title("Quarterly report 2009", *seen, ("It rises.", "Normal")) == "The Book of Tides"
    assert title("Tides, collected", ("It rises.", "Normal")) == "Tides, collected"
    assert title("Word Document", *seen[1:], ("It rises.", "Normal")) == "Chapter one"
    assert title("Microsoft Word - draft7.doc", ("It rises.", "Normal")) == "tides"


def test_a_docx_with_properties_of_no_told_type_keeps_its_text() -> None:
    document = docx.Document()
    document.add_heading("Tides", 1)
    document.add_paragraph("The moon pulls.")
    whole, out = io.BytesIO(), io.BytesIO()
    document.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "[Content_Types].xml":
                data = re.sub(rb'<Override PartName="/docProps/core.xml"[^>]*>', b"", data)
            new.writestr(name, data)
    assert extract(out.getvalue(), "tides.docx").title == "Tides"
    assert sections(out.getvalue(), "tides.docx") == {("Tides",): "The moon pulls."}


def test_docx_keeps_headings_lists_and_tables() -> None:
    document = docx.Document()
    document.add_paragraph("Guide", style="Title")
    document.add_heading("Install", 1)
    document.add_paragraph("Run it.")
    document.add_paragraph("first", style="List Bullet")
    document.add_heading("Options", 2)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "--fast", "be quick"
    out = io.BytesIO()
    document.save(out)

    assert extract(out.getvalue(), "g.docx").title == "Guide"
    assert sections(out.getvalue(), "g.docx") == {
        ("Install",): "Run it.\n\n- first",
        ("Install", "Options"): "--fast | be quick",
    }


def test_epub_is_read_in_the_order_of_its_spine() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        )
        book.writestr(
            "OPS/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc='
            '"http://purl.org/dc/elements/1.1/"><metadata><dc:title>Tea &amp; Cups</dc:title>'
            "<dc:subject>tea</dc:subject></metadata><manifest>"
            '<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="a" href="chapter%201.xhtml" media-type="application/xhtml+xml"/>'
            '</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        )
        book.writestr(
            "OPS/chapter 1.xhtml",
            "<html><head><title>One</title></head><body><h1>Leaves</h1><p>Green.</p></body></html>",
        )
        book.writestr(
            "OPS/two.xhtml",
            "<html><head><title>Two</title></head><body><p>No heading.</p></body></html>",
        )
    document = extract(out.getvalue(), "tea.epub")
    assert document.title == "Tea & Cups"
    assert document.topics == ("tea",)
    assert [(one.headings, one.text) for one in document.sections] == [
        (("Leaves",), "Green."),
        (("Two",), "No heading."),
    ]
    with pytest.raises(ExtractionError, match="EPUB"):
        extract(b"PK rubbish", "x.epub")


def test_html_keeps_the_text_and_leaves_what_surrounds_it() -> None:
    page = b"""<!doctype html><html><head><title>API &mdash; Tea</title>
      <style>p{}</style></head><body><nav>Home</nav><header>Banner</header>
      <main><h1>API<a class="headerlink" href="#api">\xc2\xb6</a></h1><!-- no -->
      <p>Call <code>brew()</code>,
      then <b>wait</b>.</p><ul><li>one</li><li><p>two</p></li></ul>
      <h2>get_<wbr>cup</h2><pre>x = 1
  y = 2</pre><table><tr><th>a</th><td>b</td></tr></table></main>
      <footer>Copyright</footer><script>alert(1)</script></body></html>"""
    assert extract(page, "a.html").title == "API — Tea"
    assert sections(page, "a.html") == {
        ("API",): "Call brew(), then wait.\n- one\n- two",
        ("API", "get_cup"): "x = 1\n  y = 2\n\na | b",
    }


def test_deeply_nested_html_is_read() -> None:
    page = b"<div>" * 3000 + b"deep" + b"</div>" * 3000
    assert "deep" in extract(page, "d.html").sections[0].text


def test_no_search_is_made_for_each_element_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    find, searches = Tag.find, [0]

    def counted(tag: Tag, *args: Any, **more: Any) -> Any:
        searches[0] += 1
        return find(tag, *args, **more)

    monkeypatch.setattr(Tag, "find", counted)
    page = b"<div><nav>a</nav><article>" * 100 + b"<header>deep</header>"
    assert extract(page, "d.html").sections[0].text == "deep"
    assert searches[0] < 20


def test_markdown_headings_in_fences_are_text() -> None:
    text = (
        "---\ntitle: The Tea\ntags: [green, hot]\n---\nIntro\n\n# Brew `get_cup` *well*\n\n"
        "```sh\n# not a heading\n```\n\nTwo\n===\n\nLast\n"
    )
    document = extract(text.encode(), "tea.md")
    assert (document.title, document.topics) == ("The Tea", ("green", "hot"))
    assert [(s.headings, s.start_line, s.end_line) for s in document.sections] == [
        ((), 5, 5),
        (("Brew get_cup well",), 9, 11),
        (("Two",), 16, 16),
    ]


def test_rst_keeps_what_sphinx_adds() -> None:
    text = """Title
=====

Intro with :func:`shown <hidden.target>`.

Section
-------

.. autofunction:: brew

.. include:: /etc/passwd

- one
- two

.. raw:: html

   <script>alert(1)</script>
"""
    found = sections(text.encode(), "a.rst")
    assert found[("Title",)] == "Intro with shown."
    assert ".. autofunction:: brew" in found[("Title", "Section")]
    assert "- one\n- two" in found[("Title", "Section")]
    assert "root:" not in found[("Title", "Section")]


def test_notebooks_keep_code_with_its_text() -> None:
    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": ["# Load\n", "Read it."]},
            {"cell_type": "code", "source": "# comment\ndf = read()", "outputs": [{"text": "no"}]},
        ],
        "metadata": {"language_info": {"name": "python"}},
    }
    data = json.dumps(notebook).encode()
    assert sections(data, "n.ipynb") == {
        ("Load",): "Read it.\n\n```python\n# comment\ndf = read()\n```"
    }
    with pytest.raises(ExtractionError, match="not a notebook"):
        extract(b"{}", "n.ipynb")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Ünï\n\ncode".encode(), "Ünï\n\ncode"),
        ("Ünï".encode("utf-16"), "Ünï"),
        ("Ünï".encode("cp1252"), "Ünï"),
        (b"a\x00b\r\nc\x07", "ab\nc"),
    ],
)
def test_plain_text_in_any_encoding(data: bytes, text: str) -> None:
    assert extract(data, "a.txt").sections[0].text == text


def test_formats_are_known_by_name_or_by_what_is_inside() -> None:
    assert format_of("A.PDF") == "pdf"
    assert format_of("download", b"%PDF-1.4") == "pdf"
    assert format_of("page", b"\n<!DOCTYPE html>") == "html"
    assert format_of("README", b"hello") == "text"
    assert format_of("a.exe", b"MZ\0") is None
    assert format_of("blob", b"\0\1") is None
    with pytest.raises(ExtractionError, match="no format"):
        extract(b"MZ\0", "a.exe")
    with pytest.raises(ExtractionError, match="no text"):
        extract(b" \n", "a.txt")


def test_damaged_files_are_errors_and_never_crashes() -> None:
    for name in ("a.pdf", "a.docx", "a.epub", "a.ipynb"):
        for data in (b"", b"\0" * 100, b"PK\x03\x04" + b"x" * 50, b"{" * 5000):
            with pytest.raises(ExtractionError):
                extract(data, name)
