"""What commits teach of files, which commits teach and ask, and when it is used."""

from __future__ import annotations

import numpy as np
import pytest

from surveyor.search.commit_prior import (
    LEAST_COMMITS,
    TaughtCommit,
    asked_by,
    files_ndcg,
    fitted,
    taught_by,
    verdict_of,
)

KNOWN = {"src/cookies.py", "src/routes.py", "src/hosts.py", "tests/test_routes.py"}


def taught(*subjects_and_files: tuple[str, str]) -> list[TaughtCommit]:
    return [TaughtCommit(subject, (path,)) for subject, path in subjects_and_files]


def no_meaning(commits: list[TaughtCommit]) -> np.ndarray:
    return np.zeros((len(commits), 4), dtype=np.float32)


def test_a_word_leads_to_the_files_that_its_commits_change_more_often_than_others() -> None:
    usual = taught(*[("Tidy the handling of things", "src/routes.py")] * 6)
    commits = usual + taught(*[("Sign sessions with a secret", "src/cookies.py")] * 3)
    prior = fitted(commits, no_meaning(commits))
    assert prior.of("how are sessions signed", None) == {"src/cookies.py": 1.0}
    assert prior.of("nothing of it is said", None) == {}


def test_the_files_of_commits_that_mean_the_same_are_led_to() -> None:
    commits = taught(("Sign sessions", "src/cookies.py"), ("Match hosts of routes", "src/hosts.py"))
    meanings = np.array([[1, 0], [0, 1]], dtype=np.float32)
    found = fitted(commits, meanings).of("", np.array([0.9, 0.4], dtype=np.float32))
    assert found["src/cookies.py"] == 1.0
    assert 0.0 < found["src/hosts.py"] < 0.1


@pytest.mark.parametrize(
    ("subject", "changed", "asks"),
    [
        ("Keep cookies of two hosts apart (#12)", ["src/cookies.py"], True),
        ("Keep cookies of two hosts apart", ["src/cookies.py", "tests/test_routes.py"], True),
        ("Keep cookies of two hosts apart", ["src/gone.py"], False),
        ("Keep cookies of two hosts apart", ["tests/test_routes.py"], False),
        ("Fix cookies (#12)", ["src/cookies.py"], False),
        ("Revert keeping cookies of hosts apart", ["src/cookies.py"], False),
        ("Update the changelog for cookies", ["src/cookies.py"], False),
    ],
)
def test_commits_that_say_what_they_are_for_are_asked(
    subject: str, changed: list[str], asks: bool
) -> None:
    found = asked_by(subject, changed, KNOWN)
    assert (found is not None) == asks
    if found is not None:
        assert found == TaughtCommit("Keep cookies of two hosts apart", ("src/cookies.py",))


def test_what_changes_many_files_teaches_nothing_and_gone_files_are_left_out() -> None:
    many = ["src/cookies.py", *(f"src/{n}.py" for n in range(20))]
    assert taught_by("Keep hosts apart", many, KNOWN) is None
    found = taught_by("Keep hosts apart", ["src/hosts.py", "src/gone.py"], KNOWN)
    assert found == TaughtCommit("Keep hosts apart", ("src/hosts.py",))


def test_a_gain_counts_that_is_above_its_error() -> None:
    assert verdict_of([0.1] * 20 + [0.0] * 20).wins
    assert not verdict_of([0.3, -0.3] * 20 + [0.1]).wins
    assert not verdict_of([0.0] * LEAST_COMMITS).wins
    assert not verdict_of([]).wins
    assert files_ndcg(["a", "a", "b"], {"b"}) == pytest.approx(0.63, abs=0.01)
