"""Diagnostics reach an editor for what it knows to be open, and for files that nobody has open."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import msgspec

from surveyor.lsp.host import DIAGNOSTICS, EditorHost
from surveyor.lsp.settings import read
from surveyor.servers import messages
from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.upstream import Upstream

PYTHON = cast(Upstream, SimpleNamespace(language="python"))
A, B = "file:///a.py", "file:///b.py"


def test_what_only_the_engine_has_open_is_shown_once_the_editor_opens_it() -> None:
    told: list[tuple[str, list[Any], Any]] = []

    def tell(method: str, params: Any) -> None:
        value = messages.decode(messages.to_raw(params))
        told.append((value["uri"], value["diagnostics"], value.get("version")))

    def found(uri: str, *names: str, version: int | None = None) -> None:
        params = {"uri": uri, "diagnostics": list(names), "version": version}
        host.notified(PYTHON, DIAGNOSTICS, msgspec.Raw(messages.encode(params)))

    documents = OpenDocuments()
    settings = read([{"mode": "full"}])
    host = EditorHost(
        cast(Any, SimpleNamespace(tell=tell)), documents, lambda: settings, lambda upstream: None
    )
    documents.open(A, "python", 1, "", "headless")
    documents.open(B, "python", 1, "", "headless")
    found(A, "bad", version=1)
    found(B, "worse", version=1)
    documents.close(B, "headless")
    found(B)
    assert told == []
    documents.open(A, "python", 7, "", EDITOR)
    host.opened(A)
    host.opened(A)
    found(A, version=8)
    found(B, "of the workspace")
    assert told == [(A, ["bad"], None), (A, [], 8), (B, ["of the workspace"], None)]
