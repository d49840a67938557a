"""R-AUC-10 to R-AUC-12: number and suit together, doubling, and the circuit that ends it."""

from typing import get_args

import pytest

from matches.engine import legal_actions, rules_for
from matches.engine.cards import Trump
from matches.engine.commands import Double, Pass, PlaceBid
from matches.engine.errors import (
    BidOutOfRange,
    BidTooLow,
    DoubleNotAllowed,
    NotYourTurn,
    TrumpNotAllowed,
    TrumpRequired,
)
from matches.engine.events import Doubled, HandThrownIn, Passed
from matches.engine.state import Auction, Contract, Dealing, Play
from tests.cast import EngineMatch, call, player

ORDER: tuple[Trump, ...] = ("C", "D", "H", "S", "NT")
ALL_BIDS = tuple(PlaceBid(tricks, suit) for tricks in range(7, 14) for suit in ORDER)


def auction(**knobs: object) -> EngineMatch:
    match = EngineMatch(rules_for("egyptian", **knobs))
    match.deal()
    return match


def contract(match: EngineMatch) -> Contract:
    """What was agreed; the auction must be over."""
    assert isinstance(match.state, Play)
    return match.state.contract


def test_R_AUC_10_there_are_thirty_five_bids_from_seven_clubs_to_thirteen_no_trumps() -> None:
    assert set(ORDER) == set(get_args(Trump))
    match = auction()
    assert legal_actions(match.state, 1) == (*ALL_BIDS, Pass())
    assert len(ALL_BIDS) == 35


@pytest.mark.parametrize("place", range(35))
def test_R_AUC_10_every_higher_bid_and_no_other_beats_one(place: int) -> None:
    match = auction()
    match.act(ALL_BIDS[place])
    assert legal_actions(match.state, 2) == (*ALL_BIDS[place + 1 :], Pass(), Double())
    for lower in ALL_BIDS[: place + 1]:
        error = match.refused(BidTooLow, player(2), lower)
        assert error.explanation() == {
            "highest_bid": {"tricks": ALL_BIDS[place].tricks, "trump": ALL_BIDS[place].trump}
        }


def test_R_AUC_10_a_bid_names_its_suit() -> None:
    match = auction()
    assert match.refused(TrumpRequired, player(1), PlaceBid(8)).code == "trump_required"


@pytest.mark.parametrize("tricks", [6, 14])
def test_R_AUC_10_the_number_is_seven_to_thirteen(tricks: int) -> None:
    auction().refused(BidOutOfRange, player(1), PlaceBid(tricks, "S"))


def test_R_AUC_10_without_no_trumps_spades_are_the_highest_and_there_are_twenty_eight_bids() -> None:
    match = auction(no_trumps=False)
    bids = tuple(bid for bid in ALL_BIDS if bid.trump != "NT")
    assert legal_actions(match.state, 1) == (*bids, Pass())
    error = match.refused(TrumpNotAllowed, player(1), PlaceBid(9, "NT"))
    assert error.explanation() == {"trump": "NT"}


def test_R_AUC_11_a_pass_or_a_double_does_not_stop_a_later_bid() -> None:
    match = auction()
    match.calls("pass", "7C", "double", "pass", "7D", "pass", "8C", "pass")
    assert isinstance(match.state, Auction)
    assert match.turn == 1
    match.calls("8D")
    assert [made.seat for made in match.state.calls if made.type == "bid"] == [2, 1, 3, 1]


def test_R_AUC_11_who_has_passed_is_told_of_the_turn_and_the_bid_not_of_the_pass() -> None:
    match = auction()
    match.calls("pass", "9H")
    match.refused(NotYourTurn, player(1), PlaceBid(10, "C"))
    match.calls("pass", "pass")
    match.refused(BidTooLow, player(1), PlaceBid(9, "D"))
    match.calls("double")
    match.refused(NotYourTurn, player(1), Pass())


def test_R_AUC_11_four_calls_that_are_no_bids_end_it() -> None:
    match = auction()
    match.calls("7C", "pass", "pass", "pass")
    assert isinstance(match.state, Auction)
    assert match.turn == 1
    match.calls("pass")
    assert contract(match) == Contract(1, 7, "C", doubled=False)


def test_R_AUC_11_the_last_bidder_speaks_again_and_may_raise_themselves() -> None:
    match = auction()
    match.calls("7C", "pass", "pass", "pass", "8C")
    assert isinstance(match.state, Auction)
    match.calls("pass", "pass", "pass", "pass")
    assert contract(match) == Contract(1, 8, "C", doubled=False)


def test_R_AUC_11_a_bid_begins_the_circuit_anew() -> None:
    match = auction()
    match.calls("pass", "pass", "pass", "7C", "pass", "pass", "pass")
    assert isinstance(match.state, Auction)
    match.calls("pass")
    assert contract(match) == Contract(0, 7, "C", doubled=False)


