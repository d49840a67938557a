"""gunicorn as it is configured here, and what it makes of requests that it shows to nobody else."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.e2e.running import PATIENCE_SECONDS, ROOT

pytestmark = pytest.mark.slow

HOST = b"Host: localhost\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
POST = b"POST /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n"
REFUSED: dict[str, tuple[bytes, int, str]] = {
    "no request at all": (b"\x00\xff\x13\r\n\r\n", 400, "bad_request"),
    "a version that is none": (b"GET / HTTP/7.0\r\n\r\n", 400, "bad_request"),
    "a greeting of TLS": (bytes.fromhex("16030100a5010000a10303") + bytes(160) + b"\r\n\r\n", 400, "bad_request"),
    "a method in small letters": (b"get /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad_request"),
    "an address that is not ASCII": ("GET /طرنيب HTTP/1.1\r\n\r\n".encode(), 400, "bad_request"),
    "an address without end": (b"GET /" + b"a" * 8000 + b" HTTP/1.1\r\n", 414, "address_too_long"),
    "a header without a name": (GET + b": amal\r\n\r\n", 400, "bad_request"),
    "a control character": (GET + b"X-Player: a\x01b\r\n\r\n", 400, "bad_request"),
    "a header without end": (GET + b"X-Player: " + b"a" * 20_000 + b"\r\n\r\n", 431, "headers_too_large"),
    "headers without end": (GET + b"X-Player: amal\r\n" * 200 + b"\r\n", 431, "headers_too_large"),
    "two lengths": (POST + b"Content-Length: 3\r\n\r\n{}", 400, "bad_request"),
    "a length and chunks": (POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "bad_request"),
    "another coding": (GET + b"Transfer-Encoding: brew\r\n\r\n", 501, "unknown_transfer_coding"),
    "another expectation": (POST + b"Expect: tea\r\n\r\n{}", 417, "expectation_failed"),
}


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with closing(socket.create_server(("127.0.0.1", 0), backlog=64)) as listener:
        descriptor = listener.fileno()
        command = [sys.executable, "-m", "gunicorn", "-c", "python:tarneeb_service.gunicorn_conf"]
        server = subprocess.Popen(
            [*command, "--bind", f"fd://{descriptor}", "tarneeb_service.wsgi"],
            cwd=ROOT,
            env={**os.environ, "WEB_WORKERS": "1"},
            pass_fds=(descriptor,),
        )
        try:
            yield listener.getsockname()
        finally:
            server.terminate()
            server.wait(PATIENCE_SECONDS)


def answer_to(address: tuple[str, int], request: bytes) -> tuple[str, dict[str, str], bytes]:
    """First line, headers and body of everything that comes back until the server hangs up."""
    with socket.create_connection(address, PATIENCE_SECONDS) as connection:
        connection.sendall(request)
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert headers["Content-Length"] == str(len(body)), received
    return first, headers, body


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_server_cannot_read_is_answered_like_everything_else(address: tuple[str, int], case: str) -> None:
    request, status, code = REFUSED[case]

    first, headers, body = answer_to(address, request)

    assert first.startswith(f"HTTP/1.1 {status} ")
    assert headers["Content-Type"] == "application/problem+json"
    assert headers["Connection"] == "close"
    document = json.loads(body)
    assert (document["status"], document["code"], document["type"]) == (status, code, f"/problems/{code}")
    assert "amal" not in body.decode()


def test_no_header_moves_the_addresses(address: tuple[str, int]) -> None:
    """`SCRIPT_NAME`, from a client, would make every address one that gunicorn cannot serve."""
    moved = GET + b"SCRIPT_NAME: /elsewhere\r\nPATH_INFO: /elsewhere\r\nConnection: close\r\n\r\n"

    first, _, body = answer_to(address, moved)

    assert (first, json.loads(body)) == ("HTTP/1.1 200 OK", {"status": "alive"})
