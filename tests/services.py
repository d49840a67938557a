"""A PostgreSQL and a Valkey for the run of the tests, started before Django's settings are read.

The controlling process starts them; workers of pytest-xdist inherit the environment and make a database each. With
DATABASE_URL and BROKER_URL set, those servers are used instead. Loaded by `-p tests.services`.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tarneeb_service.local.discovery import addresses
from tarneeb_service.local.postgres import PostgresServer
from tarneeb_service.local.processes import processes_in
from tarneeb_service.local.valkey import ValkeyServer

PLACE = Path("/tmp")  # noqa: S108  with a name that mkdtemp makes
PREFIX = "tarneeb-tests-"
ABANDONED_SECONDS = 3600
TEST_SECRETS = {"SECRET_KEY": "only-for-tests-" + "x" * 48, "WEBHOOK_ALLOW_PRIVATE": "1"}


class ThrowAwayServers:
    """Both servers in one short-lived directory."""

    def __init__(self, *, durable: bool = False) -> None:
        remove_abandoned()
        # Not TMPDIR, which may be too long for a socket's path. The server's user must be able to pass.
        self.directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=PLACE))
        self.directory.chmod(0o711)
        sockets = self.directory / "run"
        self.postgres = PostgresServer(self.directory / "postgres", sockets, durable=durable)
        self.valkey = ValkeyServer(self.directory / "valkey", sockets, durable=durable)
        self.environment = addresses(sockets)

    def start(self) -> None:
        """Start what the environment does not name, and name it there."""
        if "DATABASE_URL" not in os.environ:
            self.postgres.start(self.directory / "postgres.log")
            os.environ["DATABASE_URL"] = self.environment["DATABASE_URL"]
        if "BROKER_URL" not in os.environ:
            self.valkey.start(self.directory / "valkey.log")
            os.environ["BROKER_URL"] = self.environment["BROKER_URL"]
            os.environ.setdefault("CACHE_URL", self.environment["CACHE_URL"])

    def stop(self) -> None:
        """Stop both and leave nothing on disk."""
        self.postgres.stop()
        self.valkey.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove what runs that were killed have left on disk: their servers have died with them."""
    for directory in PLACE.glob(f"{PREFIX}*"):
        # Another run's, or gone meanwhile.
        with contextlib.suppress(OSError):
            old = time.time() - directory.stat().st_mtime > ABANDONED_SECONDS
            if old and not processes_in(directory / "postgres", "postgres"):
                shutil.rmtree(directory)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """Start the servers, around this hook because pytest-django reads the settings in it."""
    for name, value in TEST_SECRETS.items():
        os.environ.setdefault(name, value)
    # The tests' servers only: what a `make run` beside them uses is not theirs to touch.
    os.environ.setdefault("LOCAL_DIR", "/nonexistent")
    if "PYTEST_XDIST_WORKER" not in os.environ:
        servers = ThrowAwayServers()
        early_config.add_cleanup(servers.stop)
        servers.start()
        # Whitenoise warns of a directory that is not there.
        static = servers.directory / "static"
        static.mkdir()
        os.environ.setdefault("STATIC_ROOT", str(static))
    yield


@pytest.fixture
def durable_servers() -> Iterator[ThrowAwayServers]:
    """A PostgreSQL and a Valkey of the test's own, not started, that keep what they are given like those in use."""
    servers = ThrowAwayServers(durable=True)
    yield servers
    servers.stop()
