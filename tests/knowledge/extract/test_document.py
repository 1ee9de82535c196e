from hypothesis import given
from hypothesis import strategies as st

from surveyor.formats.document import DocumentSection, ExtractedDocument, document_chunks

WORDS = st.text("ab \n.é", min_size=1, max_size=400)


@given(st.lists(st.tuples(WORDS, st.sampled_from([(), ("A",), ("A", "B"), ("C",)]))))
def test_no_text_is_lost_and_no_piece_is_too_long(parts: list[tuple[str, tuple[str, ...]]]) -> None:
    document = ExtractedDocument(
        "t", "text", tuple(DocumentSection(text, path) for text, path in parts)
    )
    made = list(document_chunks(document, max_chars=100))
    assert [one.ordinal for one in made] == list(range(len(made)))
    assert all(0 < len(one.text) <= 100 for one in made)
    kept = "".join("".join(one.text.split()) for one in made)
    lost = [c for text, _ in parts for c in set(text.strip()) if not c.isspace() and c not in kept]
    assert not lost


def test_a_piece_says_where_it_is() -> None:
    long = "\n".join(f"line {i:03}" for i in range(1, 301))
    document = ExtractedDocument("t", "markdown", (DocumentSection(long, ("A",), None, 10, 309),))
    made = list(document_chunks(document))
    assert made[0].start_line == 10
    assert made[-1].end_line == 309
    for one in made:
        first = one.text.split("\n")[0]
        assert one.start_line == 9 + int(first.removeprefix("line "))
        assert one.end_line == 9 + int(one.text.split("\n")[-1].removeprefix("line "))


def test_small_neighbours_are_joined_only_under_one_heading_and_page() -> None:
    document = ExtractedDocument(
        "t",
        "pdf",
        (
            DocumentSection("one", ("A", "B"), 1),
            DocumentSection("two", ("A", "B", "C"), 1),
            DocumentSection("three", ("A", "B"), 2),
            DocumentSection("four", ("D",), 2),
        ),
    )
    assert [(p.text, p.page) for p in document_chunks(document)] == [
        ("one\n\nC\ntwo", 1),
        ("three", 2),
        ("four", 2),
    ]
