"""Whatever goes wrong, the answer is a problem document with a code."""

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.http import HttpResponseBase
from django.test import Client
from pytest_django import Settings

from tarneeb_service.access import services
from tarneeb_service.http.problems import PROBLEM_TYPE, problem_table
from tests.unit.access.callers import bearer
from tests.unit.http.urlconf import RaisingView, refusal

pytestmark = pytest.mark.urls("tests.unit.http.urlconf")


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def document(answer: HttpResponseBase, status: int, code: str) -> dict[str, Any]:
    content = getattr(answer, "content", b"")
    assert answer.headers["Content-Type"] == PROBLEM_TYPE, content
    found: dict[str, Any] = json.loads(content)
    assert (answer.status_code, found["code"]) == (status, code), content
    assert found["status"] == status
    assert found["type"] == f"/problems/{code}"
    assert found["title"]
    assert found["detail"]
    assert "nobody" not in content.decode()
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Request-Id"]
    return found


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/nowhere", 404, "not_found"),
        ("/who/", 404, "not_found"),
        ("/django/missing", 404, "not_found"),
        ("/django/forbidden", 403, "forbidden"),
        ("/django/suspicious", 400, "bad_request"),
        ("/django/bad", 400, "bad_request"),
        ("/django/broken", 500, "internal_error"),
    ],
)
def test_outside_of_the_api_too(client: Client, path: str, status: int, code: str) -> None:
    document(client.get(path), status, code)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (RuntimeError("nobody foresaw this"), 500, "internal_error"),
        (KeyError("nobody foresaw this"), 500, "internal_error"),
        (refusal(409, "not_your_turn"), 409, "not_your_turn"),
        (OperationalError("nobody may see the server's words"), 503, "unavailable"),
    ],
)
def test_what_a_view_raises_is_answered(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, code: str
) -> None:
    monkeypatch.setattr(RaisingView, "error", error)
    answer = client.get("/raising")
    document(answer, status, code)
    assert ("Retry-After" in answer.headers) == (status == 503)


def test_what_nobody_foresaw_is_logged_with_its_trace_and_reported_as_django_does(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.get("/raising")
    (record,) = [record for record in caplog.records if record.name == "tarneeb_service.http.problems"]
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "nobody foresaw this"
    with pytest.raises(RuntimeError, match="nobody foresaw this"):
        Client().get("/raising")


def test_debug_mode_changes_no_answer_of_the_api(client: Client, settings: Settings) -> None:
    settings.DEBUG = True
    document(client.get("/raising"), 500, "internal_error")


def test_a_method_that_is_not_there(client: Client) -> None:
    answer = client.delete("/echo")
    document(answer, 405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET, POST, HEAD, OPTIONS"
    document(client.options("/echo"), 405, "method_not_allowed")
    document(client.generic("BREW", "/echo"), 405, "method_not_allowed")


def test_an_answer_in_another_type(client: Client) -> None:
    document(client.get("/echo", headers={"Accept": "text/html"}), 406, "not_acceptable")
    document(client.get("/echo", headers={"Accept": "garbage"}), 406, "not_acceptable")


@pytest.mark.parametrize("accept", ["*/*", "application/*", "application/json", "text/html, */*;q=0.1", ""])
def test_who_takes_json_gets_it(client: Client, accept: str) -> None:
    assert client.get("/echo", headers={"Accept": accept}).headers["Content-Type"] == "application/json"


def test_a_format_in_the_query_is_the_views_own_affair(client: Client) -> None:
    assert client.get("/echo?format=pbn").status_code == 200


@pytest.mark.django_db
def test_errors_of_the_database_while_asking_who_it_is(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    _, key = services.create_key(tenant=services.create_tenant(name="the backend"))

    def unreachable(*_arguments: object) -> None:
        raise OperationalError("nobody may see the server's words")

    monkeypatch.setattr("tarneeb_service.access.credentials.api_keys.fetch_one", unreachable)
    answer = client.get("/who", headers=bearer(key))
    document(answer, 503, "unavailable")
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_view_may_set_its_own_caching(client: Client) -> None:
    assert client.get("/django/cached").headers["Cache-Control"] == "max-age=60"
    assert client.get("/echo").headers["Cache-Control"] == "no-store"


def test_answers_have_a_length_and_head_has_no_more_than_that(client: Client) -> None:
    for path in ("/echo", "/nowhere", "/django/form", "/django/broken"):
        got, asked = client.get(path), client.head(path)
        assert got.headers["Content-Length"] == str(len(got.content))
        assert asked.status_code == got.status_code
        assert asked.content == b""
        assert asked.headers["Content-Length"] == got.headers["Content-Length"]


def test_every_type_leads_to_a_page(client: Client) -> None:
    listed = {entry["code"]: entry for entry in client.get("/problems/").json()["problems"]}
    assert set(listed) == {row.code for row in problem_table().values()} | {"internal_error"}
    for code, entry in listed.items():
        assert client.get(entry["type"]).json() == entry
        assert entry["type"] == f"/problems/{code}"
        assert entry["title"]
    document(client.get("/problems/nothing-like-it"), 404, "not_found")
    refused = client.post("/problems/")
    document(refused, 405, "method_not_allowed")
    assert refused.headers["Allow"] == "GET, HEAD"
