"""`Prefer: wait` with `If-None-Match`: news as soon as there is some, 304 after the wait, no connection held."""

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import connection, connections
from pytest_django import Settings

from matches import hints
from matches.live import wakeups
from tests.api.callers import Answer, Caller, House
from tests.api.games import Game
from tests.cast import SALMA
from tests.e2e.serving import Client, WebServer

PATIENCE = 30


def asked(caller: Caller, game: Game, version: int, prefer: str = "wait=20") -> Answer:
    """One long poll."""
    try:
        return caller.get(game.path, headers={"If-None-Match": f'"{version}"', "Prefer": prefer})
    finally:
        connections.close_all()


def until_waiting(game: Game, many: int = 1) -> None:
    """Come back when so many wait for this match in this process."""
    deadline = time.monotonic() + PATIENCE
    while len(wakeups._board().waiters.get(game.uuid, ())) < many:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def beside() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def waiting(beside: ThreadPoolExecutor, caller: Caller, game: Game, version: int) -> Future[Answer]:
    polled = beside.submit(asked, caller, game, version)
    until_waiting(game)
    time.sleep(0.2)
    assert not polled.done()
    return polled


def test_an_old_version_is_answered_at_once(north: House) -> None:
    game = Game(north)
    answer = asked(north.player("amal"), game, game.version - 1)
    assert answer.ok()["version"] == game.version
    assert answer.headers["Preference-Applied"] == "wait=20"


def test_304_after_the_wait(north: House) -> None:
    game = Game(north)
    answer = asked(north.player("amal"), game, game.version, "wait=1")
    assert (answer.status, answer.etag, answer.body) == (304, f'"{game.version}"', b"")
    assert answer.headers["Preference-Applied"] == "wait=1"


def test_a_hint_alone_wakes(north: House, beside: ThreadPoolExecutor, settings: Settings) -> None:
    settings.LIVE_POLL_SECONDS = 15.0
    game = Game(north)
    polled = waiting(beside, north.player("amal"), game, game.version)
    before = time.monotonic()
    game.act(game.legal()[0])
    assert polled.result(PATIENCE).ok()["version"] == game.version
    # Not a figure to keep: only that it was not the slow poll, which would have come later.
    assert time.monotonic() - before < 10


@pytest.mark.slow
def test_the_slow_poll_finds_what_no_hint_told(
    north: House, beside: ThreadPoolExecutor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LIVE_POLL_SECONDS = 0.3
    lost: list[int] = []
    monkeypatch.setattr(hints, "announce", lambda _match, version: lost.append(version))
    game = Game(north)
    polled = waiting(beside, north.player("amal"), game, game.version)
    game.act(game.legal()[0])
    assert polled.result(PATIENCE).ok()["version"] == game.version
    assert lost[-1] == game.version


@pytest.mark.slow
def test_a_refused_action_wakes_nobody(north: House, beside: ThreadPoolExecutor) -> None:
    game = Game(north)
    polled = beside.submit(asked, north.player("amal"), game, game.version, "wait=2")
    until_waiting(game)
    game.next_up.act(game.id, {"type": "bid", "tricks": 99})
    assert polled.result(PATIENCE).status == 304


@pytest.mark.slow
def test_a_spectator_of_a_delayed_room_is_answered_when_the_event_may_be_seen(
    north: House, beside: ThreadPoolExecutor
) -> None:
    game = Game(north, spectator_delay_seconds=2)
    seen = north.player(SALMA).see(game.id)["version"]
    versions = [seen]
    while versions[-1] < game.version:
        answer = beside.submit(asked, north.player(SALMA), game, versions[-1]).result(PATIENCE)
        versions.append(answer.ok()["version"])
    first = versions[-1]
    polled = waiting(beside, north.player(SALMA), game, first)
    game.act(game.legal()[0])
    assert polled.result(PATIENCE).ok()["version"] == game.version


@pytest.mark.parametrize("prefer", ["wait=x", "wait", "wait=-1", "respond-async", "wait=1.5"])
def test_a_preference_that_cannot_be_read_counts_as_not_sent(north: House, prefer: str) -> None:
    game = Game(north)
    answer = asked(north.player("amal"), game, game.version, prefer)
    assert answer.status == 304
    assert "Preference-Applied" not in answer.headers


def test_another_tenants_match_is_not_waited_for(north: House, south: House) -> None:
    asked(south.backend, Game(north), 7).problem(404, "not_found")


def test_a_broker_that_is_away_keeps_no_move_waiting(north: House, settings: Settings) -> None:
    settings.CACHE_URL = "redis://127.0.0.1:1/0"
    before = hints._senders.pop(os.getpid(), None)
    try:
        game = Game(north)
        for _ in range(4):
            game.act(game.legal()[0])
        assert north.backend.see(game.id)["version"] == game.version
    finally:
        if before is not None:
            hints._senders[os.getpid()] = before


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[WebServer]:
    """One worker with two database connections."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    server = WebServer(tmp_path / "web.log", DATABASE_URL=url, WEB_WORKERS="1", WEB_DATABASE_POOL_SIZE="2")
    server.start()
    yield server
    server.stop()


def polls(server: WebServer, house: House, game: Game, many: int) -> list[Client]:
    clients = [Client(server.port, house.key) for _ in range(many)]
    for client in clients:
        lines = [
            f"GET /api/v1/{game.path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {house.key}",
            f'If-None-Match: "{game.version}"', "Prefer: wait=50", "", "",
        ]  # fmt: skip
        client.ask("GET", "/healthz")
        assert client._socket is not None
        client._socket.sendall("\r\n".join(lines).encode())
    return clients


@pytest.mark.slow
def test_forty_wait_where_two_connections_serve(server: WebServer, north: House) -> None:
    game = Game(north)
    clients = polls(server, north, game, 40)
    other = Client(server.port, north.key)
    for _ in range(20):
        assert other.ask("GET", f"/api/v1/{game.path}").status == 200
    game.act(game.legal()[0])
    assert {client._answer().json["version"] for client in clients} == {game.version}


@pytest.mark.slow
def test_who_waits_is_answered_when_the_server_ends(server: WebServer, north: House) -> None:
    game = Game(north)
    clients = polls(server, north, game, 3)
    other = Client(server.port, north.key)
    for _ in range(5):
        other.ask("GET", f"/api/v1/{game.path}")
    ending = threading.Thread(target=server.stop)
    ending.start()
    assert {client._answer().status for client in clients} == {304}
    ending.join()
