"""kill -9 in the middle of play: a worker of the web server, all of it, or PostgreSQL.

Afterwards every acknowledged action is there, once; what was in doubt was carried out once or not at all, and its retry
settles it; and the matches go on to their end.
"""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from urllib.parse import quote

import httpx
import psycopg
import pytest

from tests.e2e.serving import ROOT, Client, WebServer
from tests.faults.patience import PatientTable, Progress
from tests.services import ThrowAwayServers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

TABLES = 4
ROUNDS = 3
BETWEEN = 40
"""So many actions are acknowledged before each kill."""


@dataclass
class Service:
    """A web server and a PostgreSQL that keeps what it is given, and a tenant's key."""

    servers: ThrowAwayServers
    web: WebServer
    key: str
    log: Path

    def kill_a_worker(self) -> None:
        """One of gunicorn's workers; its arbiter starts another."""
        self.web.workers()[0].kill()

    def kill_the_web_server(self) -> None:
        """gunicorn with all its workers, started again afterwards."""
        self.web.kill_whole()
        self.web.start()

    def kill_postgres(self) -> None:
        """PostgreSQL, which comes back by way of its write-ahead log."""
        os.kill(self.servers.postgres.pid, signal.SIGKILL)
        self.servers.postgres.start(self.log)

    def kill_a_backend(self) -> None:
        """One server process, whereupon PostgreSQL drops all connections and recovers."""
        with psycopg.connect(self.servers.postgres.url, autocommit=True) as connection:
            [(pid,)] = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                " AND datname = current_database() LIMIT 1"
            ).fetchall()
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def service(durable_servers: ThrowAwayServers, tmp_path: Path) -> Iterator[Service]:
    """Everything, started."""
    log = tmp_path / "postgres.log"
    durable_servers.postgres.start(log)
    durable_servers.valkey.start(tmp_path / "valkey.log")
    environment = {**durable_servers.environment, "WEB_WORKERS": "2"}
    assert fsync_is_on(durable_servers)

    def manage(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    manage("migrate", "--verbosity", "0")
    manage("create_tenant", "north")
    web = WebServer(tmp_path / "web.log", **environment)
    web.start()
    yield Service(durable_servers, web, manage("create_key", "north"), log)
    web.stop()


def fsync_is_on(servers: ThrowAwayServers) -> bool:
    """Whether this PostgreSQL waits for the disk before it says that something is committed."""
    with psycopg.connect(servers.postgres.url) as connection:
        shown = [connection.execute(f"SHOW {name}").fetchone() for name in ("fsync", "synchronous_commit")]
    return shown == [("on",), ("on",)]


KILLS: dict[str, Callable[[Service], None]] = {
    "a worker": Service.kill_a_worker,
    "the web server": Service.kill_the_web_server,
    "postgres": Service.kill_postgres,
    "a backend of postgres": Service.kill_a_backend,
}


@pytest.mark.parametrize("killed", KILLS)
def test_killed_in_the_middle_of_play(service: Service, killed: str) -> None:
    tables = [PatientTable(Client(service.web.port, service.key), f"table {n}", Random(n)) for n in range(TABLES)]
    for table in tables:
        table.open()
    progress = Progress(tables)
    with ThreadPoolExecutor(TABLES) as pool:
        playing = [pool.submit(progress.run, table) for table in tables]
        try:
            for _ in range(ROUNDS):
                progress.wait_for(BETWEEN)
                KILLS[killed](service)
        finally:
            for played in playing:
                played.result()

    assert sum(table.lost for table in tables) > 0, "nothing was in flight when it was killed"
    for table in tables:
        check_that_all_is_there(table)
        table.client.close()
    check_the_log(service, tables)


def test_without_a_broker_moves_go_on_and_whoever_waits_is_answered(service: Service, tmp_path: Path) -> None:
    table = PatientTable(Client(service.web.port, service.key), "table", Random(1))
    table.open()

    def wait_for_more_than(version: int) -> httpx.Response:
        return httpx.get(
            f"http://127.0.0.1:{service.web.port}{table.path}",
            headers={
                "Authorization": f"Bearer {service.key}",
                "If-None-Match": f'"{version}"',
                "Prefer": "wait=60",
            },
            timeout=120,
        )

    def moves_seen_by_a_waiter(moves: int) -> None:
        for _ in range(moves):
            version = table.client.ask("GET", table.path).json["version"]
            waiting = pool.submit(wait_for_more_than, version)
            table.step()
            answer = waiting.result()
            assert answer.status_code == 200
            assert answer.json()["version"] > version

    with ThreadPoolExecutor(1) as pool:
        moves_seen_by_a_waiter(3)
        version = table.client.ask("GET", table.path).json["version"]
        waiting = pool.submit(wait_for_more_than, version)
        os.kill(service.servers.valkey.pid, signal.SIGKILL)
        service.servers.valkey.stop()
        table.step()
        assert waiting.result().status_code == 200
        moves_seen_by_a_waiter(5)
        service.servers.valkey.start(tmp_path / "valkey.log")
        moves_seen_by_a_waiter(5)
    table.play_to_the_end()
    assert table.lost == 0
    check_that_all_is_there(table)
    table.client.close()
    check_the_log(service, [table])


def check_that_all_is_there(table: PatientTable) -> None:
    """Every acknowledged action can be looked up and sent again, and the events are those actions and no others."""
    view = table.client.ask("GET", table.path).json
    assert view["status"] == "completed"
    events: list[dict[str, object]] = []
    while page := table.client.ask("GET", f"{table.path}/events?after={len(events)}&limit=1000").json["events"]:
        events += page
    assert [event["version"] for event in events] == list(range(1, view["version"] + 1))
    assert len({done.version for done in table.acknowledged}) == len(table.acknowledged)
    assert Counter(event["by"] for event in events)["player"] == len(table.acknowledged)
    by_version = {event["version"]: event for event in events}
    for done in table.acknowledged:
        told = table.client.ask("GET", f"{table.path}/actions/{quote(done.key)}", player=done.player)
        assert (told.status, told.body) == (201, done.answer.body)
        first = done.answer.json["events"][0]
        assert by_version[first["version"]]["data"] == first["data"]
    for done in table.acknowledged[:: max(1, len(table.acknowledged) // 20)]:
        again = table.client.ask("POST", f"{table.path}/actions", done.action, player=done.player, key=done.key)
        assert (again.status, again.body) == (201, done.answer.body)
        assert again.headers["Idempotency-Replayed"] == "true"


def check_the_log(service: Service, tables: list[PatientTable]) -> None:
    """Past the API: versions without gap, each event tied to the one before, heads and read rows where the log ends."""
    with psycopg.connect(service.servers.postgres.url) as connection:
        broken = connection.execute(
            "SELECT stream_id, version FROM (SELECT *, lag(hash) OVER w AS before, row_number() OVER w AS place"
            " FROM matches_storedevent WINDOW w AS (PARTITION BY stream_id ORDER BY version)) AS e"
            " WHERE version <> place OR (place > 1 AND prev_hash <> before)"
        ).fetchall()
        assert broken == []
        apart = connection.execute(
            "SELECT s.id FROM matches_stream s JOIN matches_match m ON m.id = s.id"
            " JOIN (SELECT stream_id, max(version) AS last FROM matches_storedevent GROUP BY stream_id) e"
            " ON e.stream_id = s.id WHERE s.version <> e.last OR m.version <> e.last OR m.status <> 'completed'"
        ).fetchall()
        assert apart == []
        [(matches,)] = connection.execute("SELECT count(*) FROM matches_match").fetchall()
        assert matches == len(tables)
