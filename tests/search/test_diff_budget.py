from surveyor.engine.agents.tools.search import render_diffs
from surveyor.engine.operations.text_search import _diffs_within
from surveyor.protocol.search import FileRewrite
from surveyor.search.diff_budget import cut_diffs


def diff(name: str, hunks: int) -> str:
    heading = f"--- a/{name}\n+++ b/{name}\n"
    return heading + "".join(
        f"@@ -{n},2 +{n},2 @@\n before\n-old({n})\n+new({n})\n" for n in range(1, hunks + 1)
    )


def test_a_diff_is_cut_at_whole_hunks_and_counts_what_is_left() -> None:
    first, second = diff("a.py", 3), diff("b.py", 4)

    room = len(first) + len(diff("b.py", 1)) + 20  # not enough for a second hunk
    cut = cut_diffs([first, second, diff("c.py", 2)], room)

    assert cut.shown == [first, diff("b.py", 1)]
    assert (cut.hunks_left, cut.files_left) == (5, 2)
    assert cut.left_out("ask again") == "5 hunks more in 2 files, beyond the budget: ask again."


def test_what_fits_is_whole_and_nothing_is_said() -> None:
    both = [diff("a.py", 1), diff("b.py", 1)]
    cut = cut_diffs(both, sum(map(len, both)))
    assert cut.shown == both
    assert cut.left_out("ask again") == ""


def test_a_small_later_file_does_not_jump_the_queue() -> None:
    cut = cut_diffs([diff("a.py", 50), diff("b.py", 1)], len(diff("b.py", 1)) - 20)
    assert (cut.shown, cut.hunks_left, cut.files_left) == ([], 51, 2)


def test_an_answer_within_a_token_budget_has_as_much_of_the_diffs() -> None:
    files = [FileRewrite(path=name, root="/p", diff=diff(name, 40)) for name in ("a.py", "b.py")]

    kept, said = _diffs_within(files, 200)

    assert [each.path for each in kept] == ["a.py"]
    assert len(kept[0].diff) <= 800
    assert kept[0].diff.count("@@ -") + int(said.split()[0]) == 80
    assert _diffs_within(files, None) == (files, "")


def test_an_agent_is_told_of_one_large_file_what_fits() -> None:
    answer = {
        "diffs": [{"diff": diff("a.py", 400)}],
        "matches": 400,
        "files": 1,
        "notice": "400 matches in 1 file.",
        "status": "healthy",
    }

    told = render_diffs(answer, 300)

    assert len(told.text) < 300 * 4 + 400
    assert "hunks more in 1 file, beyond the budget: raise max_tokens" in told.text
    assert told.beside["complete"] is False
