"""What the web server refuses before any of our code sees the request: problem documents instead of its HTML pages."""

import socket
from http.client import responses

from gunicorn import util

from tarneeb_service.http.errors import (
    AddressTooLong,
    ExpectationFailed,
    Forbidden,
    HeadersTooLarge,
    Refused,
    UnknownTransferCoding,
    UnreadableRequest,
)
from tarneeb_service.http.problems import PROBLEM_TYPE, Problem, internal_error, problem_for
from tarneeb_service.http.rendering import encode_json

_REFUSED: dict[int, Refused] = {
    400: UnreadableRequest("The request is none that HTTP knows."),
    403: Forbidden("This caller may not connect here."),
    414: AddressTooLong(),
    417: ExpectationFailed(),
    431: HeadersTooLarge(),
    501: UnknownTransferCoding(),
}


def install() -> None:
    """Have gunicorn answer so. It has no hook for that; its workers call this one function by its name."""
    util.write_error = write_error


def write_error(sock: socket.socket, status: int, reason: str, message: str) -> None:  # noqa: ARG001  gunicorn's signature
    """Write the whole answer to what was refused with this status. `message` quotes the request, so it is not sent."""
    util.write_nonblock(sock, answer(status))


def answer(status: int) -> bytes:
    """The bytes of the answer, after which the connection is closed."""
    refused = _REFUSED.get(status)
    problem: Problem = (None if refused is None else problem_for(refused)) or internal_error()
    body = encode_json(problem.document())
    headers = {
        "Connection": "close",
        "Content-Type": PROBLEM_TYPE,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    lines = [f"HTTP/1.1 {problem.status} {responses[problem.status]}", *(f"{n}: {v}" for n, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body
