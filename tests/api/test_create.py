"""`POST /matches`: a match is opened, and refused where it cannot be played."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.api.callers import NOBODY, Caller, House, stored
from tests.api.conftest import Chance
from tests.cast import CAST, OMAR, SALMA

CLASSIC = {
    "target": 31,
    "direction": "counterclockwise",
    "deal_style": "one_by_one",
    "no_trumps": True,
    "auction": "ascending",
    "dealer_may_match": False,
    "dealer_must_bid": False,
    "doubling": False,
    "double_defenders": False,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "classic": {},
    "eram": {"no_trumps": False},
    "egyptian": {"auction": "suit_bids", "doubling": True},
    "clockwise": {"direction": "clockwise"},
    "one_go": {"deal_style": "one_go"},
    "lebanese": {"auction": "single_round", "dealer_may_match": True},
    "forced_dealer": {"dealer_must_bid": True},
}
FOUR: dict[str, Any] = {"players": list(CAST)}


def test_four_players_start_the_match_at_once(north: House, chance: Chance) -> None:
    answer = north.backend.post("matches", FOUR | {"target": 41, "turn_seconds": 30})
    match = answer.ok(201)
    moment = match["server_now"]
    assert match == {
        "id": match["id"],
        "status": "playing",
        "version": 7,
        "variant": "classic",
        "rules": {"variant": "classic", **CLASSIC, "target": 41},
        "turn_seconds": 30,
        "visibility": "tenant",
        "auto_rematch": False,
        "spectator_delay_seconds": 0,
        "deal_anchor": match["deal_anchor"],
        "seats": [
            {"seat": seat, "player": name, "team": seat % 2, "connected": False, "absent": False, "cards_left": 13}
            for seat, name in enumerate(CAST)
        ],
        "totals": [0, 0],
        "hand": {
            "number": 1,
            "deal": 1,
            "dealer": 3,
            "phase": "auction",
            "calls": [],
            "highest_bid": None,
            "doubled_by": None,
            "contract": None,
            "trick": None,
            "last_trick": None,
            "tricks_won": [0, 0],
        },
        "turn": {"seat": 0, "since": moment, "deadline": match["turn"]["deadline"], "seconds_left": 30.0},
        "server_now": moment,
        "you": None,
        "result": None,
        "previous_match": None,
        "next_match": None,
    }
    assert len(bytes.fromhex(match["deal_anchor"])) == 32
    assert datetime.fromisoformat(match["turn"]["deadline"]) - datetime.fromisoformat(moment) == timedelta(seconds=30)
    assert answer.headers["Location"] == f"/api/v1/matches/{match['id']}"
    assert answer.etag == '"7"'
    assert north.backend.see(match["id"]) | {"server_now": moment, "turn": match["turn"]} == match


def test_the_address_given_is_the_address_of_the_match(north: House) -> None:
    answer = north.backend.post("matches", FOUR)
    assert north.backend.get(answer.headers["Location"]).ok()["id"] == answer.json["id"]


@pytest.mark.parametrize(
    ("players", "seated"),
    [
        ([], [None, None, None, None]),
        (["amal"], ["amal", None, None, None]),
        ([None, "basim", None, "dina"], [None, "basim", None, "dina"]),
        (["amal", "basim", "carla", None], ["amal", "basim", "carla", None]),
    ],
)
def test_with_fewer_players_the_match_waits(north: House, players: list[Any], seated: list[Any]) -> None:
    match = north.backend.post("matches", {"players": players}).ok(201)
    assert (match["status"], match["hand"], match["turn"], match["result"]) == ("waiting", None, None, None)
    assert [seat["player"] for seat in match["seats"]] == seated
    assert [seat["cards_left"] for seat in match["seats"]] == [0, 0, 0, 0]
    assert match["version"] == 1 + sum(player is not None for player in players)


def test_the_body_may_be_empty(north: House) -> None:
    match = north.backend.post("matches", {}).ok(201)
    assert (match["status"], match["variant"], match["turn_seconds"]) == ("waiting", "classic", None)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_is_its_knobs(north: House, variant: str) -> None:
    match = north.backend.post("matches", FOUR | {"variant": variant}).ok(201)
    assert match["variant"] == variant
    assert match["rules"] == {"variant": variant, **CLASSIC, **VARIANTS[variant]}


@pytest.mark.parametrize(
    ("variant", "knobs"),
    [
        ("classic", {"target": 501, "no_trumps": False}),
        ("lebanese", {"direction": "clockwise", "dealer_may_match": False}),
        ("lebanese", {"dealer_must_bid": True}),
        ("egyptian", {"doubling": False, "no_trumps": False}),
        ("egyptian", {"double_defenders": True, "deal_style": "one_go"}),
        ("eram", {"target": 61}),
        ("classic", {"auction": "suit_bids", "doubling": True}),
        ("forced_dealer", {"auction": "single_round", "dealer_may_match": True}),
    ],
)
def test_knobs_override_the_variant(north: House, variant: str, knobs: dict[str, Any]) -> None:
    match = north.backend.post("matches", FOUR | {"variant": variant, **knobs}).ok(201)
    assert match["rules"] == {"variant": variant, **CLASSIC, **VARIANTS[variant], **knobs}


@pytest.mark.parametrize(
    ("body", "knob"),
    [
        ({"dealer_may_match": True}, "dealer_may_match"),
        ({"doubling": True}, "doubling"),
        ({"variant": "egyptian", "dealer_must_bid": True}, "dealer_must_bid"),
        ({"variant": "egyptian", "auction": "ascending"}, "doubling"),
        ({"variant": "lebanese", "auction": "ascending"}, "dealer_may_match"),
        ({"variant": "eram", "target": 35}, "target"),
        ({"variant": "eram", "target": 501}, "target"),
    ],
)
def test_rules_that_cannot_be_combined(north: House, body: dict[str, Any], knob: str) -> None:
    before = stored()
    assert north.backend.post("matches", FOUR | body).problem(422, "invalid_rules")["knob"] == knob
    assert stored() == before


@pytest.mark.parametrize("visibility", ["private", "tenant", "public"])
def test_the_room_is_as_asked(north: House, visibility: str) -> None:
    room = {"visibility": visibility, "turn_seconds": 86400, "auto_rematch": True, "spectator_delay_seconds": 3600}
    match = north.backend.post("matches", FOUR | room).ok(201)
    assert {name: match[name] for name in room} == room


def test_without_a_clock_there_is_no_deadline(north: House) -> None:
    match = north.backend.post("matches", FOUR | {"turn_seconds": None}).ok(201)
    assert match["turn_seconds"] is None
    assert (match["turn"]["deadline"], match["turn"]["seconds_left"]) == (None, None)


def test_a_player_opens_a_match_and_sees_their_own_cards(north: House) -> None:
    match = north.player("carla").post("matches", FOUR).ok(201)
    assert match["you"]["seat"] == 2
    assert len(match["you"]["holding"]) == 13


def test_a_player_may_open_a_match_for_others(north: House) -> None:
    assert north.player(SALMA).post("matches", FOUR).ok(201)["you"] is None


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"variant": "bridge"}, {"variant": "invalid_choice"}),
        ({"variant": 1}, {"variant": "wrong_type"}),
        ({"variant": None}, {"variant": "wrong_type"}),
        ({"target": 30}, {"target": "out_of_range"}),
        ({"target": 502}, {"target": "out_of_range"}),
        ({"target": -1}, {"target": "out_of_range"}),
        ({"target": 10**30}, {"target": "out_of_range"}),
        ({"target": "41"}, {"target": "wrong_type"}),
        ({"target": 41.5}, {"target": "wrong_type"}),
        ({"target": True}, {"target": "wrong_type"}),
        ({"target": None}, {"target": "wrong_type"}),
        ({"direction": "sideways"}, {"direction": "invalid_choice"}),
        ({"deal_style": ""}, {"deal_style": "invalid_choice"}),
        ({"auction": "dutch"}, {"auction": "invalid_choice"}),
        ({"no_trumps": 1}, {"no_trumps": "wrong_type"}),
        ({"doubling": "true"}, {"doubling": "wrong_type"}),
        ({"turn_seconds": 2}, {"turn_seconds": "out_of_range"}),
        ({"turn_seconds": 86401}, {"turn_seconds": "out_of_range"}),
        ({"turn_seconds": 0.5}, {"turn_seconds": "wrong_type"}),
        ({"visibility": "secret"}, {"visibility": "invalid_choice"}),
        ({"auto_rematch": None}, {"auto_rematch": "wrong_type"}),
        ({"spectator_delay_seconds": -1}, {"spectator_delay_seconds": "out_of_range"}),
        ({"spectator_delay_seconds": 3601}, {"spectator_delay_seconds": "out_of_range"}),
        ({"players": "amal"}, {"players": "wrong_type"}),
        ({"players": {"0": "amal"}}, {"players": "wrong_type"}),
        ({"players": [*CAST, SALMA]}, {"players": "out_of_range"}),
        ({"players": ["amal", 7]}, {"players.1": "wrong_type"}),
        ({"players": ["amal", ["basim"]]}, {"players.1": "wrong_type"}),
        ({"players": ["amal", ""]}, {"players.1": "out_of_range"}),
        ({"players": ["x" * 65]}, {"players.0": "out_of_range"}),
        ({"players": ["amal", None, "amal"]}, {"players.2": "duplicate"}),
        ({"players": [None, "a\nb"]}, {"players.1": "unprintable"}),
        ({"players": [None, "e\u0301"]}, {"players.1": "not_normalized"}),
        ({"players": [" amal"]}, {"players.0": "unprintable"}),
        ({"colour": "red"}, {"colour": "unknown_field"}),
        ({"first_dealer": 2, "seed": "00"}, {"first_dealer": "unknown_field", "seed": "unknown_field"}),
        (
            {"target": 7, "visibility": 3, "x": 0},
            {"target": "out_of_range", "visibility": "wrong_type", "x": "unknown_field"},
        ),
    ],
)
def test_a_body_that_does_not_fit(north: House, body: dict[str, Any], fields: dict[str, str]) -> None:
    before = stored()
    assert north.backend.post("matches", body).fields() == fields
    assert stored() == before


@pytest.mark.parametrize("name", ["أمل", "player 7", "a/b?c#d", "😀", "x" * 64])
def test_a_player_may_have_any_name_that_can_be_read(north: House, name: str) -> None:
    match = north.backend.post("matches", {"players": [name]}).ok(201)
    assert north.player(name).see(match["id"])["you"]["seat"] == 0


def test_it_takes_the_scope_play(north: House) -> None:
    before = stored()
    refusal = north.with_scopes("read", "manage").post("matches", FOUR).problem(403, "forbidden")
    assert refusal["required_scope"] == "play"
    north.with_scopes("play").post("matches", FOUR).ok(201)
    assert stored()["matches_stream"] == before["matches_stream"] + 1


@pytest.mark.parametrize("who", ["moderator", "nobody", "stranger"])
def test_who_may_not(north: House, who: str) -> None:
    callers = {"moderator": north.moderator(), "nobody": NOBODY, "stranger": Caller("tk_" + "a" * 12 + "_" + "b" * 43)}
    before = stored()
    status, code = (403, "forbidden") if who == "moderator" else (401, "not_authenticated")
    callers[who].post("matches", FOUR).problem(status, code)
    assert stored() == before


def test_every_tenant_has_its_own_players(north: House, south: House) -> None:
    theirs, ours = north.open_match(), south.open_match()
    assert north.player(OMAR).see(theirs["id"])["you"] is None
    north.backend.get(f"matches/{ours['id']}").problem(404, "not_found")
    south.player("amal").get(f"matches/{theirs['id']}").problem(404, "not_found")
    assert south.player("amal").see(ours["id"])["you"]["seat"] == 0
