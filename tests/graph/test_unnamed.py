"""Which members may run without being named."""

from __future__ import annotations

import pytest

from surveyor.graph.languages.unnamed import runs_unnamed


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("python", "__enter__ __getitem__"),
        ("php", "__toString offsetGet getIterator"),
        ("lua", "__index"),
        ("csharp", "DisposeAsync GetEnumerator + =="),
        ("java", "close iterator toString"),
        ("kotlin", "close plus component1 getValue"),
        ("scala", "unapply apply +"),
        ("swift", "subscript deinit =="),
        ("cpp", "~Box operator+ begin"),
        ("dart", "[] []= call"),
        ("ruby", "each <=> [] to_s"),
        ("tsx", "[Symbol.iterator] toJSON"),
        ("go", "String MarshalJSON"),
        ("julia", "setindex!"),
        ("rust", "drop index fmt"),
    ],
)
def test_members_that_a_language_runs_by_itself(language: str, names: str) -> None:
    for name in names.split():
        assert runs_unnamed(language, name, None), name
    for name in ("open", "_open", "open_", "resize"):
        assert not runs_unnamed(language, name, None), name


def test_a_method_of_rust_counts_where_the_type_has_the_trait() -> None:
    assert runs_unnamed("rust", "fmt", {"Display", "Clone"})
    assert not runs_unnamed("rust", "add", {"Drop"})
