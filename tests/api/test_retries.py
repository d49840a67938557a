"""Idempotency-Key: a request that is sent again never acts twice and always gets the first answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from matches import names, state_cache
from tests.api.callers import Answer, Caller, House, stored
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import CAST, SALMA

BID_8 = {"type": "bid", "tricks": 8}


class Request:
    """One request that changes something, ready to be sent any number of times."""

    def __init__(self, caller: Caller, method: str, path: str, body: object = None) -> None:
        self.caller, self.method, self.path, self.body = caller, method, path, body

    def send(self, key: str = "k-1", **changed: Any) -> Answer:
        """Send it under a key."""
        return self.caller.ask(self.method, self.path, changed.pop("body", self.body), key=key, **changed)


def every_change(north: House, game: Game, waiting: str) -> dict[str, tuple[Request, object]]:
    """Each operation that changes something, and another body for it that would do as well."""
    seats = f"matches/{waiting}/seats"
    four = {"players": list(CAST)}
    return {
        "create": (Request(north.backend, "POST", "matches", four), four | {"target": 41}),
        "take a seat": (Request(north.player("basim"), "PUT", f"{seats}/1", {}), {"player": "basim"}),
        "leave a seat": (Request(north.player("amal"), "DELETE", f"{seats}/0"), {}),
        "act": (Request(north.player("amal"), "POST", f"{game.path}/actions", BID_8), BID_8 | {"tricks": 9}),
        "substitute": (
            Request(north.backend, "PUT", f"{game.path}/seats/3/substitute", {"player": SALMA}),
            {"player": "omar"},
        ),
        "abandon": (Request(north.backend, "POST", f"{game.path}/abandon", {"reason": "rain"}), {"reason": "snow"}),
    }


CHANGES = ["create", "take a seat", "leave a seat", "act", "substitute", "abandon"]
Change = tuple[Request, object, Callable[[], None]]


@pytest.fixture(params=CHANGES)
def change(request: pytest.FixtureRequest, north: House, chance: Chance) -> Change:
    """A request, another body for it, and something that moves its match on."""
    game, waiting = Game(north), north.open_match(["amal"])["id"]
    wanted, other_body = every_change(north, game, waiting)[request.param]

    def move_on() -> None:
        if "seats/1" in wanted.path or "seats/0" in wanted.path:
            north.player("carla").put(f"matches/{waiting}/seats/2").ok()
        elif request.param in {"act", "substitute"}:
            game.version, game.turn = -1, 1 if request.param == "act" else 0
            game.call("pass" if request.param == "act" else "8", "pass")

    return wanted, other_body, move_on


def restart() -> None:
    """What a process remembers is gone."""
    state_cache.clear()
    names.forget()


def forget_answers() -> None:
    """As upkeep does after two days."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM idempotency_answer")


def same(first: Answer, again: Answer) -> None:
    """Assert that it is the same answer, byte for byte, and marked as told again."""
    assert (again.status, again.body) == (first.status, first.body)
    assert again.replayed
    assert not first.replayed
    for name in ("ETag", "Location", "Content-Type", "Cache-Control", "Vary"):
        assert again.headers.get(name) == first.headers.get(name), name


def test_sent_again_it_gets_the_first_answer_byte_for_byte(change: Change) -> None:
    request, _, move_on = change
    first = request.send()
    assert first.status in {200, 201}, first.body
    before = stored()
    same(first, request.send())
    restart()
    same(first, request.send())
    assert stored() == before
    move_on()
    before = stored()
    restart()
    same(first, request.send())
    assert stored() == before


def test_the_same_key_for_another_request_is_refused(change: Change, north: House) -> None:
    request, other_body, _ = change
    first = request.send()
    before = stored()
    request.send(body=other_body).problem(422, "idempotency_key_reused")
    request.send(if_match=1).problem(422, "idempotency_key_reused")
    elsewhere = Request(request.caller, "PUT", f"matches/{north.open_match([])['id']}/seats/3", {"player": "amal"})
    elsewhere.send().problem(422, "idempotency_key_reused")
    request.caller.ask(request.method, f"{request.path}?x=1", request.body, key="k-1").problem(
        422, "idempotency_key_reused"
    )
    # The one event is the opening of the other match.
    assert stored()["matches_storedevent"] == before["matches_storedevent"] + 1
    same(first, request.send())


