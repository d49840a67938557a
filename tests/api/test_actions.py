"""`POST /matches/{id}/actions`: what is accepted, what comes back, and every refusal of the rules."""

from typing import Any
from uuid import uuid4

import pytest

from matches import event_store
from matches.engine import dealing
from matches.engine.cards import DECK
from matches.engine.errors import DealsExhausted
from tests.api.callers import Caller, House, stored
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import OMAR, SALMA, holdings_with

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
    assert done["events"][2]["data"]["holding"] == done["match"]["you"]["holding"][:0] + own_cards(done["match"])
    assert done["version"] == done["receipt"]["version"] == done["match"]["version"] == 13


def own_cards(match: dict[str, Any]) -> list[str]:
    """The viewer's thirteen spades in the order in which `whole_suits` deals them."""
    holding: list[str] = match["you"]["holding"]
    assert len(holding) == 13
    return holding


def test_the_last_card_scores_the_hand_and_the_last_hand_wins_the_match(north: House, chance: Chance) -> None:
    game = Game(north).call("13").name("C").play_out(hands=1)
    game.call("pass", "pass", "pass", "13").name("C")
    while len(north.backend.see(game.id)["hand"]["last_trick"] or []) == 0 or game.version < 0:
        game.act(game.legal()[0])
    while True:
        done = game.act(game.legal()[0]).json
        if game.turn is None:
            break
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


# What the rules refuse: every class that can be met here, with the fields that explain it


def at_the_start(north: House, **body: Any) -> Game:
    """amal, first of all, is to speak."""
    return Game(north, **body)


REFUSALS: list[tuple[str, dict[str, Any], list[str], dict[str, Any], int, str, dict[str, Any]]] = [
    # (what, body of the match, calls before, action of whose turn it is, status, code, facts)
    ("six", {}, [], {"type": "bid", "tricks": 6}, 422, "bid_out_of_range", {"tricks": 6, "lowest": 7, "highest": 13}),
    ("fourteen", {}, [], {"type": "bid", "tricks": 14}, 422, "bid_out_of_range", {"tricks": 14}),
    ("minus", {}, [], {"type": "bid", "tricks": -8}, 422, "bid_out_of_range", {"tricks": -8}),
    ("equal", {}, ["8"], BID_8, 422, "bid_too_low", {"highest_bid": {"tricks": 8, "trump": None}}),
    ("lower", {}, ["9"], BID_8, 422, "bid_too_low", {"highest_bid": {"tricks": 9, "trump": None}}),
    (
        "lower suit",
        {"variant": "egyptian"},
        ["8H"],
        {"type": "bid", "tricks": 8, "trump": "C"},
        422,
        "bid_too_low",
        {"highest_bid": {"tricks": 8, "trump": "H"}},
    ),
    ("no suit", {"variant": "egyptian"}, [], BID_8, 422, "trump_required", {}),
    ("a suit", {}, [], BID_8 | {"trump": "H"}, 422, "trump_not_allowed", {"trump": "H"}),
    (
        "no trumps bid",
        {"variant": "egyptian", "no_trumps": False},
        [],
        BID_8 | {"trump": "NT"},
        422,
        "trump_not_allowed",
        {"trump": "NT"},
    ),
    ("forced", {"variant": "forced_dealer"}, ["pass"] * 3, PASS, 422, "must_bid", {}),
    ("no doubling", {}, ["8"], {"type": "double"}, 422, "double_not_allowed", {}),
    ("nothing to double", {"variant": "egyptian"}, [], {"type": "double"}, 422, "double_not_allowed", {}),
    ("partner's bid", {"variant": "egyptian"}, ["8H", "pass"], {"type": "double"}, 422, "double_not_allowed", {}),
    (
        "doubled already",
        {"variant": "egyptian"},
        ["8H", "double", "pass"],
        {"type": "double"},
        422,
        "double_not_allowed",
        {},
    ),
    ("a card in the auction", {}, [], {"type": "play", "card": "AC"}, 409, "wrong_phase", {"phase": "auction"}),
    ("trump in the auction", {}, [], {"type": "name_trump", "trump": "C"}, 409, "wrong_phase", {"phase": "auction"}),
    (
        "a bid while trump is named",
        {},
        ["8", "pass", "pass", "pass"],
        {"type": "bid", "tricks": 9},
        409,
        "wrong_phase",
        {"phase": "naming_trump"},
    ),
    (
        "no trumps named",
        {"variant": "eram"},
        ["8", "pass", "pass", "pass"],
        {"type": "name_trump", "trump": "NT"},
        422,
        "trump_not_allowed",
        {"trump": "NT"},
    ),
]


