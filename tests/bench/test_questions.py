"""The questions of `tests.bench.questions` can be told apart, and each is about a known place."""

from __future__ import annotations

from collections import Counter

from tests.bench.questions.__main__ import questions, repositories


def test_each_question_has_an_id_of_its_own_and_a_repository() -> None:
    asked = questions()
    assert [each for each, times in Counter(q.id for q in asked).items() if times > 1] == []
    assert {q.repository for q in asked} == set(repositories())
