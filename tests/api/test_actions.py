"""`POST /matches/{id}/actions`: what is accepted, what comes back, who may, and at which version."""

from typing import Any
from uuid import uuid4

import pytest

from matches import event_store
from tests.api.callers import Caller, House, stored
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import OMAR, SALMA

BID_8 = {"type": "bid", "tricks": 8}
PASS = {"type": "pass"}


# What is accepted


def test_an_action_is_answered_with_its_events_the_view_and_a_receipt(north: House, chance: Chance) -> None:
    game = Game(north, turn_seconds=30)
    answer = north.player("amal").act(game.id, BID_8)
    done = answer.ok(201)
    recorded_at = done["receipt"]["recorded_at"]
    assert done == {
        "version": 8,
        "events": [
            {
                "version": 8,
                "type": "bid_placed",
                "seat": 0,
                "by": "player",
                "recorded_at": recorded_at,
                "data": {"seat": 0, "tricks": 8, "trump": None},
            }
        ],
        "match": done["match"],
        "receipt": {
            "version": 8,
            "hash": done["receipt"]["hash"],
            "recorded_at": recorded_at,
            "key_id": None,
            "signature": None,
        },
    }
    assert answer.etag == '"8"'
    assert done["match"]["server_now"] == done["match"]["turn"]["since"] == recorded_at
    assert done["match"]["turn"]["seconds_left"] == 30.0
    seen = north.player("amal").see(game.id)
    seen["server_now"], seen["turn"]["seconds_left"] = recorded_at, 30.0
    assert done["match"] == seen


def test_the_receipt_names_the_hash_that_is_in_the_log(north: House, chance: Chance) -> None:
    game = Game(north)
    receipt = game.act(BID_8).json["receipt"]
    (entry,) = event_store.events_of(game.uuid, after=7)
    assert receipt["hash"] == entry.hash.hex()


@pytest.mark.parametrize(
    ("variant", "action", "event", "data"),
    [
        ("classic", BID_8, "bid_placed", {"seat": 0, "tricks": 8, "trump": None}),
        ("classic", PASS, "passed", {"seat": 0}),
        ("egyptian", {"type": "bid", "tricks": 8, "trump": "H"}, "bid_placed", {"seat": 0, "tricks": 8, "trump": "H"}),
        (
            "egyptian",
            {"type": "bid", "tricks": 9, "trump": "NT"},
            "bid_placed",
            {"seat": 0, "tricks": 9, "trump": "NT"},
        ),
    ],
)
def test_a_call(north: House, chance: Chance, variant: str, action: dict[str, Any], event: str, data: Any) -> None:
    (stored_event,) = Game(north, variant=variant).act(action).json["events"]
    assert (stored_event["type"], stored_event["data"]) == (event, data)


def test_a_double(north: House, chance: Chance) -> None:
    game = Game(north, variant="egyptian").call("8H")
    (event,) = game.act({"type": "double"}).json["events"]
    assert (event["type"], event["seat"], event["data"]) == ("doubled", 1, {"seat": 1})


def test_trump_is_named_and_a_card_played(north: House, chance: Chance) -> None:
    game = Game(north).call("8", "pass", "pass", "pass")
    (named,) = game.act({"type": "name_trump", "trump": "NT"}).json["events"]
    assert (named["type"], named["data"]) == ("trump_named", {"seat": 0, "trump": "NT"})
    (played,) = game.act({"type": "play", "card": "AC"}).json["events"]
    assert (played["type"], played["data"]) == ("card_played", {"seat": 0, "card": "AC"})


def test_the_last_pass_throws_the_hand_in_and_deals_anew(north: House, chance: Chance) -> None:
    game = Game(north).call("pass", "pass", "pass")
    done = game.act(PASS).json
    assert [(event["type"], event["by"]) for event in done["events"]] == [
        ("passed", "player"),
        ("hand_thrown_in", "system"),
        ("hand_dealt", "system"),
    ]
    assert done["events"][2]["data"] == {"hand": 1, "deal": 2, "dealer": 3, "holding": done["match"]["you"]["holding"]}
    assert len(done["match"]["you"]["holding"]) == 13
    assert done["version"] == done["receipt"]["version"] == done["match"]["version"] == 13


