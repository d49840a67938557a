"""`manage.py up` from first to last: started, used, killed in every way, started again."""

import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import psycopg
import pytest

from tarneeb_service.local.discovery import socket_directory
from tarneeb_service.local.postgres import database_url
from tests.e2e.running import PATIENCE_SECONDS, RunningUp, gone, wait_for
from tests.services import ThrowAwayServers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def up() -> Iterator[RunningUp]:
    running = RunningUp()
    yield running
    running.clean_up()


def test_first_start_stop_and_second_start(up: RunningUp) -> None:
    up.start()
    access = up.credentials()

    assert set(access) == {"base_url", "tenant", "moderator"}
    assert set(access["tenant"]) == {"name", "key"}
    assert set(access["moderator"]) == {"username", "password", "token"}
    for file in ("credentials.json", "secrets.json"):
        assert stat.S_IMODE((up.local_dir / file).stat().st_mode) == 0o600, file
    assert up.request("GET", "/healthz").status_code == 200
    assert up.request("GET", "/readyz").status_code == 200
    assert up.request("GET", "/api/docs").status_code == 200
    as_moderator = {"Authorization": f"Bearer {access['moderator']['token']}"}
    assert up.http.get(f"{access['base_url']}/api/v1/matches", headers=as_moderator).status_code == 200
    match = up.new_match()
    version = up.play(match)

    assert up.stop() == 0, up.describe()
    assert up.processes() == []

    up.start()
    assert up.credentials()["tenant"] == access["tenant"]
    assert up.credentials()["moderator"] == access["moderator"]
    assert up.version(match) == version
    assert up.play(match) == version + 1
    assert up.stop(signal.SIGINT) == 0, up.describe()
    assert up.processes() == []


def test_a_second_up_on_the_same_directory_refuses_and_disturbs_nothing(up: RunningUp) -> None:
    up.start()
    before = {process.pid for process in up.processes()}

    second = up.run_beside("up")

    assert second.wait(PATIENCE_SECONDS) == 1
    assert up.process is not None
    assert f"runs already on {up.local_dir} (process {up.process.pid})" in up.output()
    assert {process.pid for process in up.processes()} == before
    assert up.is_ready()


def test_commands_beside_it_find_its_servers(up: RunningUp) -> None:
    up.start()

    assert up.run_beside("create_tenant", "beside").wait(PATIENCE_SECONDS) == 0, up.describe()
    # The same name again is refused: so the first was stored, in the database that is served.
    assert up.run_beside("create_tenant", "local").wait(PATIENCE_SECONDS) != 0


def test_a_port_that_is_taken_gives_way_and_the_credentials_follow(up: RunningUp) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        up.start(PORT=str(port))

        assert f"Port {port} is taken" in up.output()
        assert up.credentials()["base_url"] != f"http://127.0.0.1:{port}"
        assert up.is_ready()


def web(up: RunningUp) -> psutil.Process:
    return up.child("gunicorn")


def web_worker(up: RunningUp) -> psutil.Process:
    server = web(up)
    wait_for(lambda: len(server.children()) == 2, up.describe)
    return server.children()[0]


def worker(up: RunningUp) -> psutil.Process:
    return up.child("worker")


def beat(up: RunningUp) -> psutil.Process:
    return up.child("beat")


def postgres(up: RunningUp) -> psutil.Process:
    return up.child("postgres")


def broker(up: RunningUp) -> psutil.Process:
    return up.child("valkey")


def test_play_goes_on_after_kill_9_of_any_process(up: RunningUp) -> None:
    up.start()
    match = up.new_match()
    victims: list[Callable[[RunningUp], psutil.Process]] = [web, web_worker, worker, beat, postgres, broker]
    for victim in victims:
        acknowledged = up.play(match)
        process = victim(up)
        family = [process, *process.children(recursive=True)]
        process.kill()
        wait_for(lambda family=family: gone(family), up.describe)  # type: ignore[misc]  # mypy does not infer a default
        wait_for(up.is_ready, up.describe)

        assert up.version(match) == acknowledged, victim.__name__
        assert up.play(match) == acknowledged + 1, victim.__name__
        assert victim(up).pid != process.pid

    for name in ("web", "worker", "beat", "postgres", "valkey"):
        assert f"{name} was ended by SIGKILL, starting it again" in up.output()
    assert up.stop() == 0, up.describe()
    assert up.processes() == []


def test_an_up_that_is_killed_takes_everything_with_it_and_can_be_started_again(up: RunningUp) -> None:
    up.start()
    match = up.new_match()
    version = up.play(match)
    assert len(up.processes()) >= 6
    assert up.process is not None

    up.process.kill()
    up.process.wait()
    # At once: whatever is still on its way out is waited for.
    up.start()

    assert up.version(match) == version
    assert up.play(match) == version + 1
    up.process.kill()
    up.process.wait()
    wait_for(lambda: up.processes() == [], up.describe)


def test_a_request_that_waits_for_the_database_holds_up_no_other(up: RunningUp) -> None:
    up.start(WEB_WORKERS="1")
    match = up.new_match()
    database = database_url(socket_directory(up.local_dir))
    with ThreadPoolExecutor(8) as threads, psycopg.connect(database) as blocker:
        blocker.execute("LOCK TABLE matches_stream, matches_match IN ACCESS EXCLUSIVE MODE")
        waiting = [threads.submit(up.version, match) for _ in range(8)]
        wait_for(lambda: waiting_backends(database) == len(waiting), up.describe)

        assert up.request("GET", "/readyz").status_code == 200
        assert not any(request.done() for request in waiting)
        blocker.rollback()
        assert len({request.result() for request in waiting}) == 1


def waiting_backends(database: str) -> int:
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").fetchone()
    assert row is not None
    return int(row[0])


def test_many_requests_share_few_connections(up: RunningUp) -> None:
    up.start(WEB_WORKERS="1", WEB_DATABASE_POOL_SIZE="4")
    match = up.new_match()
    with ThreadPoolExecutor(40) as threads:
        versions = list(threads.map(lambda _: up.version(match), range(200)))

    assert len(set(versions)) == 1
    with psycopg.connect(database_url(socket_directory(up.local_dir))) as connection:
        clients = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ).fetchone()
    # Celery's processes hold none before their first task.
    assert clients is not None
    assert clients[0] <= 4


def test_servers_that_are_named_are_used_and_none_is_started(up: RunningUp, durable_servers: ThrowAwayServers) -> None:
    durable_servers.postgres.start(durable_servers.directory / "postgres.log")
    durable_servers.valkey.start(durable_servers.directory / "valkey.log")

    up.start(**durable_servers.environment)

    assert up.is_ready()
    assert not {"postgres", "valkey-server", "redis-server"} & {process.name() for process in up.processes()}
    assert not (up.local_dir / "postgres").exists()
    up.play(up.new_match())


def test_the_demo_match_is_played_to_its_end(up: RunningUp) -> None:
    up.start(DEMO="1")

    assert "win the match" in up.output()
    assert up.request("GET", "/api/v1/matches?status=completed").json()["matches"]


if os.geteuid() == 0:

    def test_an_ordinary_user_can_do_the_same() -> None:
        up = RunningUp(owner="nobody")
        try:
            up.start(DEMO="1")
            owners = {process.username() for process in up.processes()}
            assert owners == {"nobody"}
            assert up.credentials()["base_url"]
            assert up.stop() == 0, up.describe()
            assert up.processes() == []
        finally:
            up.clean_up()
