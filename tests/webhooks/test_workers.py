"""Real workers and a real broker: webhooks arrive by themselves, whatever is killed in between."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from django.db import connection

from tests.api.callers import House
from tests.api.games import Game
from tests.services import ThrowAwayServers
from tests.webhooks.hooks import hook, later
from tests.webhooks.receiver import Receiver, says_nothing_until

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 400
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


class Workers:
    """A broker of the test's own, Celery's workers and beat, all on the test's database."""

    def __init__(self, servers: ThrowAwayServers) -> None:
        self.directory = servers.directory
        self.broker = servers.valkey
        database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
        self.environment = os.environ | {
            "DATABASE_URL": database.geturl(),
            "BROKER_URL": servers.environment["BROKER_URL"],
            "CACHE_URL": servers.environment["CACHE_URL"],
        }
        self.started: list[subprocess.Popen[bytes]] = []

    def start_broker(self) -> None:
        """Start the broker, again if need be."""
        self.broker.start(self.directory / "valkey.log")

    def kill_broker(self) -> None:
        """As a power failure would."""
        os.kill(self.broker.pid, signal.SIGKILL)
        self.broker.stop()

    def celery(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one of Celery's programs."""
        with (self.directory / f"{arguments[0]}.log").open("ab") as output:
            started = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "tarneeb_service", *arguments],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.started.append(started)
        return started

    def start_worker(self) -> subprocess.Popen[bytes]:
        """A worker for webhooks."""
        return self.celery("worker", "-Q", "webhooks", "--concurrency", "1", "--without-gossip", "--without-mingle")

    def start_beat(self) -> None:
        """Celery's clock."""
        self.celery("beat", "--schedule", str(self.directory / "beat"), "--pidfile=")

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """A process and its children, without a word to any of them."""
        for each in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
            each.kill()
        process.wait()

    def stop(self) -> None:
        """Everything that still runs."""
        for process in self.started:
            if process.poll() is None:
                self.kill(process)

    def logs(self) -> str:
        """What they said."""
        return "\n".join(
            f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}" for log in self.directory.glob("*.log")
        )


@pytest.fixture
def workers(durable_servers: ThrowAwayServers, north: House) -> Iterator[Workers]:
    """A broker, a worker and beat, running."""
    workers = Workers(durable_servers)
    workers.start_broker()
    try:
        workers.start_worker()
        workers.start_beat()
        yield workers
    finally:
        workers.stop()


def wait_until(condition: Callable[[], bool], workers: Workers) -> None:
    """Come back when it holds; a failure tells what the workers said."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, workers.logs()
        time.sleep(0.05)


def test_webhooks_arrive_by_themselves(north: House, receiver: Receiver, workers: Workers) -> None:
    made = hook(north, receiver)
    game = Game(north).call("7", "8", "9")
    wait_until(lambda: len(receiver.received) >= 5, workers)
    assert [version for _, version, _ in receiver.seen()] == [6, 7, 8, 9, 10]
    for received in receiver.received:
        received.verified(made.secret)
        assert received.match == game.id


def test_a_broker_that_is_killed_during_play(north: House, receiver: Receiver, workers: Workers) -> None:
    """Moves go on, and once it is back everything arrives, nothing lost and nothing doubled."""
    made = hook(north, receiver)
    games = [Game(north) for _ in range(3)]
    for game in games:
        game.call("7")
    wait_until(lambda: len(receiver.received) >= 9, workers)
    workers.kill_broker()
    for text in ("8", "9", "10", "pass"):
        for game in games:
            game.call(text)
    workers.start_broker()
    for game in games:
        game.call("pass")
    wait_until(lambda: len(receiver.received) >= 24 and made.statuses() == {"delivered": 24}, workers)
    assert len(receiver.received) == len({received.id for received in receiver.received}) == 24
    for game in games:
        assert [version for match, version, _ in receiver.seen() if match == game.id] == list(range(6, 14))


def test_a_worker_that_is_killed_in_the_middle_of_a_delivery(
    north: House, receiver: Receiver, workers: Workers
) -> None:
    released = threading.Event()
    receiver.next_answers.append(says_nothing_until(released))
    made = hook(north, receiver)
    Game(north).call("7")
    receiver.wait_for(1, PATIENCE_SECONDS)
    workers.kill(workers.started[0])
    released.set()
    # What it had taken is due again after its time, which nobody has to wait for here.
    later(60)
    workers.start_worker()
    wait_until(lambda: len(receiver.received) >= 4 and made.statuses() == {"delivered": 3}, workers)
    assert [version for _, version, _ in receiver.seen()] == [6, 6, 7, 8]
    assert receiver.received[0].id == receiver.received[1].id
    assert made.log()[0]["attempts"] == 2
