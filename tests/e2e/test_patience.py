"""A database that is not to be had in time: the caller is told to try again, and trying again settles everything."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import httpx
import psutil
import psycopg
import pytest

from matches.event_store import lock_key
from tarneeb_service.local.discovery import socket_directory
from tarneeb_service.local.postgres import database_url
from tests.e2e.running import RunningUp, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

BID = {"type": "bid", "tricks": 7}


@pytest.fixture
def up() -> Iterator[RunningUp]:
    running = RunningUp()
    running.start(DATABASE_STATEMENT_SECONDS="1", DATABASE_POOL_WAIT_SECONDS="1")
    yield running
    running.clean_up()


@contextmanager
def frozen(processes: list[psutil.Process]) -> Iterator[None]:
    """None of them does anything meanwhile."""
    for process in processes:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            process.send_signal(signal.SIGCONT)


def check_unavailable(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable"), answer.text
    assert int(answer.headers["Retry-After"]) >= 1


def first_to_speak(up: RunningUp, match: str) -> str:
    view = up.request("GET", match).json()
    player: str = view["seats"][view["turn"]["seat"]]["player"]
    return player


def bid(up: RunningUp, match: str, player: str) -> httpx.Response:
    return up.request("POST", f"{match}/actions", player=player, json=BID, key="once")


def test_a_server_that_says_nothing(up: RunningUp) -> None:
    match = up.new_match()
    player, version = first_to_speak(up, match), up.version(match)
    with frozen([process for process in up.processes() if process.name() == "postgres"]):
        check_unavailable(up.request("GET", match))
        check_unavailable(bid(up, match, player))
        check_unavailable(up.request("GET", "/readyz"))
        assert up.request("GET", "/healthz").status_code == 200

    wait_for(up.is_ready, up.describe)
    answer = bid(up, match, player)
    assert answer.status_code == 201, answer.text
    assert bid(up, match, player).content == answer.content
    assert up.version(match) == version + 1


def test_a_lock_that_is_not_to_be_had(up: RunningUp) -> None:
    match, other = up.new_match(), up.new_match()
    player, version = first_to_speak(up, match), up.version(match)
    with psycopg.connect(database_url(socket_directory(up.local_dir))) as holder:
        holder.execute("SELECT pg_advisory_xact_lock(%s)", [lock_key(UUID(match.rpartition("/")[2]))])
        check_unavailable(bid(up, match, player))
        assert up.version(match) == version
        assert up.play(other) == version + 1
        holder.rollback()

    assert up.version(match) == version
    assert bid(up, match, player).status_code == 201
    assert up.version(match) == version + 1
