"""Accepted moves over HTTP, durable, beside a bare DRF view that inserts one row on the same server in the same run.

    python -m tests.bench.http

Real gunicorn as in production, a real PostgreSQL that flushes every commit; the clients are threads of one process on
the same two cores, the same for both figures.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench._report import line, note
from tests.services import TEST_SECRETS, ThrowAwayServers

SECONDS = float(os.environ.get("BENCH_SECONDS", "8"))
PLAYERS = ("amal", "basim", "carla", "dina")


class Client:
    """One connection, kept open."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.key = key

    def send(self, method: str, path: str, body: dict[str, Any] | None = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON of one request."""
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        self.connection.request(method, path, None if body is None else json.dumps(body), sent)
        response = self.connection.getresponse()
        return response.status, json.loads(response.read())


class Table:
    """One match played over and over: the first to speak bids seven, the others pass, all follow suit from below."""

    def __init__(self, port: int, key: str, name: str) -> None:
        self.client = Client(port, key)
        self.name = name
        self.moves = 0
        self.seconds: list[float] = []
        self.holdings: list[list[str]] = []
        self.deal = (0, 0)

    def play_until(self, end: float) -> None:
        """Play matches until the clock says stop."""
        while time.perf_counter() < end:
            match = self._new_match()
            while match["status"] == "playing" and time.perf_counter() < end:
                match = self._move(match)

    def _new_match(self) -> dict[str, Any]:
        match: dict[str, Any]
        status, match = self.client.send("POST", "/api/v1/matches", {"players": PLAYERS, "target": 501})
        if status != 201:
            raise RuntimeError(match)
        self.deal = (0, 0)
        return match

    def _move(self, match: dict[str, Any]) -> dict[str, Any]:
        seat, hand = match["turn"]["seat"], match["hand"]
        path = f"/api/v1/matches/{match['id']}"
        if self.deal != (hand["number"], hand["deal"]):
            self.deal = (hand["number"], hand["deal"])
            self.holdings = [self.client.send("GET", path, X_Player=name)[1]["you"]["holding"] for name in PLAYERS]
        self.moves += 1
        action = self._action(seat, hand)
        began = time.perf_counter()
        status, answer = self.client.send(
            "POST",
            f"{path}/actions",
            action,
            X_Player=PLAYERS[seat],
            Idempotency_Key=f"{self.name}-{match['id']}-{match['version']}",
        )
        self.seconds.append(time.perf_counter() - began)
        if status != 201:
            raise RuntimeError(answer)
        after: dict[str, Any] = answer["match"]
        return after

    def _action(self, seat: int, hand: dict[str, Any]) -> dict[str, Any]:
        if hand["phase"] == "auction":
            return {"type": "pass"} if hand["calls"] else {"type": "bid", "tricks": 7}
        if hand["phase"] == "naming_trump":
            return {"type": "name_trump", "trump": "S"}
        holding, plays = self.holdings[seat], hand["trick"]["plays"]
        led = plays[0]["card"][1] if plays else None
        card = next((card for card in holding if card[1] == led), holding[0])
        holding.remove(card)
        return {"type": "play", "card": card}


class Inserts:
    """The yardstick's client."""

    def __init__(self, port: int) -> None:
        self.client = Client(port, "none")
        self.moves = 0
        self.seconds: list[float] = []

    def play_until(self, end: float) -> None:
        """Insert rows until the clock says stop."""
        while time.perf_counter() < end:
            began = time.perf_counter()
            status, answer = self.client.send("POST", "/bench/bare", {"text": "a row"})
            self.seconds.append(time.perf_counter() - began)
            if status != 201:
                raise RuntimeError(answer)
            self.moves += 1


def measured(clients: list[Table] | list[Inserts], seconds: float) -> tuple[float, list[float]]:
    """Requests a second of all clients together, and the sorted times of each request in seconds."""
    began = time.perf_counter()
    threads = [threading.Thread(target=client.play_until, args=[began + seconds]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = time.perf_counter() - began
    times = sorted(second for client in clients for second in client.seconds)
    return sum(client.moves for client in clients) / spent, times


def percentile(times: list[float], part: float) -> float:
    """The time within which this part of the requests was answered, in milliseconds."""
    return times[min(len(times) - 1, int(len(times) * part))] * 1000


class Service(NamedTuple):
    """A web server, a tenant's key, and the arbiter's process."""

    port: int
    key: str
    web: "subprocess.Popen[bytes]"


@contextmanager
def prepared() -> Iterator[str]:
    """A database and a broker, while the block runs; the key of a tenant."""
    servers = ThrowAwayServers(durable=True)
    os.environ.update(TEST_SECRETS)
    os.environ["LOCAL_DIR"] = "/nonexistent"
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.bench._settings"
    static = Path(servers.directory, "static")
    static.mkdir()
    os.environ["STATIC_ROOT"] = str(static)
    servers.start()
    try:
        yield _prepared()
    finally:
        servers.stop()


@contextmanager
def serving(key: str, **environment: str) -> Iterator[Service]:
    """A web server on what is prepared, while the block runs."""
    port = _free_port()
    command = [sys.executable, "-m", "gunicorn", "-c", "python:tarneeb_service.gunicorn_conf"]
    web = subprocess.Popen(
        [*command, "tarneeb_service.wsgi"], env=os.environ | {"WEB_BIND": f"127.0.0.1:{port}"} | environment
    )
    try:
        _wait_for(port)
        yield Service(port, key, web)
    finally:
        web.terminate()
        web.wait(30)


def main() -> int:
    """Start the servers, measure, print the budgets; 1 if one is missed."""
    with prepared() as key, serving(key) as service:
        return 0 if _measure_all(service.port, service.key) else 1


def _prepared() -> str:
    import django

    django.setup()
    from django.core.management import call_command

    from tarneeb_service.access.services import create_key, create_tenant
    from tests.bench._bare import make_table

    call_command("migrate", verbosity=0)
    make_table()
    _, key = create_key(tenant=create_tenant(name="bench"))
    return key


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    for _ in range(100):
        try:
            if Client(port, "none").send("GET", "/readyz")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise RuntimeError("the server did not come up")


def _measure_all(port: int, key: str) -> bool:
    def tables(count: int) -> list[Table]:
        return [Table(port, key, f"t{n}") for n in range(count)]

    measured(tables(16), 2)
    measured([Inserts(port) for _ in range(16)], 2)
    print(f"HTTP, two workers, {os.cpu_count()} cores, clients on the same machine, {SECONDS:.0f} s each")
    bare, bare_times = measured([Inserts(port) for _ in range(16)], SECONDS)
    moves, times = measured(tables(16), SECONDS)
    alone, alone_times = measured(tables(1), SECONDS)
    note("bare DRF view, one insert, 16 clients", bare, "req/s")
    note("  its p99", percentile(bare_times, 0.99), "ms")
    note("accepted moves, 16 matches at once", moves, "moves/s")
    note("  median", percentile(times, 0.5), "ms")
    note("one match alone, median", percentile(alone_times, 0.5), "ms")
    kept = [
        line("moves beside bare inserts, 16 at once", moves / bare, 0.5, "of bare"),
        line("p99 of a move, 16 matches at once", percentile(times, 0.99), 40, "ms", at_most=True),
        line("one match alone", alone, 250, "moves/s"),
    ]
    return all(kept)


if __name__ == "__main__":
    sys.exit(main())
