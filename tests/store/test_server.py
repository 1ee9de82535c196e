"""A Qdrant server that hangs or speaks otherwise: questions end soon, and the reason is said."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import numpy as np
import pytest
from qdrant_client.http.exceptions import ResponseHandlingException

from surveyor.engine.process.store_executor import OpenedStore, StoreExecutor
from surveyor.store.vectors.contract import (
    Space,
    StoreLateError,
    StoreUnreachableError,
    VectorStore,
)
from surveyor.store.vectors.server import _guard, connect

SPACE = Space("projects", "p", "m", 4)


@contextmanager
def says(answer: bytes) -> Iterator[str]:
    """The address of a server that takes connections and answers each so, or with nothing at all
    for as long as it is there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                taken.append(connection)
                if answer:
                    connection.recv(1 << 16)
                    connection.sendall(answer)
                    connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(5)
            for each in taken:
                each.close()


def test_a_search_does_not_wait_as_long_as_a_write() -> None:
    with says(b"") as url:
        store = connect(url, "me", timeout_s=600, query_timeout_s=0.5)
        with pytest.raises(StoreLateError, match="in time"):
            store.dense(SPACE, np.ones(4, np.float32), 5)
        store.close()


def test_what_speaks_no_http_is_said_to_be_perhaps_tls() -> None:
    with says(b"\x15\x03\x03\x00\x02\x02\x16") as url, pytest.raises(StoreUnreachableError) as said:
        connect(url, "me", timeout_s=5).check()
    assert "https://" in said.value.hint


def test_a_certificate_that_nobody_vouches_for_is_said() -> None:
    reason = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed (_ssl.c:1006)"

    def refused() -> None:
        raise ResponseHandlingException(httpx.ConnectError(reason)) from ssl.SSLError(reason)

    with pytest.raises(StoreUnreachableError, match=r"not trusted \(self-signed\)$") as said:
        _guard("search", refused)
    assert "SSL_CERT_FILE" in said.value.hint


class HangingStore:
    """Answers once it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.asked = 0

    def spaces(self) -> list[Space]:
        self.asked += 1
        assert self.let.wait(10)
        return []

    def check(self) -> None:
        if not self.let.is_set():
            raise StoreLateError("it hangs")

    def gone(self) -> None:
        raise StoreUnreachableError("the connection is refused")

    def close(self) -> None:
        self.let.set()


@pytest.fixture
def hanging() -> HangingStore:
    return HangingStore()


async def test_who_asks_waits_for_a_hanging_server_once_and_not_for_long(
    hanging: HangingStore, tmp_path: Path
) -> None:
    returned: list[bool] = []
    executor = StoreExecutor(
        OpenedStore(cast(VectorStore, hanging), threads=2, query_s=1.0),
        tmp_path,
        on_return=lambda: returned.append(True),
        on_damage=lambda _: None,
        on_full=lambda: None,
    )

    async def asks(what: Any) -> str:
        with pytest.raises(StoreUnreachableError) as said:
            await what
        return said.value.message

    written = asyncio.ensure_future(executor.run(hanging.spaces))
    assert "within 1 s" in await asks(executor.ask(hanging.spaces))
    assert executor.problem and not await executor.answers()
    assert hanging.asked == 2
    await asks(executor.ask(hanging.spaces))
    assert hanging.asked == 2, "it is not asked again while it is known to be away"
    await executor.check()
    assert executor.problem == "it hangs"
    hanging.let.set()
    assert await written == [], "what was begun comes to its end"
    assert executor.problem, "a question that was asked before says nothing of now"
    await executor.check()
    assert await executor.answers() and await executor.ask(hanging.spaces) == []
    assert not returned, "nothing was missed by who was only late"

    await asks(executor.run(hanging.gone))
    await executor.check()
    assert returned == [True]
    await executor.close()
