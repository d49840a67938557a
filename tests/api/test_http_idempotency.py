"""A request with an Idempotency-Key: done once, answered the same for ever after."""

import json
import zlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tarneeb_service.access import services
from tarneeb_service.access.models import Tenant
from tarneeb_service.http.idempotency import RETENTION, answer_id, purge_answers, stored_answer
from tarneeb_service.http.models import IdempotencyAnswer
from tarneeb_service.http.tasks import purge_answers as purge_task
from tests.unit.access.callers import as_player, bearer
from tests.unit.http.statements import counted
from tests.unit.http.urlconf import DeedView

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.unit.http.urlconf")]

committing = pytest.mark.django_db(transaction=True)
"""For what depends on a real commit or a broken connection."""


@pytest.fixture(autouse=True)
def _nothing_committed() -> Iterator[None]:
    DeedView.committed.clear()
    yield
    DeedView.committed.clear()


@pytest.fixture
def tenant() -> Tenant:
    return services.create_tenant(name="the backend")


@pytest.fixture
def key(tenant: Tenant) -> str:
    return services.create_key(tenant=tenant)[1]


def do(key: str, idempotency_key: str | None, body: dict[str, Any] | None = None, **changed: Any) -> HttpResponse:
    headers = bearer(key) | changed.pop("headers", {})
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key.encode().decode("latin-1")
    method = changed.pop("method", "POST")
    path = changed.pop("path", "/deeds")
    content = changed.pop("raw", None) or json.dumps(body or {}).encode()
    answer = Client(raise_request_exception=False).generic(
        method, path, content, content_type="application/json", headers=headers, **changed
    )
    return cast("HttpResponse", answer)


def deeds() -> list[str]:
    return sorted(Tenant.objects.exclude(name="the backend").values_list("name", flat=True))


def same(first: HttpResponse, again: HttpResponse) -> None:
    assert (again.status_code, again.content) == (first.status_code, first.content)
    for name in ("Content-Type", "ETag", "Location"):
        assert again.headers.get(name) == first.headers.get(name)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"


@committing
@pytest.mark.parametrize("filling", [0, 5, 3000])
def test_the_same_request_again_gets_the_first_answer_byte_for_byte(key: str, filling: int) -> None:
    body = {"name": "a deed", "filling": filling}
    first = do(key, "k1", body)
    assert first.status_code == 201, first.content
    for _ in range(3):
        same(first, do(key, "k1", body))
    assert deeds() == ["a deed"]
    assert DeedView.committed == ["a deed"]


def test_large_answers_are_kept_deflated(key: str) -> None:
    first = do(key, "k1", {"filling": 3000})
    row = IdempotencyAnswer.objects.get()
    assert row.deflated
    assert len(row.body) < 500
    assert zlib.decompress(row.body) == first.content


def test_without_a_key_each_request_counts(key: str) -> None:
    for name in ("one", "two"):
        assert json.loads(do(key, None, {"name": name}).content)["key"] is None
    assert deeds() == ["one", "two"]
    assert not IdempotencyAnswer.objects.exists()


def test_an_empty_answer_is_kept_empty(key: str) -> None:
    first = do(key, "k1", {"outcome": "nothing to say"}, method="DELETE")
    assert (first.status_code, first.content) == (204, b"")
    again = do(key, "k1", {"outcome": "nothing to say"}, method="DELETE")
    same(first, again)
    assert len(deeds()) == 1


OTHER_REQUESTS: dict[str, dict[str, Any]] = {
    "another body": {"body": {"name": "b"}},
    "the same body, spaced otherwise": {"raw": b'{"name":  "a"}'},
    "another method": {"method": "PUT"},
    "another address": {"path": "/deeds/7"},
    "another query": {"path": "/deeds?dry=1"},
    "a condition": {"headers": {"If-Match": '"7"'}},
}


@pytest.mark.parametrize("other", OTHER_REQUESTS)
def test_the_same_key_for_another_request_is_refused(key: str, other: str) -> None:
    first = do(key, "k1", {"name": "a"})
    answer = do(key, "k1", **({"body": {"name": "a"}} | OTHER_REQUESTS[other]))
    assert (answer.status_code, json.loads(answer.content)["code"]) == (422, "idempotency_key_reused")
    assert deeds() == ["a"]
    same(first, do(key, "k1", {"name": "a"}))


def test_headers_that_do_not_belong_to_the_request_make_no_difference(key: str) -> None:
    first = do(key, "k1", {"name": "a"})
    same(first, do(key, "k1", {"name": "a"}, headers={"X-Request-Id": "7", "User-Agent": "another"}))


def test_keys_belong_to_who_sent_them(tenant: Tenant, key: str) -> None:
    _, other = services.create_key(tenant=services.create_tenant(name="another backend"))
    callers = [bearer(key), as_player(key, "amal"), as_player(key, "basim"), bearer(other), as_player(other, "amal")]
    for place, caller in enumerate(callers):
        assert do(key, "k1", {"name": f"deed {place}"}, headers=caller).status_code == 201
    assert IdempotencyAnswer.objects.count() == len(callers)


def test_a_retry_with_another_key_of_the_same_tenant_is_a_retry(tenant: Tenant, key: str) -> None:
    first = do(key, "k1", {"name": "a"}, headers=as_player(key, "amal"))
    rotated, text = services.create_key(tenant=tenant)
    same(first, do(text, "k1", {"name": "a"}, headers=as_player(text, "amal")))
    services.revoke_key(key=rotated)
    refused = do(text, "k1", {"name": "a"}, headers=as_player(text, "amal"))
    assert json.loads(refused.content)["code"] == "key_revoked"


# What is kept


