"""A real gunicorn, as it serves in production, on a free port of this machine; and a plain client for it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import psutil

from tarneeb_service.local.processes import Program, end, launch

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 120


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's meaning."""
        return json.loads(self.body)


class Unanswered(Exception):
    """The server was not there, or went away before it had answered. What became of the request is not known."""


class WebServer:
    """gunicorn with its own configuration, on a socket that stays open over restarts."""

    def __init__(self, output: Path, **environment: str) -> None:
        self.output = output
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        options = ["-c", "python:tarneeb_service.gunicorn_conf", "--bind", f"fd://{self.listener.fileno()}"]
        self.program = Program(
            "web",
            [sys.executable, "-m", "gunicorn", *options, "tarneeb_service.wsgi"],
            environment=environment,
            directory=ROOT,
            descriptors=(self.listener.fileno(),),
        )
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Run it; comes back once it answers."""
        with self.output.open("ab") as output:
            self.process = launch(self.program, output=output)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._answers():
            assert self.process.poll() is None, self.described()
            assert time.monotonic() < deadline, self.described()
            time.sleep(0.05)

    def _answers(self) -> bool:
        client = Client(self.port, timeout=2)
        try:
            return client.ask("GET", "/healthz").status == 200
        except Unanswered:
            return False
        finally:
            client.close()

    def workers(self) -> list[psutil.Process]:
        """The worker processes."""
        assert self.process is not None
        return psutil.Process(self.process.pid).children()

    def kill_whole(self) -> None:
        """kill -9 of the arbiter and all workers."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Stop it in good order."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                end(self.process, self.program)
            self.process = None
        self.listener.close()

    def described(self) -> str:
        """What it said."""
        return self.output.read_text(errors="replace")[-5000:]


class Client:
    """One connection that is kept open.

    Written out, since thousands of requests come from one process: the standard library's client takes longer to read
    the headers of an answer than the server to make it.
    """

    def __init__(self, port: int, key: str = "", *, timeout: float = PATIENCE_SECONDS) -> None:
        self.port = port
        self.key = key
        self.timeout = timeout
        self._socket: socket.socket | None = None
        self._incoming: BinaryIO | None = None

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._incoming is not None:
            self._incoming.close()
        if self._socket is not None:
            self._socket.close()
        self._socket = self._incoming = None

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        player: str | None = None,
        key: str | None = None,
        if_match: int | None = None,
    ) -> Answer:
        """One request. Raises `Unanswered` if the connection fails before the whole answer is there."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Authorization: Bearer {self.key}"]
        if player is not None:
            lines.append(f"X-Player: {player}")
        if key is not None:
            lines.append(f"Idempotency-Key: {key}")
        if if_match is not None:
            lines.append(f'If-Match: "{if_match}"')
        sent = b""
        if body is not None:
            sent = json.dumps(body).encode()
            lines += ["Content-Type: application/json", f"Content-Length: {len(sent)}"]
        try:
            if self._socket is None:
                self._socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._incoming = self._socket.makefile("rb")
            self._socket.sendall("\r\n".join([*lines, "", ""]).encode() + sent)
            return self._answer()
        except (OSError, EOFError) as lost:
            self.close()
            raise Unanswered(f"{method} {path} {body}: {lost!r}") from lost

    def _answer(self) -> Answer:
        status = int(self._line().split(b" ", 2)[1])
        headers = {}
        while line := self._line():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name] = value.strip()
        if headers.get("Transfer-Encoding") != "chunked":
            return Answer(status, headers, self._bytes(int(headers.get("Content-Length", 0))))
        pieces = []
        while size := int(self._line(), 16):
            pieces.append(self._bytes(size))
            self._line()
        self._line()
        return Answer(status, headers, b"".join(pieces))

    def _line(self) -> bytes:
        assert self._incoming is not None
        line = self._incoming.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("the answer broke off")
        return line[:-2]

    def _bytes(self, size: int) -> bytes:
        assert self._incoming is not None
        piece = self._incoming.read(size)
        if len(piece) < size:
            raise EOFError("the answer broke off")
        return piece