def test_R_AUC_11_four_passes_at_the_start_throw_the_hand_in() -> None:
    match = auction()
    assert match.calls("pass", "pass", "pass", "pass") == (Passed(0), HandThrownIn(1, 1))
    assert isinstance(match.state, Dealing)


def test_R_AUC_6_thirteen_clubs_can_be_overcalled() -> None:
    match = auction()
    match.calls("13C")
    assert isinstance(match.state, Auction)
    match.calls("13NT")
    assert isinstance(match.state, Auction)


def test_R_AUC_6_thirteen_no_trumps_stays_open_for_a_double_and_closes_with_the_last_who_could() -> None:
    match = auction()
    match.calls("13NT")
    assert legal_actions(match.state, 2) == (Pass(), Double())
    match.calls("pass")
    assert legal_actions(match.state, 3) == (Pass(),)
    match.calls("pass")
    assert legal_actions(match.state, 0) == (Pass(), Double())
    match.calls("pass")
    assert contract(match) == Contract(1, 13, "NT", doubled=False)


@pytest.mark.parametrize("before", [(), ("pass", "pass")])
def test_R_AUC_6_thirteen_no_trumps_doubled_closes_at_once(before: tuple[str, ...]) -> None:
    match = auction()
    match.calls("13NT", *before, "double")
    assert contract(match) == Contract(1, 13, "NT", doubled=True)


def test_R_AUC_6_thirteen_no_trumps_closes_at_once_without_doubling() -> None:
    match = auction(doubling=False)
    match.calls("pass", "13NT")
    assert contract(match) == Contract(2, 13, "NT", doubled=False)


def test_R_AUC_6_thirteen_spades_is_the_last_word_without_no_trumps() -> None:
    match = auction(no_trumps=False, doubling=False)
    match.calls("13H")
    assert isinstance(match.state, Auction)
    match.calls("13S")
    assert contract(match) == Contract(2, 13, "S", doubled=False)
    match = auction(no_trumps=False)
    match.calls("13S", "double")
    assert contract(match) == Contract(1, 13, "S", doubled=True)


def test_R_AUC_6_thirteen_spades_is_not_the_last_word_with_no_trumps() -> None:
    match = auction(doubling=False)
    match.calls("13S")
    assert isinstance(match.state, Auction)
    assert legal_actions(match.state, 2) == (PlaceBid(13, "NT"), Pass())


@pytest.mark.parametrize("opponent", [2, 0])
def test_R_AUC_12_an_opponent_may_double_the_last_bid(opponent: int) -> None:
    match = auction()
    match.calls("9H", *(["pass", "pass"] if opponent == 0 else []))
    assert match.turn == opponent
    assert match.act(Double()) == (Doubled(opponent),)
    assert isinstance(match.state, Auction)
    assert match.state.doubled_by == opponent


def test_R_AUC_12_nobody_may_double_where_nothing_was_bid() -> None:
    match = auction()
    assert match.refused(DoubleNotAllowed, player(1), Double()).code == "double_not_allowed"
    match.calls("pass")
    match.refused(DoubleNotAllowed, player(2), Double())


def test_R_AUC_12_neither_the_bidder_nor_the_partner_may_double() -> None:
    match = auction()
    match.calls("9H", "pass")
    match.refused(DoubleNotAllowed, player(3), Double())
    match.calls("pass", "pass")
    match.refused(DoubleNotAllowed, player(1), Double())


@pytest.mark.parametrize("seat", [3, 0, 1])
def test_R_AUC_12_reading_no_stacking_and_no_redouble(seat: int) -> None:
    match = auction()
    match.calls("9H", "double", *["pass"] * ((seat - 3) % 4))
    assert match.turn == seat
    match.refused(DoubleNotAllowed, player(seat), Double())
    assert Double() not in legal_actions(match.state, seat)


def test_R_AUC_12_a_double_does_not_restart_the_circuit() -> None:
    match = auction()
    match.calls("9H", "pass", "pass", "double")
    assert isinstance(match.state, Auction)
    assert match.turn == 1
    match.calls("pass")
    assert contract(match) == Contract(1, 9, "H", doubled=True)


def test_R_AUC_12_a_later_bid_cancels_the_double() -> None:
    match = auction()
    match.calls("9H", "double", "9S")
    assert isinstance(match.state, Auction)
    assert match.state.doubled_by is None
    match.calls("pass", "pass", "pass", "pass")
    assert contract(match) == Contract(3, 9, "S", doubled=False)


def test_R_AUC_12_the_new_bid_can_be_doubled_again() -> None:
    match = auction()
    match.calls("9H", "double", "9S", "double", "pass", "pass", "pass")
    assert contract(match) == Contract(3, 9, "S", doubled=True)


def test_R_AUC_12_without_the_knob_there_is_no_double() -> None:
    match = auction(doubling=False)
    match.calls("9H")
    match.refused(DoubleNotAllowed, player(2), call("double"))
    assert Double() not in legal_actions(match.state, 2)
