"""A Qdrant server that does not answer: what is known is answered, work waits, nothing is lost."""

import socket
from pathlib import Path
from typing import Any

from tests.product import Product, until, write_tree


def nobody_listens() -> str:
    """An address where nothing answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def test_names_are_found_and_edits_wait_until_the_store_is_there(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("engine", "stop")
    surveyor.extra["QDRANT_URL"] = nobody_listens()
    (shop / "quokka.py").write_text("def quokka_smile():\n    return 1\n")

    def project() -> dict[str, Any]:
        found: dict[str, Any] = surveyor.json("status", str(shop))["projects"][0]
        return found

    until(lambda: project()["reason"] == "store_unreachable" and project()["files_behind"] == 1)
    assert project()["status"] == "uncertain"
    answer = surveyor.search("total_price", shop)
    assert answer["results"][0]["path"] == "shop/cart.py"
    assert answer["status"] == "uncertain" and "does not answer" in answer["message"]
    assert surveyor.json("symbols", "Cart", "--project", str(shop))["results"][0]["name"] == "Cart"
    findings = {
        each["check"]: each["ok"] for each in surveyor.json("doctor", "--no-measure")["findings"]
    }
    assert findings["engine"] and not findings["store"]
    assert surveyor.json("queue", "stats")["failed"] == 0

    surveyor.run("engine", "stop")
    del surveyor.extra["QDRANT_URL"]
    # The first call to a new engine waits for what changed while none ran, too.
    assert surveyor.paths("quokka_smile", shop, "--wait", "50")[0] == "quokka.py"