@pytest.mark.parametrize(
    ("body", "calls", "action", "status", "code", "facts"),
    [pytest.param(*row[1:], id=row[0]) for row in REFUSALS],
)
def test_a_call_that_the_rules_refuse(
    north: House,
    chance: Chance,
    body: dict[str, Any],
    calls: list[str],
    action: dict[str, Any],
    status: int,
    code: str,
    facts: dict[str, Any],
) -> None:
    game = Game(north, **body).call(*calls)
    before = stored()
    problem = game.next_up.act(game.id, action).problem(status, code)
    assert {name: problem[name] for name in facts} == facts
    assert stored() == before
    assert game.next_up.see(game.id)["version"] == game.version


def test_not_your_turn(north: House, chance: Chance) -> None:
    game = Game(north)
    before = stored()
    for seat in (1, 2, 3):
        problem = north.four[seat].act(game.id, BID_8).problem(409, "not_your_turn")
        assert (problem["seat"], problem["turn"]) == (seat, 0)
    assert stored() == before


def test_a_pass_is_final(north: House, chance: Chance) -> None:
    game = Game(north).call("pass", "8")
    before = stored()
    for action in (PASS, {"type": "bid", "tricks": 9}):
        assert north.player("amal").act(game.id, action).problem(422, "already_passed")["seat"] == 0
    assert stored() == before


def test_suit_must_be_followed(north: House, chance: Chance) -> None:
    chance.holdings = holdings_with("AC", "KC 2D", "QC", "JC")
    game = Game(north).call("8", "pass", "pass", "pass").name("C").play("AC")
    before = stored()
    problem = game.next_up.act(game.id, {"type": "play", "card": "2D"}).problem(422, "must_follow_suit")
    assert (problem["card"], problem["suit"]) == ("2D", "C")
    assert stored() == before


def test_a_card_must_be_held(north: House, chance: Chance) -> None:
    game = Game(north).call("8", "pass", "pass", "pass").name("C").play("AC")
    before = stored()
    for card in ("AC", "2C", "AS", "AH"):
        problem = game.next_up.act(game.id, {"type": "play", "card": card}).problem(422, "card_not_in_holding")
        assert problem["card"] == card
    assert stored() == before


@pytest.mark.parametrize("card", DECK[::5])
def test_a_refusal_says_the_same_wherever_the_card_lies(north: House, chance: Chance, card: str) -> None:
    """Whether partner, an opponent or the trick before has it: a problem tells nothing of cards not one's own."""
    game = Game(north).call("8", "pass", "pass", "pass").name("C").play("AC 2D 2H 2S 3C")
    problem = game.next_up.act(game.id, {"type": "play", "card": card})
    if card[1] == "D" and card != "2D":
        assert problem.status == 201
        return
    assert problem.problem(422, "card_not_in_holding") == {
        "type": "/problems/card_not_in_holding",
        "title": problem.json["title"],
        "status": 422,
        "detail": f"You do not hold {card}.",
        "code": "card_not_in_holding",
        "card": card,
    }


def test_before_the_start(north: House) -> None:
    match = north.open_match(["amal", "basim"])
    before = stored()
    assert north.player("amal").act(match["id"], BID_8).problem(409, "match_not_started")["phase"] == "waiting"
    assert stored() == before


def test_after_the_end(north: House) -> None:
    game = Game(north)
    north.backend.post(f"{game.path}/abandon", {"reason": "rain"}).ok()
    before = stored()
    for caller in north.four:
        caller.act(game.id, BID_8).problem(409, "match_over")
    assert stored() == before


