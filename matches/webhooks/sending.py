"""One attempt to deliver: a POST, and what came of it."""

import contextlib
import time
from collections.abc import Mapping

import httpx
from django.conf import settings

from matches.webhooks.addresses import checked_url
from matches.webhooks.attempts import KEPT_OF_ANSWER, Attempt
from matches.webhooks.refusals import NotAcceptableAddress
from matches.webhooks.transport import Deadline, TlsFailed, Transport

MOST_READ_OF_ANSWER = 64 * 1024
MOST_HOPS = 3
SAME_AGAIN = frozenset({307, 308})
"""The redirects that repeat a POST as it is. After the others nobody can say what should be sent."""
FIXED_HEADERS = {
    "content-type": "application/json",
    "user-agent": "tarneeb-webhooks/1",
    "accept": "*/*",
    # What is kept of an answer is for people to read.
    "accept-encoding": "identity",
    "connection": "close",
}


def send(url: str, headers: Mapping[str, str], body: bytes) -> Attempt:
    """Send it, following redirects that repeat the POST: every hop's address is checked as the first's.

    Raises nothing that a receiver could bring about. The answer's status decides, whatever becomes of its body: who
    says 200 and then breaks off has got the message.
    """
    began = time.monotonic()
    attempt = _sent(url, {**FIXED_HEADERS, **headers}, body, Deadline(settings.WEBHOOK_TOTAL_SECONDS))
    took_ms = round((time.monotonic() - began) * 1000)
    return Attempt(attempt.error, attempt.status, attempt.answer, attempt.wish_seconds, took_ms)


def _sent(url: str, headers: Mapping[str, str], body: bytes, deadline: Deadline) -> Attempt:
    try:
        target = checked_url(url)
        with Transport(deadline) as transport:
            for _ in range(1 + MOST_HOPS):
                request = httpx.Request("POST", target, headers=dict(headers), content=body)
                with contextlib.closing(transport.handle_request(request)) as response:
                    if response.status_code not in SAME_AGAIN or "location" not in response.headers:
                        return _answered(response)
                    target = _next_hop(target, response)
        return Attempt("too_many_redirects", response.status_code)
    except NotAcceptableAddress as refused:
        return Attempt(refused.code)
    except httpx.TransportError as error:
        return Attempt(next(code for kind, code in _CODES if isinstance(error, kind)))


_CODES: tuple[tuple[type[httpx.TransportError], str], ...] = (
    (TlsFailed, "tls_failed"),
    (httpx.TimeoutException, "timeout"),
    (httpx.ConnectError, "connection_failed"),
    (httpx.TransportError, "broken_off"),
)


def _next_hop(current: httpx.URL, response: httpx.Response) -> httpx.URL:
    try:
        target = checked_url(str(current.join(response.headers["location"])))
    except httpx.InvalidURL:
        raise NotAcceptableAddress("invalid", "The redirect leads to no URL.") from None
    if current.scheme == "https" and target.scheme != "https":
        raise NotAcceptableAddress("scheme_not_allowed", "The redirect leads from https to http.")
    return target


def _answered(response: httpx.Response) -> Attempt:
    answer = _beginning(response)
    if response.is_success:
        return Attempt(None, response.status_code, answer)
    return Attempt("refused", response.status_code, answer, _wish(response))


def _beginning(response: httpx.Response) -> str:
    kept, size = b"", 0
    with contextlib.suppress(httpx.TransportError):
        for piece in response.iter_raw():
            kept += piece[: KEPT_OF_ANSWER - len(kept)]
            size += len(piece)
            if size >= MOST_READ_OF_ANSWER:
                break
    # PostgreSQL has no NUL in text.
    return kept.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _wish(response: httpx.Response) -> float | None:
    """Retry-After in seconds; the form with a date is not read."""
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
