"""A pasted issue: what it asks, names and points to is looked for, and its chatter is not."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.config.rank_settings import RankSettings
from surveyor.parsing.languages import is_file_name
from surveyor.search.issue_text import IssueText, is_issue, read_issue
from surveyor.search.query import MAX_ISSUE, understand
from surveyor.search.rank import Candidate, RankContext, rank
from surveyor.search.stack_trace import read_trace

TRACE = """\
Traceback (most recent call last):
  File "/home/me/run.py", line 3, in <module>
    app.dispatch(request)
  File "/usr/lib/python3/site-packages/web/routing.py", line 40, in dispatch
    return self.match_route(request)
  File "/usr/lib/python3/site-packages/web/matching.py", line 7, in match_route
    return pattern.search(path)
  File "/usr/lib/python3/re.py", line 99, in search
TypeError: expected string or bytes-like object
"""
ISSUE = f"""\
Routes with a trailing slash crash in `Matcher`
### Bug description

Hello!
When a route ends with a slash, the request crashes. It should redirect instead,
as `web/redirects.py` does for `strict_slashes`.

```python
app = SuperApp()
```

```
{TRACE}```

### Environment
Python 3.11.4
web 2.1.0
Thanks
"""


def issue_of(text: str, is_file: Callable[[str], bool] = is_file_name) -> IssueText:
    return read_issue(text, read_trace(text).frames, is_file)


def test_what_an_issue_asks_is_looked_for_and_its_chatter_is_not() -> None:
    read = issue_of(ISSUE)
    assert "should redirect instead" in read.meaning
    for chatter in ("3.11.4", "Bug description", "Thanks", "SuperApp", "Traceback"):
        assert chatter not in read.meaning
    weights = dict(read.names)
    assert weights["Matcher"] > weights["SuperApp"]
    assert weights["match_route"] > weights["SuperApp"]
    assert read.messages == ("expected string or bytes-like object",)


def test_places_are_those_that_prose_names_and_the_frames_from_the_innermost() -> None:
    places = issue_of(ISSUE).places
    assert [(place.path, place.line) for place in places] == [
        ("web/redirects.py", 0),
        ("/usr/lib/python3/re.py", 99),
        ("web/matching.py", 7),
        ("web/routing.py", 40),
        ("/home/me/run.py", 3),
    ]


def test_the_innermost_frame_that_lies_in_the_project_comes_first() -> None:
    paths = ("web/matching.py", "web/routing.py", "web/other.py")
    chunks = [
        Candidate(id=path, path=path, start_line=1, end_line=60, sparse_rank=number)
        for number, path in zip((3, 2, 1), paths, strict=True)
    ]
    ranked = rank(understand(ISSUE, is_file_name), chunks, RankSettings(), RankContext())
    assert [each.candidate.path for each in ranked] == list(paths)


@pytest.mark.parametrize(
    "text",
    [
        "where are routes matched",
        TRACE,
        "def run(state):\n" + "    state = step(state, 1)\n" * 20,
        "TypeError: expected string\n" + TRACE,
        "{\n" + '  "key": "value",\n' * 30 + "}",
    ],
)
def test_code_traces_and_questions_are_no_issues(text: str) -> None:
    assert not is_issue(text)
    assert understand(text, is_file_name).kind != "issue"


def test_tests_are_not_asked_for_by_an_issue_that_has_some() -> None:
    query = understand(ISSUE + "\n" + "def test_slash():\n    assert tests\n" * 9, is_file_name)
    assert (query.kind, query.wants) == ("issue", frozenset())


@given(
    st.lists(st.sampled_from([*ISSUE.split(" "), "```\n", "\n", "\0", "é", "'" * 9]), max_size=200)
)
def test_any_text_is_read(parts: list[str]) -> None:
    text = " ".join(parts)
    read = issue_of(text)
    assert len(read.meaning) <= len(text) + 1
    understand(text, is_file_name)


@pytest.mark.parametrize(
    "piece", ["a/", "`x", "```\n", 'File "', "a.b.", "Error: ", "x(", "((", "    "]
)
def test_repetition_does_not_cost_more_than_its_length(piece: str) -> None:
    text = "Something is wrong here\n" + piece * (MAX_ISSUE // len(piece))
    assert understand(text, is_file_name).text


def test_what_an_issue_says_again_is_not_looked_at_again() -> None:
    asked: list[str] = []

    def is_file(name: str) -> bool:
        asked.append(name)
        return name.endswith(".py")

    trace = 'File "/srv/app/views.py", line 12, in get_response\n    return view(request_id)\n'
    long_name = "settings." * 2_000 + "key"
    issue = f"The view fails when asked twice\nIt should answer `get_response`.\n{long_name}\n"
    once = issue_of(issue + trace, is_file)
    few = len(asked)
    asked.clear()
    again = issue_of(issue + trace * 200, is_file)
    assert [name for name, _ in again.names] == [name for name, _ in once.names]
    names = [name for name in asked if "." not in name]
    assert len(names) == len(set(names)) <= few
    assert max(map(len, asked)) < len(long_name)
