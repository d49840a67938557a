"""Twins: the same request twice at the same time."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier, Event
from time import sleep
from typing import cast

import pytest
from django.db import connection, connections
from django.http import HttpResponse
from django.test import Client

from tarneeb_service.access import services
from tarneeb_service.access.models import Tenant
from tarneeb_service.http import idempotency
from tarneeb_service.http.models import IdempotencyAnswer
from tests.unit.access.callers import bearer
from tests.unit.http.urlconf import DeedView

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.unit.http.urlconf")]


@pytest.fixture
def key() -> str:
    return services.create_key(tenant=services.create_tenant(name="the backend"))[1]


@pytest.fixture(autouse=True)
def _ready(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(DeedView, "inside", Event())
    monkeypatch.setattr(DeedView, "go_on", Event())
    yield
    DeedView.go_on.set()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as threads:
        yield threads


def do(key: str, idempotency_key: str, outcome: str, before: Callable[[], object] = lambda: None) -> HttpResponse:
    try:
        before()
        answer = Client(raise_request_exception=False).generic(
            "POST",
            "/deeds",
            json.dumps({"outcome": outcome}).encode(),
            content_type="application/json",
            headers=bearer(key) | {"Idempotency-Key": idempotency_key},
        )
        return cast("HttpResponse", answer)
    finally:
        connections.close_all()


def wait_until(found: str, wanted: int) -> None:
    """Until this many sessions are in the state that the query counts."""
    for _ in range(3000):
        with connection.cursor() as cursor:
            cursor.execute(found)
            if cursor.fetchone()[0] >= wanted:
                return
        sleep(0.01)
    raise AssertionError("nobody came to wait")


WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND wait_event_type = 'Lock' AND wait_event = 'advisory'"
)


COLUMNS = "digest, status, headers, body, deflated"


def twins(pool: ThreadPoolExecutor, key: str, *, waiting: bool = True) -> tuple[HttpResponse, HttpResponse]:
    """The first is held inside its view, after its write, until the second waits (or has done what it does instead)."""
    first = pool.submit(do, key, "k1", "waits")
    assert DeedView.inside.wait(30)
    second = pool.submit(do, key, "k1", "waits")
    if waiting:
        wait_until(WAITING, 1)
    else:
        wait_until(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND state = 'idle in transaction'",
            2,
        )
    DeedView.go_on.set()
    return first.result(60), second.result(60)


def test_a_twin_waits_and_gets_the_first_answer(pool: ThreadPoolExecutor, key: str) -> None:
    first, second = twins(pool, key)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert Tenant.objects.filter(name__startswith="waited").count() == 1
    assert IdempotencyAnswer.objects.count() == 1


def test_without_the_lock_the_twin_would_not_get_the_first_answer(
    pool: ThreadPoolExecutor, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    unguarded = f"SELECT {COLUMNS} FROM idempotency_answer WHERE %s::bigint IS NOT NULL AND id = %s"
    monkeypatch.setattr(idempotency, "_LOOK_UP", unguarded)
    first, second = twins(pool, key, waiting=False)
    assert sorted((first.status_code, second.status_code)) == [201, 503]


def test_with_lock_and_look_up_in_one_statement_the_twin_would_not_see_the_first_answer(
    pool: ThreadPoolExecutor, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = f"""
    WITH lock AS MATERIALIZED (SELECT pg_advisory_xact_lock(%s) AS held)
    SELECT kept.* FROM lock, LATERAL (
        SELECT {COLUMNS} FROM idempotency_answer WHERE lock.held IS NOT NULL AND id = %s OFFSET 0
    ) AS kept
    """
    monkeypatch.setattr(idempotency, "_LOOK_UP", together)
    first, second = twins(pool, key)
    assert (first.status_code, second.status_code) == (201, 503)


def test_a_twin_of_a_request_that_fails_takes_its_place(pool: ThreadPoolExecutor, key: str) -> None:
    def fails() -> HttpResponse:
        DeedView.inside.set()
        assert DeedView.go_on.wait(30)
        raise RuntimeError("the first of the twins")

    first = pool.submit(_with_deed, fails, key)
    assert DeedView.inside.wait(30)
    second = pool.submit(do, key, "k1", "done")
    wait_until(WAITING, 1)
    DeedView.go_on.set()
    assert first.result(60) == "the first of the twins"
    answer = second.result(60)
    assert answer.status_code == 201
    assert "Idempotency-Replayed" not in answer.headers


def _with_deed(deed: Callable[[], HttpResponse], key: str) -> str:
    """Holds the lock of the request that `do(key, "k1", "done")` sends, in a transaction that fails."""
    from django.db import transaction

    try:
        tenant = Tenant.objects.get(name="the backend")
        once = idempotency.Idempotency(
            "k1", f"tenant:{tenant.id}:", b"", idempotency.answer_id(scope=f"tenant:{tenant.id}:", key="k1")
        )
        with transaction.atomic():
            assert idempotency._lock_and_look_up(once) is None
            Tenant.objects.create(name="half a deed")
            deed()
    except RuntimeError as error:
        return str(error)
    finally:
        connections.close_all()
    return "nothing failed"


@pytest.mark.parametrize("outcome", ["done", "rules", "aborted"])
def test_a_crowd_with_one_key_acts_once(pool: ThreadPoolExecutor, key: str, outcome: str) -> None:
    start = Barrier(8)
    crowd: list[Future[HttpResponse]] = [pool.submit(do, key, "k1", outcome, lambda: start.wait(30)) for _ in range(8)]
    answers = [future.result(60) for future in crowd]
    assert {answer.status_code for answer in answers} == {201 if outcome == "done" else 409}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
    assert Tenant.objects.count() == (2 if outcome == "done" else 1)
    assert IdempotencyAnswer.objects.count() == 1


def test_other_keys_do_not_wait(pool: ThreadPoolExecutor, key: str) -> None:
    first = pool.submit(do, key, "k1", "waits")
    assert DeedView.inside.wait(30)
    assert pool.submit(do, key, "k2", "done").result(60).status_code == 201
    DeedView.go_on.set()
    assert first.result(60).status_code == 201


def test_who_waits_too_long_is_told_to_come_back(pool: ThreadPoolExecutor, key: str) -> None:
    def hurry() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '20ms'")

    first = pool.submit(do, key, "k1", "waits")
    assert DeedView.inside.wait(30)
    hurried = pool.submit(do, key, "k1", "waits", hurry).result(60)
    assert (hurried.status_code, json.loads(hurried.content)["code"]) == (503, "unavailable")
    assert hurried.headers["Retry-After"] == "1"
    DeedView.go_on.set()
    answer = first.result(60)
    again = do(key, "k1", "waits")
    assert again.content == answer.content
    assert again.headers["Idempotency-Replayed"] == "true"