def test_a_key_is_used_up_by_what_was_decided_and_by_nothing_else(change: Change) -> None:
    request, _, _ = change
    stranger = Caller("tk_" + "a" * 12 + "_" + "b" * 43)
    before = stored()
    Request(stranger, request.method, request.path, request.body).send().problem(401, "not_authenticated")
    if request.body is not None:
        request.send(body=request.body | {"unknown": 1} if isinstance(request.body, dict) else None).fields()
        request.send(raw=b"{").problem(400, "malformed_json")
    assert stored() == before
    assert request.send().status in {200, 201}


def test_another_players_key_is_another_key(north: House, chance: Chance) -> None:
    game = Game(north)
    game.act(BID_8, key="k-1")
    game.act({"type": "pass"}, key="k-1")
    assert game.version == 9


def test_a_key_belongs_to_the_player_whichever_credential_is_used(north: House, chance: Chance) -> None:
    game = Game(north)
    first = game.act(BID_8, key="k-1")
    same(first, north.with_scopes("play", player="amal").act(game.id, BID_8, key="k-1"))


def test_bodies_that_mean_the_same_are_still_other_requests(north: House, chance: Chance) -> None:
    game = Game(north)
    game.act(BID_8, key="k-1")
    path = f"{game.path}/actions"
    respelled = json.dumps(BID_8, indent=1).encode()
    north.player("amal").post(path, raw=respelled, key="k-1").problem(422, "idempotency_key_reused")


def test_what_the_rules_refused_is_refused_again_though_it_be_allowed_by_now(north: House, chance: Chance) -> None:
    game = Game(north)
    first = north.player("basim").act(game.id, BID_8, key="k-1")
    first.problem(409, "not_your_turn")
    game.call("pass")
    restart()
    again = north.player("basim").act(game.id, BID_8, key="k-1")
    assert (again.status, again.body, again.replayed) == (first.status, first.body, True)
    north.player("basim").act(game.id, BID_8, key="k-2").ok(201)


@pytest.mark.parametrize("if_match", [6, 8])
def test_a_version_that_did_not_stand_is_refused_again(north: House, chance: Chance, if_match: int) -> None:
    game = Game(north)
    first = north.player("amal").act(game.id, BID_8, key="k-1", if_match=if_match)
    assert first.problem(412, "version_mismatch")["current_version"] == 7
    game.call("pass")
    again = north.player("amal").act(game.id, BID_8, key="k-1", if_match=if_match)
    assert (again.body, again.replayed) == (first.body, True)


def test_a_retry_with_its_condition_is_answered_though_the_version_has_moved(north: House, chance: Chance) -> None:
    game = Game(north)
    first = game.act(BID_8, key="k-1", if_match=7)
    game.call("pass", "pass")
    same(first, north.player("amal").act(game.id, BID_8, key="k-1", if_match=7))


# A new match has no stream yet that could remember the key.
@pytest.mark.parametrize("change", [name for name in CHANGES if name != "create"], indirect=True)
def test_when_the_answer_is_no_longer_kept_a_retry_still_does_not_act_twice(change: Change) -> None:
    request, _, move_on = change
    first = request.send()
    move_on()
    forget_answers()
    restart()
    before = stored()
    again = request.send()
    assert (again.status, json.loads(again.body)) == (first.status, first.json)
    assert stored() == before


def test_the_last_card_of_the_match_sent_again(north: House, chance: Chance) -> None:
    game = Game(north).call("13").name("C").play_out(hands=1)
    game.call("pass", "pass", "pass", "13").name("C")
    for _ in range(51):
        game.act(game.legal()[0])
    last = game.legal()[0]
    caller = game.next_up
    first = game.act(last, key="the end")
    assert game.turn is None
    same(first, caller.act(game.id, last, key="the end"))
    forget_answers()
    again = caller.act(game.id, last, key="the end")
    assert again.body == first.body


def test_without_a_key_every_request_counts(north: House) -> None:
    assert north.open_match()["id"] != north.open_match()["id"]


@pytest.mark.parametrize("key", ["x" * 255, "مفتاح", "😀", "a/b?c#d", "'; DROP TABLE matches_match; --", "%00", "a b"])
def test_any_visible_text_is_a_key(north: House, chance: Chance, key: str) -> None:
    game = Game(north)
    first = game.act(BID_8, key=key)
    same(first, north.player("amal").act(game.id, BID_8, key=key))


def test_the_longest_keys_that_differ_at_their_end_only_are_two(north: House, chance: Chance) -> None:
    north.backend.post("matches", {}, key="x" * 254 + "a").ok(201)
    north.backend.post("matches", {"players": []}, key="x" * 254 + "b").ok(201)
