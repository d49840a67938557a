"""Who calls the API in tests, and what they get: requests through the whole stack of middleware, views and database."""

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db import connection
from django.test import Client

from tarneeb_service.access import services as access
from tarneeb_service.access.models import Moderator, Tenant, User
from tests.api import contract
from tests.cast import CAST

BASE = "/api/v1"
PROBLEM_TYPE = "application/problem+json"

_of_thread = threading.local()


def _client() -> Client:
    if not hasattr(_of_thread, "client"):
        _of_thread.client = Client()
    client: Client = _of_thread.client
    return client


@dataclass(frozen=True)
class Answer:
    """What came back, as bytes and as what they mean."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def json(self) -> Any:
        """The body, which must be JSON in UTF-8."""
        return json.loads(self.body.decode())

    @property
    def media_type(self) -> str | None:
        """The media type, if there is a body."""
        return self.headers.get("Content-Type") if self.body else None

    @property
    def etag(self) -> str:
        """The ETag, which must be there."""
        return self.headers["ETag"]

    @property
    def replayed(self) -> bool:
        """Whether this is an earlier answer sent again."""
        return self.headers.get("Idempotency-Replayed") == "true"

    def ok(self, status: int = 200) -> Any:
        """The JSON of a success of this status, in the service's own media type."""
        assert self.status == status, f"{self.status}: {self.body.decode(errors='replace')[:2000]}"
        assert self.headers["Content-Type"] == "application/json"
        return self.json

    def problem(self, status: int, code: str) -> dict[str, Any]:
        """The problem document of this status and code, with all that every such document has."""
        assert (self.status, self.headers.get("Content-Type")) == (status, PROBLEM_TYPE), self.body[:2000]
        document: dict[str, Any] = self.json
        assert document["code"] == code, document
        assert document["status"] == status
        assert document["type"] == f"/problems/{code}"
        assert all(isinstance(document[member], str) and document[member] for member in ("title", "detail"))
        return document

    def fields(self) -> dict[str, str]:
        """The code for each unacceptable field, of a 400 that names them."""
        errors = self.problem(400, "invalid")["errors"]
        assert all(set(error) == {"field", "code", "detail"} for error in errors)
        return {error["field"]: error["code"] for error in errors}


@dataclass(frozen=True)
class Caller:
    """Somebody with a credential, or nobody with none. `player` is sent as X-Player."""

    token: str | None
    player: str | None = None

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        content_type: str = "application/json",
        key: str | None = None,
        if_match: str | int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request. `path` is below /api/v1 unless it begins there; `key` is an Idempotency-Key.

        Whatever comes back must be what the OpenAPI document says.
        """
        sent: dict[str, str] = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if self.player is not None:
            sent.setdefault("X-Player", self.player)
        if key is not None:
            sent["Idempotency-Key"] = key
        if if_match is not None:
            sent["If-Match"] = f'"{if_match}"' if isinstance(if_match, int) else if_match
        if raw is None:
            raw = b"" if body is None else json.dumps(body).encode()
        # WSGI carries headers as bytes in the dress of Latin-1.
        dressed = {name: value.encode().decode("latin-1") for name, value in sent.items()}
        address = path if path.startswith("/") else f"{BASE}/{path}"
        response = _client().generic(
            method,
            address,
            raw,
            content_type=content_type if raw else "",
            headers=dressed,
        )
        answer = Answer(response.status_code, dict(response.headers), response.content)
        contract.check(method, address, answer.status, answer.media_type, answer.json if answer.body else None)
        return answer

    def get(self, path: str, **given: Any) -> Answer:
        """GET."""
        return self.ask("GET", path, **given)

    def post(self, path: str, body: object = None, **given: Any) -> Answer:
        """POST."""
        return self.ask("POST", path, body, **given)

    def put(self, path: str, body: object = None, **given: Any) -> Answer:
        """PUT."""
        return self.ask("PUT", path, body, **given)

    def delete(self, path: str, **given: Any) -> Answer:
        """DELETE."""
        return self.ask("DELETE", path, **given)

    def act(self, match: str, action: dict[str, Any], **given: Any) -> Answer:
        """Submit an action."""
        return self.post(f"matches/{match}/actions", action, **given)

    def see(self, match: str) -> dict[str, Any]:
        """The match as it looks to this caller."""
        seen: dict[str, Any] = self.get(f"matches/{match}").ok()
        return seen


NOBODY = Caller(None)


@dataclass
class House:
    """A tenant as seen over HTTP: its own key, and its players and moderators."""

    tenant: Tenant
    key: str
    _moderators: dict[str, Caller] = field(default_factory=dict)

    @property
    def backend(self) -> Caller:
        """The tenant itself."""
        return Caller(self.key)

    def player(self, name: str) -> Caller:
        """A player, by the tenant's key."""
        return Caller(self.key, name)

    @property
    def four(self) -> list[Caller]:
        """amal, basim, carla and dina, who sit in seats 0 to 3."""
        return [self.player(name) for name in CAST]

    def moderator(self, name: str = "huda") -> Caller:
        """A moderator of the tenant."""
        if name not in self._moderators:
            # Without a password: hashing one takes longer than most tests.
            user = User.objects.create(username=f"{name} of {self.tenant.name}")
            moderator = Moderator.objects.create(user=user, tenant=self.tenant)
            _, token = access.issue_moderator_token(moderator=moderator)
            self._moderators[name] = Caller(token)
        return self._moderators[name]

    def with_scopes(self, *scopes: str, player: str | None = None) -> Caller:
        """A caller with another key of the tenant, which has only these scopes."""
        _, text = access.create_key(tenant=self.tenant, scopes=scopes)
        return Caller(text, player)

    def open_match(self, players: Iterable[str | None] = CAST, **body: Any) -> dict[str, Any]:
        """A new match, by the tenant; its view."""
        opened: dict[str, Any] = self.backend.post("matches", {"players": list(players), **body}).ok(201)
        return opened


def house(name: str) -> House:
    """A new tenant with a key for everything."""
    tenant = access.create_tenant(name=name)
    _, text = access.create_key(tenant=tenant)
    return House(tenant, text)


def stored() -> dict[str, int]:
    """How many rows each table has that a command writes to: equal before and after what must store nothing."""
    counts = {}
    with connection.cursor() as cursor:
        for table in (
            "matches_storedevent",
            "matches_stream",
            "matches_match",
            "matches_matchseat",
            "webhooks_webhook",
        ):
            cursor.execute(f"SELECT count(*) FROM {table}")
            (counts[table],) = cursor.fetchone()
    return counts


def ids(page: Mapping[str, Any]) -> list[UUID]:
    """The ids of a page of matches, in its order."""
    return [UUID(match["id"]) for match in page["matches"]]
