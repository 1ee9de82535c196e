"""What stands in a part of a file that a grammar gives up is told of."""

from __future__ import annotations

from pathlib import Path

from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import find
from surveyor.graph.queries.unfollowed import is_partly_unparsed, may_extend_unparsed
from tests.graph.service_support import Servers, references, uses
from tests.graph.support import CHECKOUT, Checkout

BOX = {
    "box.swift": "func opened(_ a: Int) {}\nfunc shut() {}\nclass Base {}\nclass Top {}\n",
    "use.swift": 'func f() {\n  let a = ]] opened(1) [[ "shut" // shut\n  let b = shut()\n}\n',
    "box.php": "<?php\nclass Box { function open() {} }\nclass Lid { function shut() {} }\n",
    "old.php": "<?php\nclass_alias(Box::class, 'Old_Box');\n$box = new Old_Box();\n$box->open();\n",
    "below.swift": "]]\nclass Below: [[ Base {\n  func f() {}\n}\n",
}


async def test_a_name_in_what_could_not_be_parsed_or_that_a_type_is_given_later(
    tmp_path: Path,
) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(BOX)
    service = made.service(Servers(runs=False))
    answer = await service.ask(references("opened"), uses, uses=True)
    assert "its name stands in what could not be parsed, in use.swift" in (answer.notice or "")
    assert not answer.complete
    answer = await service.ask(references("shut"), uses, uses=True)
    assert answer.complete, "of strings, comments and what is known nothing is said"
    for name in ("Box", "Box.open", "Lid.shut"):
        answer = await service.ask(references(name), uses, uses=True)
        assert ("class_alias in old.php" in (answer.notice or "")) == name.startswith("Box")
    stored = StoredGraph(made.state, CHECKOUT)
    base, top = [(await find(stored, name)).nodes[0] for name in ("Base", "Top")]
    said = await may_extend_unparsed(stored, base)
    assert said == ["its name stands in what could not be parsed, in below.swift"]
    assert await may_extend_unparsed(stored, top) == []
    assert await is_partly_unparsed(stored, "below.swift")
    assert not await is_partly_unparsed(stored, "box.swift")
    await made.close()
