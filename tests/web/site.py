"""A site on this machine that answers as a test wants, and tells what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Headers = dict[str, str]


@dataclass(frozen=True)
class Reply:
    """What a page answers. `drip` is sent again and again until the caller is gone."""

    body: bytes | str = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: bytes = b""


Page = Reply | Callable[[Mapping[str, str]], Reply]
"""A reply, or what makes one of the headers that were sent."""


class Site:
    """Pages by their paths with queries; what is not there is a 404."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.pages: dict[str, Page] = {}
        self.make: Callable[[str], Reply | None] = lambda _: None
        """For paths that are not among the pages."""
        self.asked: list[tuple[str, Headers]] = []
        self.closing = threading.Event()

    def url(self, path: str, host: str = "site.test") -> str:
        return f"http://{host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, but robots.txt."""
        return [path for path, _ in self.asked if path != "/robots.txt"]

    def reset(self) -> None:
        self.pages.clear()
        self.asked.clear()
        self.make = lambda _: None


def html(text: str, head: str = "", **links: str) -> Reply:
    """A page with a navigation, a paragraph and links."""
    anchors = " ".join(f'<a href="{href}">{name}</a>' for name, href in links.items())
    return Reply(
        f"<!doctype html><html><head><title>{text.split()[0]}</title>{head}</head><body>"
        f"<nav>Home Products Pricing Imprint {anchors}</nav><main><h1>About {text.split()[0]}</h1>"
        f"<p>{text}</p></main><footer>Copyright by somebody</footer></body></html>",
        headers={"Content-Type": "text/html; charset=utf-8"},
    )


@contextmanager
def served() -> Iterator[Site]:
    """A site on a free port of the loopback interface."""
    site = Site(0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            site.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            page = site.pages.get(self.path) or site.make(self.path) or Reply("none", 404)
            reply = page if isinstance(page, Reply) else page(dict(self.headers.items()))
            body = reply.body.encode() if isinstance(reply.body, str) else reply.body
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if not reply.drip:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
                while reply.drip and not site.closing.wait(0.02):
                    self.wfile.write(reply.drip)
            except OSError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            return None

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            return None

    server = Server(("127.0.0.1", 0), Handler)
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.closing.set()
        server.shutdown()
        server.server_close()
