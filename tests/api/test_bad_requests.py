"""Whatever arrives, wherever it arrives: a problem document, never a 500, and nothing stored."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tarneeb_service.access.models import Player
from tests.api.callers import PROBLEM_TYPE, Answer, Caller, House, stored
from tests.api.games import Game
from tests.cast import SALMA

LIMIT = 64 * 1024

ENDPOINTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "create": ("POST", "matches", {}),
    "take a seat": ("PUT", "matches/{waiting}/seats/0", {"player": "amal"}),
    "act": ("POST", "matches/{playing}/actions", {"type": "pass"}),
    "abandon": ("POST", "matches/{playing}/abandon", {"reason": "rain"}),
    "make a webhook": ("POST", "webhooks", {"url": "https://backend.example/", "events": ["match.started"]}),
    "substitute": ("PUT", "matches/{playing}/seats/0/substitute", {"player": "salma"}),
}


@dataclass(frozen=True)
class Endpoint:
    """One address that takes a body, somebody who may use it, and a body that is right but for what is added."""

    caller: Caller
    method: str
    path: str
    base: dict[str, Any]

    def send(self, raw: bytes = b"{}", **given: Any) -> Answer:
        """The answer, which must be a problem; asserts that nothing was stored."""
        before = stored()
        answer = self.caller.ask(self.method, self.path, raw=raw, **given)
        assert answer.headers["Content-Type"] == PROBLEM_TYPE
        assert stored() == before
        return answer

    def send_with(self, **fields: Any) -> Answer:
        """The answer to the base with these fields."""
        return self.send(json.dumps(self.base | fields).encode())


@pytest.fixture(params=list(ENDPOINTS))
def endpoint(request: pytest.FixtureRequest, north: House) -> Endpoint:
    """Each of the addresses that take a body."""
    method, path, base = ENDPOINTS[request.param]
    game = Game(north)
    address = path.format(waiting=north.open_match([])["id"], playing=game.id)
    return Endpoint(game.next_up if request.param == "act" else north.backend, method, address, base)


NO_JSON = [
    b"{",
    b"}",
    b"nonsense",
    b"{'type': 'pass'}",
    b'{"type": "pass",}',
    b'{"type": NaN}',
    b'{"type": Infinity}',
    b'{"type": 01}',
    b'{"type": "pass"} {"type": "pass"}',
    b'{"type": "\xff\xfe"}',
    b'{"\xc3\x28": 1}',
    b'{"type": "\xed\xa0\x80"}',
    b'{"type": "\\ud800"}',
    b'{"type": "a\x00b"}',
    b"\xef\xbb\xbf{}",
    '{"type": "pass"}'.encode("utf-16"),
    b"[" * 20_000,
    b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    b"\x00" * 100,
]


def test_a_body_that_is_no_json(endpoint: Endpoint) -> None:
    for body in NO_JSON:
        endpoint.send(body).problem(400, "malformed_json")


NO_OBJECTS = [b"[]", b'["type", "pass"]', b'"pass"', b"7", b"null", b"true", b" 1.5 "]


def test_a_body_that_is_no_object(endpoint: Endpoint) -> None:
    for body in NO_OBJECTS:
        assert endpoint.send(body).fields() == {"": "not_an_object"}, body


NULS = [b'{"\\u0000": 1}', b'{"reason": "a\\u0000b"}', b'{"x": [{"y": "\\u0000"}]}']


def test_a_nul_character(endpoint: Endpoint) -> None:
    for body in NULS:
        assert set(endpoint.send(body).fields().values()) == {"nul_character"}, body


def test_a_number_out_of_range(endpoint: Endpoint) -> None:
    assert endpoint.send(b'{"type": 1e999}').fields() == {"": "invalid"}


def test_a_body_may_be_64_kib_and_no_more(endpoint: Endpoint) -> None:
    padded = json.dumps(endpoint.base | {"no such field": 1}).encode().ljust(LIMIT)
    assert endpoint.send(padded).fields() == {"no such field": "unknown_field"}
    assert endpoint.send(padded + b" ").problem(413, "body_too_large")["limit"] == LIMIT
    endpoint.send(b"x" * 2_000_000).problem(413, "body_too_large")


DEPTHS = [50, 500]


def test_deep_nesting(endpoint: Endpoint) -> None:
    for depth in DEPTHS:
        answer = endpoint.send(b'{"a":' * depth + b"1" + b"}" * depth)
        assert answer.status == 400
        assert answer.json["code"] in {"invalid", "malformed_json"}


CURIOUS = ["", "__proto__", "constructor", "a.b", "[0]", "$", "errors", "type ", "ﬁeld", "\u202e", "x" * 10_000]


def test_fields_with_curious_names(endpoint: Endpoint) -> None:
    for name in CURIOUS:
        assert endpoint.send_with(**{name: 1}).fields() == {name: "unknown_field"}


def test_many_unknown_fields(endpoint: Endpoint) -> None:
    answer = endpoint.send_with(**{f"field{number}": number for number in range(3000)})
    assert set(answer.fields().values()) == {"unknown_field"}
    assert len(answer.fields()) == 3000


MEDIA_TYPES = [
    "text/plain",
    "text/html; charset=utf-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/jsonp",
    "application/json; charset=utf-16",
    "application/json; charset=latin-1",
    "nonsense",
]


def test_other_media_types(endpoint: Endpoint) -> None:
    for content_type in MEDIA_TYPES:
        answer = endpoint.send(b'{"type": "pass"}', content_type=content_type)
        answer.problem(415, "unsupported_media_type")


KEYS = ["", "   ", "x" * 256, "k\x7f", "a\tb", "\u2028", "zero\u200bwidth"]


def test_keys_that_cannot_be(endpoint: Endpoint) -> None:
    for key in KEYS:
        assert endpoint.send(b"{}", key=key).fields() == {"Idempotency-Key": "invalid"}, key


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/png;q=0.5"])
def test_who_takes_no_json_gets_nothing_else(north: House, accept: str) -> None:
    before = stored()
    answer = north.backend.post("matches", {}, headers={"Accept": accept})
    answer.problem(406, "not_acceptable")
    assert stored() == before


@pytest.mark.parametrize("accept", ["*/*", "application/*", "application/json, text/html;q=0.9", "application/json"])
def test_who_takes_json_among_others_gets_it(north: House, accept: str) -> None:
    north.backend.post("matches", {}, headers={"Accept": accept}).ok(201)


@pytest.mark.parametrize("raw", [b"\xff", b"\xc3\x28", b"a\x00b"])
@pytest.mark.parametrize("name", ["Idempotency-Key", "X-Player"])
def test_headers_that_are_no_text(north: House, name: str, raw: bytes) -> None:
    before = stored()
    sent = {"Authorization": f"Bearer {north.key}", name: raw.decode("latin-1")}
    response = Client().generic("POST", "/api/v1/matches", b"{}", content_type="application/json", headers=sent)
    answer = Answer(response.status_code, dict(response.headers), response.content)
    assert set(answer.fields()) == {name}
    assert stored() == before


@pytest.mark.parametrize("player", ["", "x" * 65, "e\u0301", "a\u200bb", "\u2028", "a\x7f"])
def test_players_that_cannot_be(north: House, player: str) -> None:
    before = stored()
    assert set(Caller(north.key, player).post("matches", {}).fields()) == {"X-Player"}
    assert stored() == before


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic dGs6",
        "Bearer tk_",
        "Bearer tk_x_y",
        "bearer mt_ü",
        "Token x",
        "Bearer " + "x" * 999,
    ],
)
def test_credentials_that_are_none(north: House, authorization: str) -> None:
    before = stored()
    answer = Caller(None).post("matches", {}, headers={"Authorization": authorization})
    answer.problem(401, "not_authenticated")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert stored() == before


@pytest.mark.parametrize(
    "path",
    [
        "matches/1",
        "matches/not-a-match",
        "matches/%FF%FE",
        "matches/..%2F..%2Fetc%2Fpasswd",
        "matches/{id}/",
        "matches/{id}/nothing",
        "matches/{id}/seats",
        "matches/{id}/seats/0/",
        "matches/{upper}",
        "matches/{bare}",
        "matches//{id}",
        "matches/{id}/actions/",
        "match",
        "",
        "matches/{id};x=1",
        "matches/{id}%20",
        "matches/" + "a" * 4000,
        "مباريات",
    ],
)
def test_addresses_where_nothing_is(north: House, path: str) -> None:
    match = north.open_match()["id"]
    address = path.format(id=match, upper=match.upper(), bare=match.replace("-", ""))
    for method in ("GET", "POST", "PUT", "DELETE"):
        answer = north.backend.ask(method, address, {} if method in {"POST", "PUT"} else None)
        answer.problem(404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "matches", {"GET", "POST", "HEAD", "OPTIONS"}),
        ("PATCH", "matches/{id}", {"GET", "HEAD", "OPTIONS"}),
        ("GET", "matches/{id}/actions", {"POST", "OPTIONS"}),
        ("POST", "matches/{id}/actions/key", {"GET", "HEAD", "OPTIONS"}),
        ("POST", "matches/{id}/seats/0", {"PUT", "DELETE", "OPTIONS"}),
        ("GET", "matches/{id}/abandon", {"POST", "OPTIONS"}),
        ("DELETE", "matches/{id}/seats/0/substitute", {"PUT", "OPTIONS"}),
        ("PUT", "matches/{id}/events", {"GET", "HEAD", "OPTIONS"}),
        ("POST", "matches/{id}/stream", {"GET", "OPTIONS"}),
        ("TRACE", "matches/{id}", {"GET", "HEAD", "OPTIONS"}),
        ("BREW", "matches/{id}", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_methods_that_are_not_there(north: House, method: str, path: str, allowed: set[str]) -> None:
    match = north.open_match()["id"]
    before = stored()
    answer = north.backend.ask(method, path.format(id=match))
    answer.problem(405, "method_not_allowed")
    assert {name.strip() for name in answer.headers["Allow"].split(",")} - {"OPTIONS"} == allowed - {"OPTIONS"}
    assert stored() == before


def test_a_stream_has_no_head(north: House) -> None:
    match = north.open_match()["id"]
    answer = Client().head(
        f"/api/v1/matches/{match}/stream", headers={"Authorization": f"Bearer {north.backend.token}"}
    )
    assert (answer.status_code, answer.content) == (405, b"")
    assert {name.strip() for name in answer.headers["Allow"].split(",")} == {"GET", "OPTIONS"}


def test_a_body_where_none_is_wanted_makes_no_difference(north: House) -> None:
    game = Game(north)
    for raw in (b"nonsense", b'{"seat": 2}', b"\xff"):
        north.backend.ask("GET", game.path, raw=raw).ok()
    match = north.open_match(["amal", "basim"])
    north.player("amal").ask("DELETE", f"matches/{match['id']}/seats/0", raw=b"nonsense").ok()


def test_what_is_not_there_comes_before_what_is_wrong_with_the_condition(north: House) -> None:
    before = stored()
    nowhere = uuid4()
    north.player(SALMA).act(str(nowhere), {"type": "pass"}, if_match=3).problem(404, "not_found")
    north.backend.post(f"matches/{nowhere}/abandon", {"reason": "rain"}, if_match=3).problem(404, "not_found")
    assert stored() == before


@pytest.mark.parametrize("key", [None, "once"])
@pytest.mark.parametrize(
    ("path", "if_match"),
    [
        ("matches/{full}/seats/0", None),
        ("matches/{waiting}/seats/0", 7),
        ("matches/{waiting}/seats/4", None),
        ("matches/{nowhere}/seats/0", None),
        ("matches/{waiting}/seats/0/substitute", None),
        ("matches/{full}/seats/0/substitute", 3),
        ("matches/{nowhere}/seats/0/substitute", None),
    ],
)
def test_a_refusal_makes_no_players(north: House, path: str, if_match: int | None, key: str | None) -> None:
    matches = {"full": Game(north).id, "waiting": north.open_match([])["id"], "nowhere": uuid4()}
    before = stored()
    answer = north.backend.put(path.format(**matches), {"player": "nobody yet"}, key=key, if_match=if_match)
    assert answer.status in {404, 409, 412}
    assert stored() == before
    assert not Player.objects.filter(external_id="nobody yet").exists()
