"""`GET /matches/{id}/actions/{key}`: what became of an action whose answer was lost."""

from urllib.parse import quote
from uuid import uuid4

import pytest
from django.db import connection

from matches import names, state_cache
from tests.api.callers import Answer, Caller, House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import SALMA

BID_8 = {"type": "bid", "tricks": 8}


def forget_answers() -> None:
    """As upkeep does after two days."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM idempotency_answer")


def look_up(caller: Caller, match: str, key: str) -> Answer:
    """Ask for the action by its key."""
    return caller.get(f"matches/{match}/actions/{quote(key, safe='')}")


def test_an_applied_action_is_told_with_the_first_answer(north: House, chance: Chance) -> None:
    game = Game(north)
    first = game.act(BID_8, key="k-1")
    again = look_up(north.player("amal"), game.id, "k-1")
    assert (again.status, again.body) == (201, first.body)
    assert again.replayed
    assert again.etag == first.etag


def test_also_after_the_turn_has_moved_on_and_after_a_restart(north: House, chance: Chance) -> None:
    game = Game(north)
    first = game.act(BID_8, key="k-1")
    game.call("pass", "pass", "pass").name("C").play_out(hands=1)
    state_cache.clear()
    names.forget()
    assert look_up(north.player("amal"), game.id, "k-1").body == first.body


def test_when_the_answer_is_no_longer_kept_what_it_did_still_is(north: House, chance: Chance) -> None:
    game = Game(north)
    first = game.act(BID_8, key="k-1").json
    game.call("pass", "pass", "pass").name("C").play_out(hands=1)
    forget_answers()
    answer = look_up(north.player("amal"), game.id, "k-1")
    told = answer.ok()
    assert told == {name: first[name] for name in ("version", "events", "receipt")}
    assert answer.etag == '"8"'
    assert not answer.replayed


def test_what_it_did_includes_what_followed_from_it(north: House, chance: Chance) -> None:
    game = Game(north).call("pass", "pass", "pass")
    first = game.act({"type": "pass"}, key="last pass").json
    forget_answers()
    told = look_up(north.player("dina"), game.id, "last pass").ok()
    assert [event["type"] for event in told["events"]] == ["passed", "hand_thrown_in", "hand_dealt"]
    assert told["events"] == first["events"]
    assert "holding" in told["events"][2]["data"]


def test_a_refused_action_was_not_applied(north: House, chance: Chance) -> None:
    game = Game(north)
    north.player("basim").act(game.id, BID_8, key="k-1").problem(409, "not_your_turn")
    look_up(north.player("basim"), game.id, "k-1").problem(404, "not_found")


def test_a_key_never_sent(north: House) -> None:
    game = Game(north)
    look_up(north.player("amal"), game.id, "k-1").problem(404, "not_found")


def test_keys_are_their_senders_own(north: House, south: House, chance: Chance) -> None:
    game = Game(north)
    game.act(BID_8, key="k-1")
    others = [*north.four[1:], north.player(SALMA), north.backend, north.moderator(), south.player("amal")]
    for caller in others:
        look_up(caller, game.id, "k-1").problem(404, "not_found")
    forget_answers()
    for caller in others:
        look_up(caller, game.id, "k-1").problem(404, "not_found")


def test_in_another_match_the_key_did_nothing(north: House, chance: Chance) -> None:
    game, other = Game(north), Game(north)
    game.act(BID_8, key="k-1")
    look_up(north.player("amal"), other.id, "k-1").problem(404, "not_found")
    look_up(north.player("amal"), str(uuid4()), "k-1").problem(404, "not_found")


def test_a_key_used_again_when_its_answer_was_forgotten_does_not_hide_what_it_did_here(
    north: House, chance: Chance
) -> None:
    game, other = Game(north), Game(north)
    first = game.act(BID_8, key="k-1").json
    forget_answers()
    other.act({"type": "pass"}, key="k-1")
    told = look_up(north.player("amal"), game.id, "k-1").ok()
    assert (told["version"], told["events"]) == (first["version"], first["events"])


def test_a_key_that_did_something_is_not_taken_for_another_action_when_its_answer_was_forgotten(
    north: House, chance: Chance
) -> None:
    game = Game(north)
    game.act(BID_8, key="k-1")
    forget_answers()
    north.player("amal").act(game.id, BID_8 | {"tricks": 9}, key="k-1").problem(422, "idempotency_key_reused")


@pytest.mark.parametrize(
    "key",
    [
        "a/b//c",
        "/",
        "..",
        "../../matches",
        "مفتاح",
        "😀 with spaces",
        "%2F%00",
        "?x=1#y",
        "a+b&c=d",
        "'; --",
        "x" * 255,
    ],
)
def test_any_key_can_be_asked_for(north: House, chance: Chance, key: str) -> None:
    game = Game(north)
    first = game.act(BID_8, key=key)
    assert look_up(north.player("amal"), game.id, key).body == first.body
    forget_answers()
    assert look_up(north.player("amal"), game.id, key).ok()["version"] == 8


@pytest.mark.parametrize("key", ["x" * 256, "x" * 4000, "%FF", "%C3%28", "%E2%80%AE", "%0A", "%7F", ""])
def test_a_key_that_cannot_be_was_never_applied(north: House, key: str) -> None:
    game = Game(north)
    north.player("amal").get(f"{game.path}/actions/{key}").problem(404, "not_found")


def test_a_nul_is_in_no_key(north: House) -> None:
    game = Game(north)
    assert north.player("amal").get(f"{game.path}/actions/a%00b").fields() == {"path": "nul_character"}


def test_whatever_had_the_key_in_this_match_is_told(north: House) -> None:
    """Taking a seat is no action, but its answer may be lost as well."""
    match = north.open_match([])
    first = north.player("amal").put(f"matches/{match['id']}/seats/0", key="sit")
    assert look_up(north.player("amal"), match["id"], "sit").body == first.body
    forget_answers()
    told = look_up(north.player("amal"), match["id"], "sit").ok()
    assert [event["type"] for event in told["events"]] == ["seat_taken"]


def test_who_left_a_private_match_cannot_ask(north: House) -> None:
    match = north.open_match([None, "basim"], visibility="private")
    north.player("amal").put(f"matches/{match['id']}/seats/0", key="sit").ok()
    north.player("amal").delete(f"matches/{match['id']}/seats/0").ok()
    look_up(north.player("amal"), match["id"], "sit").problem(404, "not_found")


def test_it_takes_the_scope_read(north: House) -> None:
    game = Game(north)
    north.with_scopes("play", player="amal").get(f"{game.path}/actions/k").problem(403, "forbidden")
    Caller(None).get(f"{game.path}/actions/k").problem(401, "not_authenticated")
