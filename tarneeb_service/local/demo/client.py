"""The wire: the public API over HTTP, as one tenant's key with or without a player's name beside it.

Every request that changes something carries an `Idempotency-Key` and is sent again under the same key when the
connection breaks or the server is busy, so that a lost answer never becomes a second action.
"""

from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import msgspec

from tarneeb_service.local.demo.clock import Clock
from tarneeb_service.local.demo.failures import ActionRefused, DemoFailed
from tarneeb_service.local.demo.views import Action, ActionAnswer, EventPage, MatchView, Sheet

Answer = TypeVar("Answer")

FIRST_CONTACT = 5.0
"""Seconds to wait for a server that has not answered yet."""

PATIENCE = 60.0
"""Seconds to wait for one that has: long enough for a restart in the middle of a hand."""

FIRST_DELAY, LONGEST_DELAY = 0.1, 2.0
TIMEOUT = 10.0
LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Client:
    """One caller. Without `player` it speaks as the tenant itself, with it as that player.

    All methods raise `DemoFailed` when the server cannot be reached within the patience, refuses the key or the
    request, or answers with something that is not the documented shape.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        player: str | None = None,
        *,
        clock: Clock,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url = base_url
        self._clock = clock
        headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
        if player is not None:
            headers["X-Player"] = player
        try:
            self._http = httpx.Client(
                base_url=f"{base_url}/api/v1",
                headers=headers,
                timeout=TIMEOUT,
                transport=transport,
                # A proxy meant for the world outside cannot reach this machine's own loopback.
                trust_env=urlsplit(base_url).hostname not in LOOPBACK,
            )
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise DemoFailed("bad_address", base_url=base_url, reason=str(error)) from error

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def create_match(self, settings: Mapping[str, Any]) -> MatchView:
        """Open a match; the answer is the match as this caller sees it."""
        response = self._send("POST", "/matches", body=settings, key=str(uuid4()), patience=FIRST_CONTACT)
        return self._read(response, MatchView)

    def view(self, match: str) -> MatchView:
        """The match as this caller may see it."""
        return self._read(self._send("GET", f"/matches/{match}"), MatchView)

    def newer_view(self, match: str, version: int, *, wait: int) -> MatchView | None:
        """The match once it is past `version`, or None if it still stands there.

        A server that knows `Prefer: wait` answers when something happens or after `wait` seconds; another at once.
        """
        headers = {"If-None-Match": f'"{version}"', "Prefer": f"wait={wait}"}
        response = self._send("GET", f"/matches/{match}", headers=headers, timeout=TIMEOUT + wait)
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return None
        view = self._read(response, MatchView)
        return view if view.version != version else None

    def act(self, match: str, action: Action, *, seen: int) -> ActionAnswer:
        """Send one action, decided at version `seen`. Raises `ActionRefused` when the match has moved on since then."""
        path, headers = f"/matches/{match}/actions", {"If-Match": f'"{seen}"'}
        response = self._send("POST", path, body=action.body(), key=str(uuid4()), headers=headers)
        if response.status_code in {httpx.codes.CONFLICT, httpx.codes.PRECONDITION_FAILED}:
            raise ActionRefused("refused", **_problem(response))
        return self._read(response, ActionAnswer)

    def events(self, match: str, after: int, limit: int = 200) -> EventPage:
        """Events of the match with a version above `after`, at most `limit` of them."""
        params = {"after": str(after), "limit": str(limit)}
        return self._read(self._send("GET", f"/matches/{match}/events", params=params), EventPage)

    def sheet(self, match: str) -> Sheet:
        """The paper sheet."""
        return self._read(self._send("GET", f"/matches/{match}/sheet"), Sheet)

    def _send(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
    ) -> httpx.Response:
        sent = dict(headers or {})
        if key is not None:
            sent["Idempotency-Key"] = key
        deadline = self._clock.now() + patience
        delay = FIRST_DELAY
        while True:
            wait = delay
            try:
                response = self._http.request(method, path, json=body, params=params, headers=sent, timeout=timeout)
            except httpx.UnsupportedProtocol as error:
                raise DemoFailed("bad_address", base_url=self.base_url, reason=str(error)) from error
            except httpx.TransportError as error:
                failure = DemoFailed("unreachable", base_url=self.base_url, reason=_reason(error))
            else:
                if response.status_code != httpx.codes.TOO_MANY_REQUESTS and response.status_code < 500:
                    return response
                failure = DemoFailed("busy", base_url=self.base_url, **_problem(response))
                wait = max(delay, _retry_after(response))
            if self._clock.now() + wait > deadline:
                raise failure
            self._clock.sleep(wait)
            delay = min(delay * 2, LONGEST_DELAY)

    def _read(self, response: httpx.Response, shape: type[Answer]) -> Answer:
        if response.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
            raise DemoFailed("key_refused", **_problem(response))
        if not response.is_success:
            raise DemoFailed("refused", **_problem(response))
        try:
            return msgspec.json.decode(response.content, type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DemoFailed("strange_answer", request=str(response.request.url), reason=str(error)) from error


def _problem(response: httpx.Response) -> dict[str, object]:
    """What a problem document says, or the little that is known when the answer is none."""
    try:
        document = response.json()
    except ValueError:
        document = None
    known = document if isinstance(document, dict) else {}
    detail = known.get("detail") or known.get("title") or response.reason_phrase
    places = known.get("errors")
    if isinstance(places, list):
        detail = "; ".join(
            [str(detail), *(f"{p.get('field')}: {p.get('detail')}" for p in places if isinstance(p, dict))]
        )
    return {"status": response.status_code, "code": known.get("code", "?"), "detail": detail}


def _retry_after(response: httpx.Response) -> float:
    """Seconds that the server asks to wait; 0 when it asks for none (or names a date, which the usual delay serves)."""
    asked = response.headers.get("Retry-After", "").strip()
    return float(asked) if asked.isascii() and asked.isdigit() else 0.0


def _reason(error: httpx.TransportError) -> str:
    return str(error) or type(error).__name__