def test_when_the_secrets_for_deals_have_run_out(north: House, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(north).call("pass", "pass", "pass")

    def exhausted(_seed: bytes, number: int) -> bytes:
        raise DealsExhausted(number)

    monkeypatch.setattr(dealing, "nth_secret", exhausted)
    before = stored()
    assert game.next_up.act(game.id, PASS).problem(422, "deals_exhausted")["deals"] == 2
    assert stored() == before


# What cannot be read


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"type": "required"}),
        ({"type": None}, {"type": "required"}),
        ({"type": "shuffle"}, {"type": "invalid_choice"}),
        ({"type": "card_played", "card": "AC"}, {"type": "invalid_choice"}),
        ({"type": "hand_dealt"}, {"type": "invalid_choice"}),
        ({"type": ["bid"]}, {"type": "invalid_choice"}),
        ({"type": 5, "tricks": 8}, {"type": "invalid_choice"}),
        ({"type": "BID", "tricks": 8}, {"type": "invalid_choice"}),
        ({"type": "bid"}, {"tricks": "required"}),
        ({"type": "bid", "tricks": None}, {"tricks": "wrong_type"}),
        ({"type": "bid", "tricks": "8"}, {"tricks": "wrong_type"}),
        ({"type": "bid", "tricks": 7.5}, {"tricks": "wrong_type"}),
        ({"type": "bid", "tricks": True}, {"tricks": "wrong_type"}),
        ({"type": "bid", "tricks": [8]}, {"tricks": "wrong_type"}),
        ({"type": "bid", "tricks": 8, "trump": "X"}, {"trump": "invalid_choice"}),
        ({"type": "bid", "tricks": 8, "trump": 3}, {"trump": "wrong_type"}),
        ({"type": "bid", "tricks": 8, "seat": 2}, {"seat": "unknown_field"}),
        ({"type": "pass", "seat": 1}, {"seat": "unknown_field"}),
        ({"type": "pass", "tricks": 8}, {"tricks": "unknown_field"}),
        ({"type": "pass", "by": "clock", "player": "amal"}, {"by": "unknown_field", "player": "unknown_field"}),
        ({"type": "double", "trump": "H"}, {"trump": "unknown_field"}),
        ({"type": "name_trump"}, {"trump": "required"}),
        ({"type": "name_trump", "trump": None}, {"trump": "wrong_type"}),
        ({"type": "name_trump", "trump": "hearts"}, {"trump": "invalid_choice"}),
        ({"type": "play"}, {"card": "required"}),
        ({"type": "play", "card": "1C"}, {"card": "invalid_choice"}),
        ({"type": "play", "card": "10C"}, {"card": "invalid_choice"}),
        ({"type": "play", "card": "as"}, {"card": "invalid_choice"}),
        ({"type": "play", "card": "SA"}, {"card": "invalid_choice"}),
        ({"type": "play", "card": "A♠"}, {"card": "invalid_choice"}),
        ({"type": "play", "card": ""}, {"card": "invalid_choice"}),
        ({"type": "play", "card": 0}, {"card": "wrong_type"}),
        ({"type": "play", "card": ["AS", "KS"]}, {"card": "wrong_type"}),
        ({"type": "play", "cards": ["AS"]}, {"card": "required", "cards": "unknown_field"}),
    ],
)
def test_a_body_that_is_no_action(north: House, body: dict[str, Any], fields: dict[str, str]) -> None:
    game = Game(north)
    before = stored()
    assert game.next_up.act(game.id, body).fields() == fields
    assert stored() == before


@pytest.mark.parametrize("tricks", [2**31, 2**53, 2**63, 2**64, -(2**64), 10**300])
def test_a_number_without_measure(north: House, tricks: int) -> None:
    game = Game(north)
    before = stored()
    answer = game.next_up.act(game.id, {"type": "bid", "tricks": tricks})
    assert answer.status in {400, 422}
    answer.problem(answer.status, "bid_out_of_range" if answer.status == 422 else "invalid")
    assert stored() == before


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
