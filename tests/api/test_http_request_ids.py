"""One id for each request."""

import logging
from collections.abc import Mapping, MutableMapping
from typing import Any

import pytest
import structlog
from django.test import Client
from structlog.contextvars import get_contextvars, merge_contextvars

pytestmark = pytest.mark.urls("tests.unit.http.urlconf")


def asked(client: Client, request_id: str | None) -> str:
    answer = client.get("/echo", headers={} if request_id is None else {"X-Request-Id": request_id})
    sent = answer.headers["X-Request-Id"]
    assert answer.json() == {"request_id": sent}
    return sent


@pytest.mark.parametrize(
    "request_id", ["7", "a3f1-b", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "x" * 128]
)
def test_a_sane_id_is_kept(client: Client, request_id: str) -> None:
    assert asked(client, request_id) == request_id


@pytest.mark.parametrize("request_id", [None, "", " ", "x" * 129, "a b", "a\nb", 'a"b', "أ", "${jndi}", "<script>"])
def test_otherwise_one_is_made(client: Client, request_id: str | None) -> None:
    made = asked(client, request_id)
    assert made != request_id
    assert len(made) == 32
    assert made != asked(client, request_id)


def test_an_answer_to_nothing_has_one_too(client: Client) -> None:
    assert client.get("/nowhere", headers={"X-Request-Id": "7"}).headers["X-Request-Id"] == "7"


def test_it_stands_on_every_line_logged_and_not_on_those_after(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[Mapping[str, Any]] = []

    def keep(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        lines.append(event)
        raise structlog.DropEvent

    log = structlog.wrap_logger(logging.getLogger("test"), processors=[merge_contextvars, keep])
    monkeypatch.setattr("tests.unit.http.urlconf.request_id_of", lambda _request: log.info("looked") or "7")
    client.get("/echo", headers={"X-Request-Id": "8"})
    assert [line["request_id"] for line in lines] == ["8"]
    assert "request_id" not in get_contextvars()