def test_the_last_card_scores_the_hand_and_the_last_hand_wins_the_match(north: House, chance: Chance) -> None:
    game = Game(north).call("13").name("C").play_out(hands=1)
    game.call("pass", "pass", "pass", "13").name("C")
    for _ in range(52):
        done = game.act(game.legal()[0]).json
    assert [(event["type"], event["by"], event["seat"]) for event in done["events"]] == [
        ("card_played", "player", 3),
        ("hand_scored", "system", None),
        ("match_won", "system", None),
    ]
    assert done["events"][1]["data"] == {
        "hand": 2,
        "declarer": 0,
        "bid": 13,
        "won": 13,
        "doubled": False,
        "points": [26, 0],
        "totals": [52, 0],
    }
    assert done["events"][2]["data"] == {"winner": 0, "totals": [52, 0]}
    assert (done["match"]["status"], done["match"]["turn"]) == ("completed", None)


# Who may, and at which version


def test_who_may_not(north: House, south: House) -> None:
    game = Game(north)
    before = stored()
    expected: list[tuple[Caller, int, str]] = [
        (north.player(SALMA), 403, "not_seated"),
        (north.player(OMAR), 403, "not_seated"),
        (north.backend, 403, "not_seated"),
        (north.moderator(), 403, "forbidden"),
        (north.with_scopes("read", "manage", player="amal"), 403, "forbidden"),
        (Caller(None), 401, "not_authenticated"),
        (south.player("amal"), 404, "not_found"),
        (south.backend, 404, "not_found"),
    ]
    for caller, status, code in expected:
        caller.act(game.id, BID_8).problem(status, code)
    north.player("amal").act(str(uuid4()), BID_8).problem(404, "not_found")
    assert stored() == before


@pytest.mark.parametrize("if_match", [None, 7, 6, "*", '"nonsense"'])
def test_a_stranger_learns_nothing_of_a_private_match(north: House, if_match: int | str | None) -> None:
    game = Game(north, visibility="private")
    before = stored()
    answer = north.player(OMAR).act(game.id, BID_8, if_match=if_match)
    nowhere = north.player(OMAR).act(str(uuid4()), BID_8, if_match=if_match)
    answer.problem(404, "not_found")
    assert answer.body == nowhere.body
    assert stored() == before


@pytest.mark.parametrize("sent", ['"7"', '"6", "7"', "*", ' "7" '])
def test_the_version_that_stands_lets_an_action_through(north: House, sent: str) -> None:
    game = Game(north)
    game.act(BID_8, if_match=sent)
    assert game.version == 8


@pytest.mark.parametrize(
    "sent", ['"6"', '"8"', '"07"', 'W/"7"', '"seven"', '"-7"', '""', '"٧"', '"' + "7" * 5000 + '"']
)
def test_any_other_version_does_not(north: House, sent: str) -> None:
    game = Game(north)
    before = stored()
    problem = game.next_up.act(game.id, BID_8, if_match=sent).problem(412, "version_mismatch")
    assert problem["current_version"] == 7
    assert stored() == before


@pytest.mark.parametrize("sent", ["7", '"7', "'7'", "", ",", '"7" "8"', "W/7"])
def test_a_condition_that_cannot_be_read_is_refused(north: House, sent: str) -> None:
    game = Game(north)
    before = stored()
    assert game.next_up.act(game.id, BID_8, if_match=sent).fields() == {"If-Match": "invalid"}
    assert stored() == before


def test_a_stale_version_is_told_before_the_rules_are_asked(north: House, chance: Chance) -> None:
    game = Game(north).call("8")
    north.player("amal").act(game.id, BID_8, if_match=7).problem(412, "version_mismatch")
    north.player("amal").act(game.id, BID_8, if_match=8).problem(409, "not_your_turn")
