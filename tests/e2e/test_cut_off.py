"""A client that is cut off at every single version of a match knows afterwards where it stands, and acts once."""

import json
import socket
import struct
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from matches.engine.state import Over
from tarneeb_service.access.services import create_key, create_tenant
from tests.cast import CAST
from tests.e2e.serving import Client, WebServer
from tests.tables import check_chain, folded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

Cut = Callable[[int, bytes, UUID, int], bool | None]
"""Begin a request and lose the network. Says whether it was recorded, None where that is left to chance."""


def cut_before_the_request_is_out(port: int, request: bytes, match_id: UUID, version: int) -> bool:
    """Half of it is sent."""
    with connected(port) as lost:
        lost.sendall(request[: len(request) // 2])
    return False


def cut_once_it_is_sent(port: int, request: bytes, match_id: UUID, version: int) -> None:
    """Sent whole; nobody waits for what comes of it."""
    with connected(port) as lost:
        lost.sendall(request)


def cut_after_the_commit(port: int, request: bytes, match_id: UUID, version: int) -> bool:
    """Sent whole and recorded, but the answer reaches nobody."""
    with connected(port) as lost:
        lost.sendall(request)
        with connection.cursor() as cursor:
            while True:
                cursor.execute("SELECT version FROM matches_stream WHERE id = %s", [match_id])
                if cursor.fetchone()[0] > version:
                    return True


def connected(port: int) -> socket.socket:
    """A connection that is reset when it is closed, as on a phone that leaves the network."""
    lost = socket.create_connection(("127.0.0.1", port), 60)
    lost.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    lost.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return lost


@pytest.mark.parametrize("cut", [cut_before_the_request_is_out, cut_once_it_is_sent, cut_after_the_commit])
def test_a_client_cut_off_at_every_version_gets_the_first_answer_and_acts_once(web_server: WebServer, cut: Cut) -> None:
    _, token = create_key(tenant=create_tenant(name="north"))
    client = Client(web_server.port, token)
    body = {"players": list(CAST), "target": 31}
    match: dict[str, Any] = client.ask("POST", "/api/v1/matches", body).json
    path, match_id = f"/api/v1/matches/{match['id']}", UUID(match["id"])
    met = Counter[bool]()
    while match["turn"] is not None:
        player, version = CAST[match["turn"]["seat"]], match["version"]
        action = timid(client.ask("GET", path, player=player).json)
        key = f"move {version}"
        recorded = cut(web_server.port, written(path, token, player, key, action), match_id, version)

        looked = client.ask("GET", f"{path}/actions/{key.replace(' ', '%20')}", player=player)
        assert looked.status in {201, 404}
        if recorded is not None:
            assert (looked.status == 201) == recorded, version
        first = client.ask("POST", f"{path}/actions", action, player=player, key=key)
        assert first.status == 201, first.body
        if looked.status == 201:
            assert first.headers["Idempotency-Replayed"] == "true"
            assert first.body == looked.body
        again = client.ask("POST", f"{path}/actions", action, player=player, key=key)
        assert (again.status, again.body) == (201, first.body)
        assert again.headers["Idempotency-Replayed"] == "true"
        assert first.json["events"][0]["version"] == version + 1
        met[first.headers.get("Idempotency-Replayed") == "true"] += 1
        match = first.json["match"]
    client.close()

    assert met.total() > 100
    if cut is not cut_once_it_is_sent:
        assert met[cut is cut_before_the_request_is_out] == 0
    rows = check_chain(match_id)
    assert isinstance(folded(match_id), Over)
    assert sum(row.actor_kind == "player" for row in rows) == met.total()
    assert len({row.command_id for row in rows}) == met.total() + 1


def written(path: str, token: str, player: str, key: str, action: dict[str, Any]) -> bytes:
    """The request as bytes."""
    body = json.dumps(action).encode()
    lines = (
        f"POST {path}/actions HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {token}",
        f"X-Player: {player}",
        f"Idempotency-Key: {key}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join([*lines, "", ""]).encode() + body


def timid(seen: dict[str, Any]) -> dict[str, Any]:
    """The first legal action, but never a bid above another's: so the match comes to an end."""
    actions: list[dict[str, Any]] = seen["you"]["legal_actions"]
    passing = {"type": "pass"}
    return passing if passing in actions and seen["hand"]["highest_bid"] else actions[0]
