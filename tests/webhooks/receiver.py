"""Receivers of webhooks: a real HTTP server in threads, with every bad habit that one can have."""

import json
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

from standardwebhooks import Webhook


@dataclass(frozen=True)
class Received:
    """One request, as it came in."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def json(self) -> dict[str, Any]:
        """The body."""
        content: dict[str, Any] = json.loads(self.body)
        return content

    @property
    def id(self) -> str:
        """Its webhook-id."""
        return self.headers["webhook-id"]

    @property
    def type(self) -> str:
        """What it tells of."""
        return str(self.json["type"])

    @property
    def data(self) -> dict[str, Any]:
        """What it tells."""
        data: dict[str, Any] = self.json["data"]
        return data

    @property
    def match(self) -> str:
        """The match it tells of."""
        return str(self.data["match"])

    @property
    def version(self) -> int:
        """The version it tells of."""
        return int(self.data["version"])

    def verified(self, secret: str) -> dict[str, Any]:
        """The body, by an independent check of its signature; raises without a good one."""
        content: dict[str, Any] = Webhook(secret).verify(self.body, dict(self.headers))
        return content


Behaviour: TypeAlias = Callable[["_Handler"], None]


def says(status: int, body: bytes = b"", **headers: str) -> Behaviour:
    """A receiver that answers like this."""

    def behave(handler: "_Handler") -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return behave


def says_nothing_until(released: threading.Event) -> Behaviour:
    """A receiver that takes the request and then is silent until the event, and answers 200 then."""

    def behave(handler: "_Handler") -> None:
        released.wait(120)
        says(200)(handler)

    return behave


def never_ends(status: int = 200, piece: bytes = b"x" * 4096) -> Behaviour:
    """A receiver whose answer's body has no end."""

    def behave(handler: "_Handler") -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "text/plain")
        handler.end_headers()
        while not handler.server.closing.is_set():
            handler.wfile.write(piece)

    return behave


def trickles(released: threading.Event) -> Behaviour:
    """A receiver that sends one byte of a header, again and again, and never comes to the end of it."""

    def behave(handler: "_Handler") -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not released.wait(0.05):
            handler.wfile.write(b"x")

    return behave


def floods(handler: "_Handler") -> None:
    """A receiver that sends interim answers without end."""
    while not handler.server.closing.is_set():
        handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 50)


def hangs_up(handler: "_Handler") -> None:
    """A receiver that closes the connection without a word."""
    handler.connection.shutdown(socket.SHUT_RDWR)


def hangs_up_after(status: int, body: bytes, promised: int) -> Behaviour:
    """A receiver that breaks off in the middle of its answer."""

    def behave(handler: "_Handler") -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(promised))
        handler.end_headers()
        handler.wfile.write(body)
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)

    return behave


def speaks_something_else(handler: "_Handler") -> None:
    """A server that is none of HTTP's."""
    handler.wfile.write(b"220 mail.example ESMTP\r\n")
    handler.connection.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], receiver: "Receiver") -> None:
        self.receiver = receiver
        self.closing = threading.Event()
        super().__init__(address, _Handler)

    def get_request(self) -> tuple[socket.socket, object]:
        """Count the connections, whether anything comes over them or not."""
        accepted = super().get_request()
        self.receiver.connections += 1
        return accepted

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: who sends webhooks may hang up at any time."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        received = Received(self.path, {k.lower(): v for k, v in self.headers.items()}, self.rfile.read(length))
        self.close_connection = True
        self.server.receiver.take(received)(self)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Receiver:
    """One server. It answers 200 unless `next_answers` or `behaviour` say otherwise."""

    def __init__(self, host: str = "127.0.0.1", *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self.next_answers: deque[Behaviour] = deque()
        self.behaviour: Behaviour = says(200)
        self.choose: Callable[[Received], Behaviour | None] = lambda _: None
        self.connections = 0
        self._turn = threading.Condition()
        self._server = _Server((host, port), self)
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._host, self.port = host, int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"{self._scheme}://{self._host}:{self.port}/hook"

    def take(self, received: Received) -> Behaviour:
        """Note a request; how to answer it."""
        with self._turn:
            self.received.append(received)
            self._turn.notify_all()
            chosen = self.choose(received)
            if chosen is not None:
                return chosen
            return self.next_answers.popleft() if self.next_answers else self.behaviour

    def wait_for(self, count: int, seconds: float = 120) -> None:
        """Come back once so many requests have come in."""
        with self._turn:
            assert self._turn.wait_for(lambda: len(self.received) >= count, seconds), f"{len(self.received)} of {count}"

    def seen(self) -> list[tuple[str, int, str]]:
        """Match, version and type of every request, in the order in which they came."""
        return [(each.match, each.version, each.type) for each in list(self.received)]

    def close(self) -> None:
        """Stop listening, and let go of whoever is kept waiting."""
        self._server.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
