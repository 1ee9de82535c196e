"""Diagnostics reach an editor for what it knows to be open, and for files that nobody has open."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import msgspec

from surveyor.lsp.host import DIAGNOSTICS, MOST_IN_ERROR, EditorHost
from surveyor.lsp.settings import read
from surveyor.servers import messages
from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.upstream import Upstream

PYTHON = cast(Upstream, SimpleNamespace(language="python", name="ty"))
A, B = "file:///a.py", "file:///b.py"


def test_what_only_the_engine_has_open_is_shown_once_the_editor_opens_it() -> None:
    told: list[tuple[str, list[Any], Any]] = []

    def tell(method: str, params: Any) -> None:
        value = messages.decode(messages.to_raw(params))
        names = [each["message"] for each in value["diagnostics"]]
        told.append((value["uri"], names, value.get("version")))

    def found(uri: str, *names: str, version: int | None = None) -> None:
        listed = [{"message": name} for name in names]
        params = {"uri": uri, "diagnostics": listed, "version": version}
        host.notified(PYTHON, DIAGNOSTICS, msgspec.Raw(messages.encode(params)))

    documents = OpenDocuments()
    settings = read([{"mode": "full"}])
    host = EditorHost(
        cast(Any, SimpleNamespace(tell=tell)),
        documents,
        lambda: settings,
        lambda upstream: None,
        lambda *said: None,
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


def test_files_in_which_the_editor_shows_errors_are_known_unless_they_are_many() -> None:
    settings = read([{"mode": "full"}])
    silent = cast(Any, SimpleNamespace(tell=lambda method, params: None))
    host = EditorHost(
        silent, OpenDocuments(), lambda: settings, lambda upstream: None, lambda *said: None
    )
    other = cast(Upstream, SimpleNamespace(language="python", name="ruff"))

    def found(upstream: Upstream, uri: str, *severities: int) -> None:
        listed = [{"message": "", "severity": each} for each in severities]
        params = {"uri": uri, "diagnostics": listed}
        host.notified(upstream, DIAGNOSTICS, msgspec.Raw(messages.encode(params)))

    found(PYTHON, A, 2, 1)
    found(other, A, 1)
    found(PYTHON, B, 2, 3)
    assert host.in_error == [A]
    found(PYTHON, A)
    assert host.in_error == [A]
    found(other, A, 4)
    assert host.in_error == []
    for number in range(MOST_IN_ERROR + 1):
        found(PYTHON, f"file:///{number}.py", 1)
    assert host.in_error == []
