"""R-AUC-9: one call each, the dealer last."""

import pytest

from matches.engine import legal_actions, rules_for
from matches.engine.commands import Pass, PlaceBid
from matches.engine.errors import BidTooLow, MustBid, NotYourTurn, WrongPhase
from matches.engine.events import HandThrownIn, Passed
from matches.engine.state import Auction, Dealing, NamingTrump
from tests.cast import EngineMatch, player


def auction(**knobs: object) -> EngineMatch:
    match = EngineMatch(rules_for("lebanese", **knobs))
    match.deal()
    return match


def test_R_AUC_9_each_seat_has_exactly_one_call() -> None:
    match = auction()
    spoke = []
    for text in ("7", "pass", "8", "pass"):
        spoke.append(match.turn)
        assert isinstance(match.state, Auction)
        match.calls(text)
    assert spoke == [1, 2, 3, 0]
    assert isinstance(match.state, NamingTrump)
    assert match.turn == 3
    match.refused(WrongPhase, player(3), PlaceBid(9))
    match.refused(NotYourTurn, player(1), PlaceBid(9))


@pytest.mark.parametrize("tricks", [7, 8])
def test_R_AUC_9_a_bid_must_beat_the_highest(tricks: int) -> None:
    match = auction()
    match.calls("8")
    error = match.refused(BidTooLow, player(2), PlaceBid(tricks))
    assert error.explanation() == {"highest_bid": {"tricks": 8, "trump": None}}
    assert legal_actions(match.state, 2) == (*(PlaceBid(higher) for higher in range(9, 14)), Pass())


def test_R_AUC_9_the_dealer_may_bid_the_same_and_takes_it_over() -> None:
    match = auction()
    match.calls("pass", "9", "pass")
    assert legal_actions(match.state, 0) == (*(PlaceBid(tricks) for tricks in range(9, 14)), Pass())
    match.calls("9")
    assert isinstance(match.state, NamingTrump)
    assert (match.state.highest.seat, match.state.highest.tricks) == (0, 9)


def test_R_AUC_9_the_dealer_may_not_bid_lower() -> None:
    match = auction()
    match.calls("9", "pass", "pass")
    match.refused(BidTooLow, player(0), PlaceBid(8))


@pytest.mark.parametrize("holder", [1, 2, 3])
@pytest.mark.parametrize("tricks", [7, 10, 13])
def test_R_AUC_9_reading_the_dealer_may_match_anybody_partner_included_and_thirteen_too(
    holder: int, tricks: int
) -> None:
    match = auction()
    for seat in (1, 2, 3):
        match.calls(str(tricks) if seat == holder else "pass")
    match.calls(str(tricks))
    assert isinstance(match.state, NamingTrump)
    assert match.turn == 0


def test_R_AUC_9_without_dealer_may_match_the_dealer_must_beat_it_too() -> None:
    match = auction(dealer_may_match=False)
    match.calls("9", "pass", "pass")
    match.refused(BidTooLow, player(0), PlaceBid(9))
    assert legal_actions(match.state, 0) == (*(PlaceBid(tricks) for tricks in range(10, 14)), Pass())


def test_R_AUC_9_only_the_dealer_may_match() -> None:
    match = auction()
    match.calls("8")
    match.refused(BidTooLow, player(2), PlaceBid(8))
    match.calls("pass")
    match.refused(BidTooLow, player(3), PlaceBid(8))


def test_R_AUC_9_who_has_spoken_is_told_whose_turn_it_is() -> None:
    match = auction()
    match.calls("pass")
    match.refused(NotYourTurn, player(1), PlaceBid(7))
    match.refused(NotYourTurn, player(1), Pass())


def test_R_AUC_9_the_highest_bid_wins() -> None:
    match = auction()
    match.calls("7", "10", "pass", "pass")
    assert match.turn == 2


def test_R_AUC_9_all_pass_throws_the_hand_in() -> None:
    match = auction()
    assert match.calls("pass", "pass", "pass", "pass") == (Passed(0), HandThrownIn(1, 1))
    assert isinstance(match.state, Dealing)


def test_R_AUC_9_all_pass_is_impossible_with_dealer_must_bid() -> None:
    match = auction(dealer_must_bid=True)
    match.calls("pass", "pass", "pass")
    match.refused(MustBid, player(0), Pass())
    assert legal_actions(match.state, 0) == tuple(PlaceBid(tricks) for tricks in range(7, 14))
    match.calls("7")
    assert isinstance(match.state, NamingTrump)


def test_R_AUC_9_with_dealer_must_bid_the_dealer_may_pass_a_bid() -> None:
    match = auction(dealer_must_bid=True)
    match.calls("pass", "7", "pass", "pass")
    assert match.turn == 2
