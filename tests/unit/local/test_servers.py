"""The embedded servers: real ones, in directories that are hard to live in."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from tarneeb_service.local.discovery import LONGEST_SOCKET_DIRECTORY, socket_directory
from tarneeb_service.local.postgres import PostgresServer
from tarneeb_service.local.processes import LocalError
from tarneeb_service.local.valkey import ValkeyServer

pytestmark = pytest.mark.slow


@pytest.fixture
def short_directory() -> Iterator[Path]:
    """A directory of this user alone, with a name that is short enough for sockets: pytest's own need not be."""
    with tempfile.TemporaryDirectory(prefix="tarneeb-test-", dir="/tmp") as directory:
        yield Path(directory)


@pytest.fixture
def postgres(short_directory: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(short_directory / "postgres", short_directory / "run")
    yield server
    server.stop()


@pytest.fixture
def valkey(short_directory: Path) -> Iterator[ValkeyServer]:
    server = ValkeyServer(short_directory / "valkey", short_directory / "run")
    yield server
    server.stop()


def note(server: PostgresServer, text: str) -> None:
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS note (text text)")
        connection.execute("INSERT INTO note VALUES (%s)", [text])


def notes(server: PostgresServer) -> list[str]:
    with psycopg.connect(server.url) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM note ORDER BY text")]


def test_postgres_runs_below_a_directory_that_is_closed_to_its_user(
    postgres: PostgresServer, short_directory: Path
) -> None:
    short_directory.chmod(0o700)

    postgres.start(short_directory / "log")

    assert os.geteuid() != 0 or psutil.Process(postgres.pid).uids().real != 0
    note(postgres, "kept")
    assert notes(postgres) == ["kept"]


def test_postgres_takes_a_path_with_spaces_capitals_and_quotes(short_directory: Path) -> None:
    odd = short_directory / "My 'Game' \"here\" 100%"
    odd.mkdir()
    server = PostgresServer(odd / "postgres", odd / "run")
    try:
        server.start(odd / "log")
        note(server, "kept")
        assert notes(server) == ["kept"]
    finally:
        server.stop()


def test_postgres_listens_to_no_network_and_serves_durably(postgres: PostgresServer, short_directory: Path) -> None:
    postgres.start(short_directory / "log")

    assert psutil.Process(postgres.pid).net_connections("inet") == []
    with psycopg.connect(postgres.url) as connection:
        shown = {
            name: connection.execute(f"SHOW {name}").fetchone()
            for name in ("fsync", "synchronous_commit", "full_page_writes", "TimeZone")
        }
    assert shown == {
        "fsync": ("on",),
        "synchronous_commit": ("on",),
        "full_page_writes": ("on",),
        "TimeZone": ("UTC",),
    }


def test_postgres_comes_back_after_kill_9_with_what_it_acknowledged(
    postgres: PostgresServer, short_directory: Path
) -> None:
    postgres.start(short_directory / "log")
    note(postgres, "acknowledged")
    # Its processes outlive it by a moment, with a client at work still longer: the next start waits for them.
    with closing(psycopg.connect(postgres.url)) as connection:
        connection.execute("SELECT 1")
        os.kill(postgres.pid, signal.SIGKILL)
        postgres.start(short_directory / "log")

    assert notes(postgres) == ["acknowledged"]


def test_postgres_that_an_earlier_start_left_running_is_ended_first(
    postgres: PostgresServer, short_directory: Path
) -> None:
    postgres.start(short_directory / "log")
    note(postgres, "kept")
    left = postgres.pid
    second = PostgresServer(postgres.directory, postgres.sockets)
    try:
        second.start(short_directory / "log")
        assert second.pid != left
        assert notes(second) == ["kept"]
    finally:
        second.stop()


def test_postgres_starts_although_its_record_names_a_process_of_somebody_else(
    postgres: PostgresServer, short_directory: Path
) -> None:
    postgres.start(short_directory / "log")
    note(postgres, "kept")
    os.kill(postgres.pid, signal.SIGKILL)
    postgres.stop()
    record = postgres.directory / "postmaster.pid"
    _, *rest = record.read_text().splitlines()
    # As after a restart of the machine, when the number has come to belong to another process of the same user.
    record.write_text("\n".join([str(os.getpid()), *rest]))

    postgres.start(short_directory / "log")

    assert notes(postgres) == ["kept"]
    assert psutil.pid_exists(os.getpid())


def test_an_initialisation_that_was_cut_off_is_begun_anew(postgres: PostgresServer, short_directory: Path) -> None:
    unfinished = short_directory / "postgres.new"
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18\n")

    postgres.start(short_directory / "log")

    assert not unfinished.exists()


def test_data_of_another_version_are_left_alone(postgres: PostgresServer) -> None:
    postgres.prepare()
    (postgres.directory / "PG_VERSION").write_text("9\n")

    with pytest.raises(LocalError, match="made by PostgreSQL 9"):
        postgres.prepare()


def test_a_server_that_cannot_start_is_an_error_with_its_own_words(short_directory: Path) -> None:
    server = PostgresServer(
        short_directory / "postgres", short_directory / "run", settings={"shared_buffers": "nought"}
    )

    with pytest.raises(LocalError, match=r'(?s)did not start.*invalid value for parameter "shared_buffers"'):
        server.start(short_directory / "log")


def test_sockets_of_a_deep_directory_can_be_connected_to(short_directory: Path) -> None:
    deep = short_directory.joinpath(*["deep-down"] * 12)
    deep.mkdir(parents=True)
    sockets = socket_directory(deep)
    assert len(os.fsencode(deep)) > LONGEST_SOCKET_DIRECTORY
    sockets.parent.mkdir(mode=0o711)
    server = PostgresServer(deep / "postgres", sockets)
    try:
        server.start(deep / "log")
        note(server, "kept")
        assert notes(server) == ["kept"]
    finally:
        server.stop()
        sockets.rmdir()
        sockets.parent.rmdir()


def test_valkey_keeps_what_it_was_given(valkey: ValkeyServer, short_directory: Path) -> None:
    valkey.start(short_directory / "log")
    with redis.Redis.from_url(valkey.cache_url) as client:
        client.set("card", "AS")
    valkey.stop()
    valkey.start(short_directory / "log")

    with redis.Redis.from_url(valkey.cache_url) as client:
        assert client.get("card") == b"AS"


def test_valkey_listens_to_no_network(valkey: ValkeyServer, short_directory: Path) -> None:
    valkey.start(short_directory / "log")

    assert psutil.Process(valkey.pid).net_connections("inet") == []


def test_valkey_that_an_earlier_start_left_running_is_ended_first(valkey: ValkeyServer, short_directory: Path) -> None:
    valkey.start(short_directory / "log")
    left = psutil.Process(valkey.pid)
    second = ValkeyServer(valkey.directory, valkey.sockets)
    try:
        second.start(short_directory / "log")
        assert not left.is_running() or left.status() == psutil.STATUS_ZOMBIE
    finally:
        second.stop()
