"""Actions that are refused: by the rules, each class with the fields that explain it, and for what cannot be read."""

from typing import Any

import pytest

from matches.engine import dealing
from matches.engine.cards import DECK
from matches.engine.errors import DealsExhausted
from tests.api.callers import House, stored
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import holdings_with

BID_8 = {"type": "bid", "tricks": 8}
PASS = {"type": "pass"}

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
