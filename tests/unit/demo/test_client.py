"""The wire: the same key until there is an answer, and a clear word when there is none."""

from collections.abc import Callable

import httpx
import pytest

from tarneeb_service.local.demo.client import FIRST_CONTACT, PATIENCE, Client
from tarneeb_service.local.demo.failures import ActionRefused, DemoFailed
from tarneeb_service.local.demo.views import Action
from tests.unit.demo.fake_clock import FakeClock

VIEW = {"id": "m", "status": "playing", "version": 3}
ANSWER = {"version": 4, "events": [], "match": VIEW}
PASS = Action("pass")

Reply = httpx.Response | httpx.TransportError


class Wire:
    """Gives the replies in order, the last for ever, and keeps the requests."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[httpx.Request] = []
        self.clock = FakeClock()

    def client(self, player: str | None = "amal", base_url: str = "http://server") -> Client:
        return Client(base_url, "tk_key", player, clock=self.clock, transport=httpx.MockTransport(self._reply))

    def _reply(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, httpx.TransportError):
            raise reply
        return httpx.Response(reply.status_code, content=reply.content, headers=reply.headers)

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("Idempotency-Key") for request in self.requests]


def busy(status: int, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"status": status, "code": "unavailable"}, headers=headers)


def test_every_request_says_who_asks() -> None:
    wire = Wire(httpx.Response(200, json=VIEW))
    wire.client().view("m")
    wire.client(player=None).view("m")
    seated, tenant = wire.requests
    assert seated.headers["Authorization"] == tenant.headers["Authorization"] == "Bearer tk_key"
    assert seated.headers["X-Player"] == "amal"
    assert "X-Player" not in tenant.headers
    assert str(seated.url) == "http://server/api/v1/matches/m"


@pytest.mark.parametrize(
    "trouble",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("late"),
        httpx.RemoteProtocolError("closed"),
        busy(500),
        busy(502),
        busy(503),
        busy(429),
    ],
)
def test_an_action_is_sent_again_with_the_same_key(trouble: Reply) -> None:
    wire = Wire(trouble, trouble, httpx.Response(201, json=ANSWER))
    assert wire.client().act("m", PASS, seen=3).version == 4
    assert len(wire.requests) == 3
    assert len(set(wire.keys)) == 1
    assert wire.keys[0]
    assert {request.content for request in wire.requests} == {b'{"type":"pass"}'}
    assert {request.headers["If-Match"] for request in wire.requests} == {'"3"'}


def test_another_action_has_another_key() -> None:
    wire = Wire(httpx.Response(201, json=ANSWER))
    wire.client().act("m", PASS, seen=3)
    wire.client().act("m", PASS, seen=3)
    assert len(set(wire.keys)) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_the_server_says_how_long_to_wait(status: int) -> None:
    wire = Wire(busy(status, **{"Retry-After": "7"}), httpx.Response(200, json=VIEW))
    wire.client().view("m")
    assert wire.clock.slept == [7.0]


def test_a_wait_until_a_date_is_an_ordinary_wait() -> None:
    wire = Wire(busy(503, **{"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}), httpx.Response(200, json=VIEW))
    wire.client().view("m")
    assert len(wire.clock.slept) == 1
    assert wire.clock.slept[0] < 1


def test_waits_grow_but_not_without_end() -> None:
    wire = Wire(httpx.ConnectError("refused"))
    with pytest.raises(DemoFailed):
        wire.client().view("m")
    slept = wire.clock.slept
    assert slept == sorted(slept)
    assert slept[0] < slept[-1] == slept[-2] <= 2


@pytest.mark.parametrize(
    ("ask", "patience"),
    [
        (lambda client: client.create_match({"variant": "classic"}), FIRST_CONTACT),
        (lambda client: client.act("m", PASS, seen=3), PATIENCE),
    ],
)
def test_a_server_that_never_answers_is_given_up(ask: Callable[[Client], object], patience: float) -> None:
    wire = Wire(httpx.ConnectError("refused"))
    with pytest.raises(DemoFailed) as caught:
        ask(wire.client())
    assert caught.value.text == "unreachable"
    assert caught.value.facts["base_url"] == "http://server"
    assert patience / 2 < wire.clock.time <= patience


def test_a_server_that_stays_busy_is_given_up() -> None:
    with pytest.raises(DemoFailed) as caught:
        Wire(busy(503)).client().view("m")
    assert caught.value.text == "busy"
    assert caught.value.facts["code"] == "unavailable"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_tried_again(status: int) -> None:
    problem = {"status": status, "code": "key_revoked", "detail": "The key was revoked."}
    wire = Wire(httpx.Response(status, json=problem))
    with pytest.raises(DemoFailed) as caught:
        wire.client().act("m", PASS, seen=3)
    assert (caught.value.text, caught.value.facts["code"]) == ("key_refused", "key_revoked")
    assert len(wire.requests) == 1


@pytest.mark.parametrize("status", [409, 412])
def test_an_action_that_came_too_late_says_so(status: int) -> None:
    problem = {"status": status, "code": "not_your_turn", "detail": "It is the turn of seat 2."}
    with pytest.raises(ActionRefused):
        Wire(httpx.Response(status, json=problem)).client().act("m", PASS, seen=3)


def test_a_refused_request_names_its_fields() -> None:
    errors = [{"field": "target", "code": "range", "detail": "The target is 31 to 501."}]
    problem = {"status": 400, "code": "invalid", "detail": "Some fields are wrong.", "errors": errors}
    with pytest.raises(DemoFailed) as caught:
        Wire(httpx.Response(400, json=problem)).client().create_match({})
    assert caught.value.text == "refused"
    assert caught.value.facts["detail"] == "Some fields are wrong.; target: The target is 31 to 501."


@pytest.mark.parametrize(
    ("status", "content"),
    [(200, b"<html>"), (200, b'{"id": "m"}'), (200, b"\xff"), (201, b"[]")],
)
def test_an_answer_of_another_shape_is_reported(status: int, content: bytes) -> None:
    with pytest.raises(DemoFailed) as caught:
        Wire(httpx.Response(status, content=content)).client().view("m")
    assert caught.value.text == "strange_answer"


def test_a_refusal_that_is_no_problem_document_is_reported_all_the_same() -> None:
    with pytest.raises(DemoFailed) as caught:
        Wire(httpx.Response(404, content=b"<h1>nothing</h1>")).client().view("m")
    assert caught.value.facts == {"status": 404, "code": "?", "detail": "Not Found"}


@pytest.mark.parametrize("base_url", ["nonsense", "ftp://server", "http://[::1", "http://server:port"])
def test_an_address_that_is_none_is_refused_at_once(base_url: str) -> None:
    clock = FakeClock()
    with pytest.raises(DemoFailed) as caught:
        Client(base_url, "tk_key", clock=clock).create_match({})
    assert caught.value.text == "bad_address"
    assert clock.slept == []


def test_waiting_for_a_change_asks_the_server_to_wait() -> None:
    wire = Wire(httpx.Response(304))
    assert wire.client().newer_view("m", 3, wait=5) is None
    assert wire.requests[0].headers["If-None-Match"] == '"3"'
    assert wire.requests[0].headers["Prefer"] == "wait=5"


def test_waiting_works_without_the_servers_help() -> None:
    wire = Wire(httpx.Response(200, json=VIEW), httpx.Response(200, json=VIEW | {"version": 4}))
    client = wire.client()
    assert client.newer_view("m", 3, wait=5) is None
    newer = client.newer_view("m", 3, wait=5)
    assert newer is not None
    assert newer.version == 4


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"])
def test_this_machine_is_reached_without_a_proxy(base_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    with pytest.raises(DemoFailed) as caught:
        Client(base_url, "tk_key", clock=FakeClock()).create_match({})
    assert caught.value.text == "unreachable"
    assert "Connection refused" in str(caught.value.facts["reason"])
