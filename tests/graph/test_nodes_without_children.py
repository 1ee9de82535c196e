"""Forms in which a node that has a child elsewhere has none: a file is read all the same."""

from __future__ import annotations

import pytest

from surveyor.graph.extract.file_graph import parse_with_graph


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "match x:\n    case _:\n        x.run()\n"),
        ("a.py", "match x:\n    case _ as y:\n        y.run()\n"),
        ("a.py", "match x:\n    case {'a': _ as v}:\n        v.run()\n"),
        ("a.rb", "def go(x)\n  if x.is_a?()\n    x.run\n  end\nend\n"),
        ("a.rb", "def go(x)\n  return unless x.open?() && x.kind_of?()\n  x.run\nend\n"),
        ("a.php", "<?php $f = method_exists(...);\n"),
    ],
)
def test_it_costs_no_file_its_graph(path: str, text: str) -> None:
    assert parse_with_graph(path, text.encode()).graph