@committing
@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [
        ("rules", 409, "not_your_turn"),
        ("not seated", 403, "not_seated"),
        ("returned 412", 412, "version_mismatch"),
        ("aborted", 409, "seat_taken"),
    ],
)
def test_what_the_rules_refused_is_refused_again(key: str, outcome: str, status: int, code: str) -> None:
    first = do(key, "k1", {"outcome": outcome})
    assert (first.status_code, json.loads(first.content)["code"]) == (status, code)
    same(first, do(key, "k1", {"outcome": outcome}))
    assert deeds() == []


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("forbidden", 403),
        ("missing", 404),
        ("returned 400", 400),
        ("breaks", 500),
        ("streams", 500),
    ],
)
def test_what_decided_nothing_is_not_kept_and_leaves_nothing(key: str, outcome: str, status: int) -> None:
    first = do(key, "k1", {"outcome": outcome})
    assert first.status_code == status, first.content
    nothing_was_done(key)


def nothing_was_done(key: str) -> None:
    assert deeds() == []
    assert DeedView.committed == []
    assert not IdempotencyAnswer.objects.exists()
    again = do(key, "k1", {"name": "now it works"})
    assert again.status_code == 201
    assert "Idempotency-Replayed" not in again.headers
    assert deeds() == ["now it works"]


@committing
@pytest.mark.parametrize(("outcome", "status"), [("breaks", 500), ("loses its connection", 503)])
def test_a_transaction_that_breaks_leaves_nothing(key: str, outcome: str, status: int) -> None:
    first = do(key, "k1", {"outcome": outcome})
    assert first.status_code == status, first.content
    connection.close()
    nothing_was_done(key)


def test_a_body_that_cannot_be_read_does_not_use_up_the_key(key: str) -> None:
    assert do(key, "k1", raw=b"{").status_code == 400
    assert do(key, "k1", {"name": "a"}).status_code == 201


@pytest.mark.parametrize("idempotency_key", ["k", "a b", "مفتاح", "x" * 255, "ع" * 255, '"quoted"', "%00"])
def test_keys_are_visible_text(key: str, idempotency_key: str) -> None:
    first = do(key, idempotency_key)
    assert json.loads(first.content)["key"] == idempotency_key
    same(first, do(key, idempotency_key))


@pytest.mark.parametrize("idempotency_key", ["", " ", "x" * 256, "a\tb", "a\u200bb", "a\u0007b", "a\0b"])
def test_other_keys_are_invalid(key: str, idempotency_key: str) -> None:
    answer = do(key, idempotency_key)
    assert (answer.status_code, json.loads(answer.content)["errors"][0]["field"]) == (400, "Idempotency-Key")
    assert deeds() == []


def test_a_key_that_is_no_text_is_invalid(key: str) -> None:
    answer = do(key, None, headers={"Idempotency-Key": b"\xff\xfe".decode("latin-1")})
    assert (answer.status_code, json.loads(answer.content)["errors"][0]["code"]) == (400, "invalid_utf8")


def test_the_kept_answer_can_be_looked_up(tenant: Tenant, key: str) -> None:
    scope = f"tenant:{tenant.id}:"
    assert stored_answer(scope=scope, key="k1") is None
    first = do(key, "k1")
    kept = stored_answer(scope=scope, key="k1")
    assert kept is not None
    assert (kept.status, kept.body) == (201, first.content)
    same(first, kept.replayed())
    assert IdempotencyAnswer.objects.get().id == answer_id(scope=scope, key="k1")
    assert stored_answer(scope=scope + "x", key="k1") is None


def test_neither_key_nor_actor_stands_in_the_store(key: str) -> None:
    do(key, "a key to look for", {"outcome": "rules"}, headers=as_player(key, "amal"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT idempotency_answer::text FROM idempotency_answer")
        (row,) = cursor.fetchone()
    assert "look for" not in row
    assert "amal" not in row


def test_a_key_costs_two_statements_and_a_retry_one(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    do(key, "warm up")
    for wanted in (["credential", "look-up", "deed", "answer"], ["credential", "look-up"]):
        with counted(monkeypatch) as sent:
            do(key, "k1", {"name": "a"})
        kinds = {"FROM access_apikey": "credential", "FROM idempotency": "look-up"}
        kinds |= {'INTO "access_tenant"': "deed", "INTO idempotency": "answer", "SAVEPOINT": ""}
        found = [next(kind for mark, kind in kinds.items() if mark in sql) for sql in sent]
        assert sorted(filter(None, found)) == sorted(wanted)


# Upkeep


def test_answers_are_purged_after_their_time_and_not_before(key: str) -> None:
    for place in range(7):
        do(key, f"k{place}", {"name": f"deed {place}"})
    assert purge_answers() == 0
    old = [
        answer_id(scope=f"tenant:{Tenant.objects.get(name='the backend').id}:", key=f"k{place}") for place in range(5)
    ]
    rows = IdempotencyAnswer.objects.filter(id__in=old)
    rows.update(created_at=timezone.now() - RETENTION + timedelta(minutes=1))
    assert purge_answers() == 0
    rows.update(created_at=timezone.now() - RETENTION - timedelta(minutes=1))
    assert purge_answers(batch=2) == 5
    assert IdempotencyAnswer.objects.count() == 2
    IdempotencyAnswer.objects.update(created_at=timezone.now() - RETENTION - timedelta(minutes=1))
    purge_task.run()
    assert not IdempotencyAnswer.objects.exists()


def test_the_purge_is_scheduled(settings: Settings) -> None:
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert purge_task.name in scheduled


def test_answers_are_never_kept_shorter_than_promised() -> None:
    assert timedelta(hours=24) <= RETENTION
    with pytest.raises(ValueError, match="24 hours"):
        purge_answers(older_than=timedelta(hours=23))
