"""The known cases of `cases/rules.json`, each carried out. How they are written stands in `cases/README.md`."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from matches.engine import legal_actions, rules_for, score, sheet
from matches.engine.cards import DECK, SUIT_MASK, Card, card_set, cards_in
from matches.engine.commands import PlaceBid
from matches.engine.dealing import dealt
from matches.engine.errors import RuleViolation
from matches.engine.seats import STEP
from matches.engine.state import Auction, Dealing, NamingTrump, Play
from matches.engine.tricks import legal_cards, trick_winner
from tests.cast import EngineMatch, call, player

Given = dict[str, Any]

CASES: list[Given] = json.loads((Path(__file__).parent / "cases" / "rules.json").read_text(encoding="utf-8"))
ALL_VARIANTS = ["classic", "eram", "egyptian", "clockwise", "one_go", "lebanese", "forced_dealer"]


def variants(case: Given) -> list[str]:
    return ALL_VARIANTS if case["variant"] == "all" else case["variant"].split(",")


def auction_outcome(variant: str, given: Given) -> Given:
    """What comes of the calls, in the words of the cases."""
    match = EngineMatch(rules_for(variant, direction=given["direction"]), first_dealer=given["dealer"])
    match.deal()
    rejected = []
    for place, spoken in enumerate(given["calls"]):
        try:
            match.give(player(spoken["seat"]), call(str(spoken["call"])))
        except RuleViolation:
            rejected.append(place)
    state = match.state
    outcome: Given = {"rejected": rejected}
    match state:
        case Auction():
            return outcome | {"status": "open", "turn": state.turn}
        case Dealing():
            return outcome | {"status": "thrown_in", "next_dealer": state.table.dealer}
        case NamingTrump():
            bid, trump, doubled = state.highest, None, False
            won = bid.seat, bid.tricks
        case Play():
            won = state.contract.declarer, state.contract.tricks
            trump, doubled = state.contract.trump, state.contract.doubled
        case _:
            raise AssertionError(state)
    return outcome | {
        "status": "contract",
        "declarer": won[0],
        "bid": won[1],
        "trump": trump,
        "doubled": doubled,
        "leader": state.turn,
    }


def auction(case: Given) -> Iterator[tuple[object, object]]:
    for variant in variants(case):
        yield auction_outcome(variant, case["input"]), case["expected"]


def auction_rows(case: Given) -> Iterator[tuple[object, object]]:
    for row, expected in zip(case["input"]["rows"], case["expected"]["rows"], strict=True):
        yield auction_outcome(row["variant"], row), expected


def bid_text(bid: PlaceBid) -> str:
    return f"{bid.tricks}{bid.trump}"


def call_order(case: Given) -> Iterator[tuple[object, object]]:
    match = EngineMatch(case["variant"])
    match.deal()
    order = [bid_text(bid) for bid in legal_actions(match.state, 1) if isinstance(bid, PlaceBid)]
    expected = case["expected"]
    yield order, expected["order"]
    yield (order[0], order[-1], len(order)), (expected["lowest"], expected["highest"], expected["count"])
    for (later, earlier), allowed in zip(case["input"]["overcalls"], expected["overcalls"], strict=True):
        other = EngineMatch(case["variant"])
        other.deal()
        other.calls(earlier)
        yield (later, earlier, call(later) in legal_actions(other.state, 2)), (later, earlier, allowed)


def trick(case: Given) -> Iterator[tuple[object, object]]:
    plays = case["input"]["plays"]
    winner = trick_winner(
        [play["card"] for play in plays],
        plays[0]["seat"],
        STEP["counterclockwise"],
        SUIT_MASK[case["input"]["trump"]],
    )
    yield winner, case["expected"]["winner"]


def cards_that_follow(case: Given) -> Iterator[tuple[object, object]]:
    for row, expected in zip(case["input"]["rows"], case["expected"]["rows"], strict=True):
        # The cases name a suit, the engine is told the card that was led.
        led: Card | None = None if row["led"] is None else next(card for card in DECK if card[1] == row["led"])
        yield set(cards_in(legal_cards(card_set(row["hand"]), led))), set(expected)


def hand_scores(case: Given) -> Iterator[tuple[object, object]]:
    for variant in variants(case):
        for row, expected in zip(case["input"]["rows"], case["expected"]["rows"], strict=True):
            points = score(
                rules_for(variant), declarer_team=1, bid=row["bid"], won=row["tricks"], doubled=row["doubled"]
            )
            yield points, (expected["defenders"], expected["declarer_team"])


def debt_sheet(case: Given) -> Iterator[tuple[object, object]]:
    rules = rules_for(case["variant"])
    book = sheet(
        score(rules, declarer_team=deal["declarer_team"], bid=deal["bid"], won=deal["tricks"], doubled=False)
        for deal in case["input"]["deals"]
    )
    expected = case["expected"]
    for team in (0, 1):
        yield [row.entries[team] for row in book.rows], expected["entries"][str(team)]
        yield book.teams[team].line, expected["lines"][str(team)]
        yield book.teams[team].debt, expected["debts"][str(team)]
        yield book.teams[team].signed, expected["signed"][str(team)]


def deal(case: Given) -> Iterator[tuple[object, object]]:
    for row, expected in zip(case["input"]["rows"], case["expected"]["rows"], strict=True):
        holdings = dealt(DECK, case["input"]["dealer"], rules_for("classic", **row))
        yield {str(seat): [DECK.index(card) for card in holdings[seat]] for seat in range(4)}, expected


def dealer_rotation(case: Given) -> Iterator[tuple[object, object]]:
    for variant in variants(case):
        for row, expected in zip(case["input"]["rows"], case["expected"]["rows"], strict=True):
            match = EngineMatch(rules_for(variant, target=61, **row), first_dealer=case["input"]["first_dealer"])
            dealers = []
            for course in case["input"]["hands"]:
                dealers.append(match.state.table.dealer)
                if course == "thrown_in":
                    match.deal()
                    match.calls("pass", "pass", "pass", "pass")
                else:
                    match.hand_of(declarer=0, bid=7, trump="S")
            yield dealers, expected


KINDS: dict[str, Callable[[Given], Iterator[tuple[object, object]]]] = {
    "auction": auction,
    "auction_rows": auction_rows,
    "call_order": call_order,
    "trick": trick,
    "legal_cards": cards_that_follow,
    "score": hand_scores,
    "debt_sheet": debt_sheet,
    "deal": deal,
    "dealer_rotation": dealer_rotation,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['kind']}")
def test_known_case(case: Given) -> None:
    compared = list(KINDS[case["kind"]](case))
    assert compared
    for found, expected in compared:
        assert found == expected


def test_every_kind_of_case_is_there() -> None:
    assert {case["kind"] for case in CASES} == set(KINDS)
    assert len({case["id"] for case in CASES}) == len(CASES) == 19
