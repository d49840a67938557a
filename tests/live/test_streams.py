"""Event streams over a real gunicorn: the view first, then every event once, from wherever the listener left off."""

import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil
import pytest

from tests.api.callers import Caller, House
from tests.api.games import Game
from tests.cast import CAST, SALMA
from tests.e2e.conftest import on_this_database
from tests.e2e.serving import WebServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


class Sent(NamedTuple):
    """One server-sent event."""

    id: int
    event: str
    data: dict[str, Any]


class Listener:
    """Somebody who listens to a match, over a connection of their own."""

    def __init__(self, server: WebServer, caller: Caller, match: str, last: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {caller.token}", "Accept": "text/event-stream"}
        if caller.player is not None:
            headers["X-Player"] = caller.player
        if last is not None:
            headers["Last-Event-ID"] = last
        self.request = httpx.Request(
            "GET", f"http://127.0.0.1:{server.port}/api/v1/matches/{match}/stream", headers=headers
        )
        self.comments = 0

    @contextmanager
    def answer(self) -> Iterator[httpx.Response]:
        """What comes back, while the block runs."""
        with httpx.Client(timeout=60) as client:
            response = client.send(self.request, stream=True)
            try:
                yield response
            finally:
                response.close()

    @contextmanager
    def events(self) -> Iterator[Iterator[Sent]]:
        """The events as they come, while the block runs."""
        with self.answer() as response:
            assert response.status_code == 200
            assert response.headers["Content-Type"] == "text/event-stream"
            assert response.headers["Cache-Control"] == "no-cache"
            assert response.headers["X-Accel-Buffering"] == "no"
            yield self._parsed(response)

    def _parsed(self, response: httpx.Response) -> Iterator[Sent]:
        fields: dict[str, str] = {}
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if line.startswith(":"):
                self.comments += 1
            elif line:
                fields[name] = value
            elif "data" in fields:
                yield Sent(int(fields["id"]), fields["event"], json.loads(fields["data"]))
                fields = {}

    def all(self) -> list[Sent]:
        """Everything to the end of the stream."""
        with self.events() as events:
            return list(events)

    def refusal(self) -> dict[str, Any]:
        """The problem document."""
        with self.answer() as response:
            response.read()
            assert response.headers["Content-Type"] == "application/problem+json"
            problem: dict[str, Any] = response.json()
            assert problem["status"] == response.status_code
            return problem


def test_the_view_first_then_every_event_with_the_turn_and_what_may_be_done(
    north: House, web_server: WebServer
) -> None:
    game = Game(north, turn_seconds=300)
    amal = north.player("amal")
    with Listener(web_server, amal, game.id).events() as events:
        first = next(events)
        seen = amal.see(game.id)
        assert (first.id, first.event) == (game.version, "match")
        assert {**first.data, "server_now": None, "turn": None} == {**seen, "server_now": None, "turn": None}
        for text in ("pass", "8", "pass", "pass", "pass"):
            before = game.version
            game.call(text)
            sent = [next(events) for _ in range(game.version - before)]
            seen = amal.see(game.id)
            assert [event.id for event in sent] == list(range(before + 1, game.version + 1))
            assert sent[-1].data["you"] == seen["you"]
            assert {**sent[-1].data["turn"], "seconds_left": 0} == {**seen["turn"], "seconds_left": 0}
            told = amal.get(f"{game.path}/events?after={before}").ok()["events"]
            added = ("turn", "you", "server_now")
            assert [{k: v for k, v in event.data.items() if k not in added} for event in sent] == told
            if game.turn is not None and seen["hand"]["phase"] != "auction":
                break


def test_resumed_at_every_version_there_is_neither_gap_nor_repeat(north: House, web_server: WebServer) -> None:
    game = Game(north, target=31).play_out()
    dina = north.player("dina")
    whole = Listener(web_server, dina, game.id, "1").all()
    assert [event.id for event in whole] == list(range(2, game.version + 1))
    assert whole[-1].event == "match_won"
    told = dina.get(f"{game.path}/events?limit=1000").ok()["events"]
    assert [(event.id, event.event, event.data["data"]) for event in whole] == [
        (event["version"], event["type"], event["data"]) for event in told[1:]
    ]
    for version in (2, 3, 17, game.version // 2, game.version - 1):
        assert Listener(web_server, dina, game.id, str(version)).all() == whole[version - 1 :]
    with Listener(web_server, dina, game.id, str(game.version)).answer() as response:
        assert response.status_code == 204
    [only] = Listener(web_server, dina, game.id).all()
    assert (only.event, only.id, only.data["status"]) == ("match", game.version, "completed")


def test_several_devices_and_all_seats_hear_every_event_once(north: House, web_server: WebServer) -> None:
    game = Game(north, target=31)
    started = game.version
    heard: dict[int, list[Sent]] = {}
    listeners = [north.player(name) for name in (*CAST, "amal", SALMA)]
    listening = threading.Barrier(len(listeners) + 1)

    def listen(number: int, caller: Caller) -> None:
        with Listener(web_server, caller, game.id).events() as events:
            first = next(events)
            listening.wait(60)
            heard[number] = [first, *events]

    threads = [threading.Thread(target=listen, args=(n, caller)) for n, caller in enumerate(listeners)]
    for thread in threads:
        thread.start()
    listening.wait(60)
    game.play_out()
    for thread in threads:
        thread.join(120)
    for number, caller in enumerate(listeners):
        assert [event.id for event in heard[number]] == list(range(started, game.version + 1))
        told = caller.get(f"{game.path}/events?after={started}&limit=1000").ok()["events"]
        assert [event.data["data"] for event in heard[number][1:]] == [event["data"] for event in told]
    public = [json.dumps(event.data["you"]) for event in heard[5][1:]]
    assert set(public) == {"null"}


@pytest.mark.parametrize("garbage", ["0", "-1", "07", "1.5", "x", "99999999999999999999", "5,6"])
def test_an_id_that_is_none_is_refused(north: House, web_server: WebServer, garbage: str) -> None:
    problem = Listener(web_server, north.player("amal"), Game(north).id, garbage).refusal()
    assert (problem["status"], problem["code"]) == (400, "invalid")
    assert [(error["field"], error["code"]) for error in problem["errors"]] == [("Last-Event-ID", "invalid")]


def test_an_id_of_the_future_is_refused(north: House, web_server: WebServer) -> None:
    game = Game(north)
    problem = Listener(web_server, north.player("amal"), game.id, str(game.version + 1)).refusal()
    assert [(error["field"], error["code"]) for error in problem["errors"]] == [("Last-Event-ID", "out_of_range")]


def test_who_may_not_look_gets_no_stream(north: House, south: House, web_server: WebServer) -> None:
    game = Game(north, visibility="private")
    for stranger in (south.player("amal"), south.backend, north.player(SALMA)):
        assert Listener(web_server, stranger, game.id).refusal()["code"] == "not_found"
        assert Listener(web_server, stranger, game.id, "3").refusal()["code"] == "not_found"
    assert Listener(web_server, Caller("tk_nothing"), game.id).refusal()["code"] == "not_authenticated"


def test_a_stream_ends_for_a_spectator_who_may_look_no_more(north: House, web_server: WebServer) -> None:
    game = Game(north, visibility="private")
    with Listener(web_server, north.player("dina"), game.id).events() as events:
        assert next(events).event == "match"
        north.backend.put(f"{game.path}/seats/3/substitute", {"player": "omar"}).ok()
        game.house = north
        assert list(events) == []


def test_a_delayed_spectator_hears_of_an_event_later_than_the_seats(north: House, web_server: WebServer) -> None:
    game = Game(north, spectator_delay_seconds=2)
    with (
        Listener(web_server, north.player("amal"), game.id).events() as seated,
        Listener(web_server, north.player(SALMA), game.id).events() as watched,
    ):
        assert next(seated).id == game.version
        behind = next(watched)
        while behind.id < game.version:
            behind = next(watched)
        game.call("pass")
        assert next(seated).id == game.version
        assert north.player(SALMA).see(game.id)["version"] == game.version - 1
        assert next(watched).id == game.version
        assert north.player(SALMA).see(game.id)["version"] == game.version


def test_a_reader_who_takes_nothing_is_cut_off_and_resumes(north: House, tmp_path: Path) -> None:
    game = Game(north, target=200).play_out(hands=12)
    server = WebServer(tmp_path / "web.log", **on_this_database(), LIVE_SLOWEST_READER_SECONDS="0.5")
    server.start()
    try:
        with socket.socket() as stuck:
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stuck.connect(("127.0.0.1", server.port))
            stuck.settimeout(60)
            stuck.sendall(
                f"GET /api/v1/{game.path}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {north.key}\r\n"
                "X-Player: amal\r\nLast-Event-ID: 1\r\n\r\n".encode()
            )
            until_closed_by(server)
            got = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := stuck.recv(65536):
                    got += piece
        ids = [int(found) for found in re.findall(rb"\nid: (\d+)\nevent: [a-z_]+\ndata: [^\n]+\n\n", got)]
        assert ids == list(range(2, 2 + len(ids)))
        assert len(ids) < game.version // 2
        with Listener(server, north.player("amal"), game.id, str(ids[-1])).events() as events:
            assert [next(events).id for _ in range(game.version - ids[-1])] == list(
                range(ids[-1] + 1, game.version + 1)
            )
    finally:
        server.stop()


def until_closed_by(server: WebServer) -> None:
    """Come back when no worker has a connection with a client any more."""
    deadline = time.monotonic() + 60
    while any(
        connected.status == psutil.CONN_ESTABLISHED and connected.laddr.port == server.port
        for worker in server.workers()
        for connected in worker.net_connections("tcp")
        if connected.laddr
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_reader_who_takes_nothing_holds_up_nobody_and_stopping_ends_streams(
    north: House, web_server: WebServer
) -> None:
    game = Game(north, target=31)
    with socket.create_connection(("127.0.0.1", web_server.port)) as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        stuck.sendall(
            f"GET /api/v1/{game.path}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {north.key}\r\n"
            "X-Player: amal\r\nLast-Event-ID: 1\r\n\r\n".encode()
        )
        with Listener(web_server, north.player("basim"), game.id).events() as events:
            assert next(events).event == "match"
            start = game.version
            game.call("pass", "7")
            assert [next(events).id, next(events).id] == [start + 1, start + 2]
            web_server.stop()
            assert list(events) == []
