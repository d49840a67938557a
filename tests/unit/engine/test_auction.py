"""R-AUC-1 to R-AUC-8: the auction by number, its end, and the trump that follows it."""

import pytest

from matches.engine import legal_actions, rules_for
from matches.engine.commands import NameTrump, Pass, PlaceBid, PlayCard
from matches.engine.errors import (
    AlreadyPassed,
    BidOutOfRange,
    BidTooLow,
    DoubleNotAllowed,
    MustBid,
    NotYourTurn,
    TrumpNotAllowed,
    WrongPhase,
)
from matches.engine.events import BidPlaced, HandThrownIn, Passed, TrumpNamed
from matches.engine.state import Auction, Contract, Dealing, NamingTrump, Play
from tests.cast import EngineMatch, call, player


def auction(variant: str = "classic", *, dealer: int = 0, **knobs: object) -> EngineMatch:
    """A match in which the first hand has just been dealt."""
    match = EngineMatch(rules_for(variant, **knobs), first_dealer=dealer)
    match.deal()
    return match


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize(("variant", "step"), [("classic", 1), ("clockwise", -1)])
def test_R_AUC_1_the_seat_after_the_dealer_speaks_first(variant: str, step: int, dealer: int) -> None:
    match = auction(variant, dealer=dealer)
    assert match.turn == (dealer + step) % 4
    for other in {0, 1, 2, 3} - {match.turn}:
        error = match.refused(NotYourTurn, player(other), PlaceBid(7))
        assert error.explanation() == {"seat": other, "turn": match.turn}


@pytest.mark.parametrize("tricks", [-1, 0, 1, 6, 14, 15, 130])
def test_R_AUC_1_a_bid_outside_seven_to_thirteen_is_refused(tricks: int) -> None:
    match = auction()
    error = match.refused(BidOutOfRange, player(1), PlaceBid(tricks))
    assert error.explanation() == {"tricks": tricks, "lowest": 7, "highest": 13}


def test_R_AUC_1_seven_to_thirteen_can_be_bid_and_are_offered_low_to_high() -> None:
    match = auction()
    assert legal_actions(match.state, 1) == (*(PlaceBid(tricks) for tricks in range(7, 14)), Pass())


def test_R_AUC_2_a_higher_bid_is_taken() -> None:
    match = auction()
    assert match.calls("7", "9") == (BidPlaced(2, 9),)
    assert legal_actions(match.state, 3) == (*(PlaceBid(tricks) for tricks in range(10, 14)), Pass())


@pytest.mark.parametrize("tricks", [7, 8, 9])
def test_R_AUC_2_an_equal_or_lower_bid_is_refused(tricks: int) -> None:
    match = auction()
    match.calls("9")
    error = match.refused(BidTooLow, player(2), PlaceBid(tricks))
    assert error.explanation() == {"highest_bid": {"tricks": 9, "trump": None}}


def test_R_AUC_3_the_turn_skips_who_has_passed() -> None:
    match = auction()
    match.calls("7", "pass", "8", "pass")
    assert match.turn == 1
    match.calls("9")
    assert match.turn == 3
    match.calls("10")
    assert match.turn == 1


@pytest.mark.parametrize("text", ["12", "pass"])
def test_R_AUC_3_a_pass_is_final(text: str) -> None:
    match = auction()
    match.calls("7", "pass", "8")
    error = match.refused(AlreadyPassed, player(2), call(text))
    assert error.explanation() == {"seat": 2}
    assert legal_actions(match.state, 2) == ()


def test_R_AUC_3_a_pass_is_forgotten_in_the_next_hand() -> None:
    match = auction()
    match.calls("pass", "pass", "pass", "pass")
    match.deal()
    assert match.calls("7") == (BidPlaced(1, 7),)


@pytest.mark.parametrize(
    ("calls", "declarer", "tricks"),
    [
        (("7", "pass", "pass", "pass"), 1, 7),
        (("pass", "7", "pass", "pass"), 2, 7),
        (("7", "8", "pass", "pass", "9", "pass"), 1, 9),
        (("7", "8", "9", "10", "pass", "pass", "pass"), 0, 10),
    ],
)
def test_R_AUC_4_three_passes_give_the_fourth_the_contract(calls: tuple[str, ...], declarer: int, tricks: int) -> None:
    match = auction()
    match.calls(*calls[:-1])
    assert isinstance(match.state, Auction)
    match.calls(calls[-1])
    assert isinstance(match.state, NamingTrump)
    assert (match.state.highest.seat, match.state.highest.tricks) == (declarer, tricks)
    assert match.turn == declarer


def test_R_AUC_4_two_passes_and_a_bid_do_not_end_it() -> None:
    match = auction()
    match.calls("7", "pass", "pass")
    assert isinstance(match.state, Auction)
    assert match.turn == 0


def test_R_AUC_5_four_passes_throw_the_hand_in() -> None:
    match = auction()
    match.calls("pass", "pass", "pass")
    assert isinstance(match.state, Auction)
    assert match.calls("pass") == (Passed(0), HandThrownIn(1, 1))
    assert isinstance(match.state, Dealing)


@pytest.mark.parametrize("tricks", range(7, 14))
@pytest.mark.parametrize("variant", ["classic", "eram", "lebanese", "forced_dealer"])
def test_R_AUC_5_the_last_player_may_still_bid_which_ends_it_at_once(variant: str, tricks: int) -> None:
    match = auction(variant)
    match.calls("pass", "pass", "pass")
    assert PlaceBid(tricks) in legal_actions(match.state, 0)
    match.calls(str(tricks))
    assert isinstance(match.state, NamingTrump)
    assert match.turn == 0


@pytest.mark.parametrize("before", [(), ("7",), ("7", "12"), ("7", "pass", "8", "9")])
def test_R_AUC_6_a_thirteen_ends_an_ascending_auction(before: tuple[str, ...]) -> None:
    match = auction()
    match.calls(*before)
    bidder = match.turn
    match.calls("13")
    assert isinstance(match.state, NamingTrump)
    assert match.turn == bidder
    for seat in {0, 1, 2, 3} - {bidder}:
        match.refused(NotYourTurn, player(seat), Pass())
    match.refused(WrongPhase, player(bidder), Pass())


def test_R_AUC_6_a_thirteen_ends_a_single_round_one_that_nobody_can_match() -> None:
    match = auction("lebanese", dealer_may_match=False)
    match.calls("7", "13")
    assert isinstance(match.state, NamingTrump)
    assert match.turn == 2


def test_R_AUC_6_a_thirteen_that_the_dealer_may_match_leaves_it_open() -> None:
    match = auction("lebanese")
    match.calls("13")
    for seat in (2, 3):
        assert legal_actions(match.state, seat) == (Pass(),)
        match.calls("pass")
    assert legal_actions(match.state, 0) == (PlaceBid(13), Pass())
    match.calls("pass")
    assert isinstance(match.state, NamingTrump)
    assert match.turn == 1


@pytest.mark.parametrize(("last", "declarer"), [("13", 0), ("pass", 1)])
def test_R_AUC_6_a_thirteen_is_matched_by_the_dealer_or_stands(last: str, declarer: int) -> None:
    match = auction("lebanese")
    match.calls("13", "pass", "pass", last)
    assert isinstance(match.state, NamingTrump)
    assert match.turn == declarer


@pytest.mark.parametrize("tricks", [12, 11])
def test_R_AUC_6_a_single_round_one_goes_on_while_a_bid_can_be_beaten(tricks: int) -> None:
    match = auction("lebanese", dealer_may_match=False)
    match.calls(str(tricks))
    assert isinstance(match.state, Auction)
    assert match.turn == 2


@pytest.mark.parametrize(("variant", "names"), [("classic", "C D H S NT"), ("eram", "C D H S")])
def test_R_AUC_7_the_declarer_names_the_trump_then_leads(variant: str, names: str) -> None:
    match = auction(variant)
    match.calls("pass", "9", "pass", "pass")
    assert legal_actions(match.state, 2) == tuple(NameTrump(name) for name in names.split())  # type: ignore[arg-type]  # written in words
    for seat in (0, 1, 3):
        match.refused(NotYourTurn, player(seat), NameTrump("H"))
    match.refused(WrongPhase, player(2), PlayCard(match.holding(2)[0]))
    assert match.name("H") == (TrumpNamed(2, "H"),)
    assert isinstance(match.state, Play)
    assert match.state.contract == Contract(2, 9, "H", doubled=False)
    assert match.turn == 2


def test_R_AUC_7_no_trumps_can_be_named_only_where_the_rules_have_it() -> None:
    eram = auction("eram")
    eram.calls("13")
    error = eram.refused(TrumpNotAllowed, player(1), NameTrump("NT"))
    assert error.explanation() == {"trump": "NT"}
    classic = auction("classic")
    classic.calls("13")
    classic.name("NT")
    assert isinstance(classic.state, Play)
    assert classic.state.contract.trump == "NT"


@pytest.mark.parametrize("variant", ["classic", "eram", "lebanese", "forced_dealer", "clockwise", "one_go"])
def test_R_AUC_7_a_suit_in_a_bid_is_refused_where_numbers_are_bid(variant: str) -> None:
    match = auction(variant)
    error = match.refused(TrumpNotAllowed, player(match.turn), PlaceBid(8, "H"))
    assert error.explanation() == {"trump": "H"}


def test_R_AUC_7_a_suit_bid_names_the_trump_and_there_is_no_naming() -> None:
    match = auction("egyptian")
    match.calls("9H", "pass", "pass", "pass", "pass")
    assert isinstance(match.state, Play)
    assert match.state.contract == Contract(1, 9, "H", doubled=False)
    assert match.turn == 1
    match.refused(WrongPhase, player(1), NameTrump("S"))


def test_R_AUC_8_the_dealer_may_not_pass_when_the_other_three_have() -> None:
    match = auction("forced_dealer")
    match.calls("pass", "pass", "pass")
    error = match.refused(MustBid, player(0), Pass())
    assert error.code == "must_bid"
    assert legal_actions(match.state, 0) == tuple(PlaceBid(tricks) for tricks in range(7, 14))


@pytest.mark.parametrize("tricks", range(7, 14))
def test_R_AUC_8_reading_the_forced_dealer_may_bid_seven_or_higher(tricks: int) -> None:
    match = auction("forced_dealer")
    match.calls("pass", "pass", "pass", str(tricks))
    assert isinstance(match.state, NamingTrump)
    assert (match.state.highest.seat, match.state.highest.tricks) == (0, tricks)


@pytest.mark.parametrize("calls", [("7", "pass", "pass"), ("pass", "pass", "8"), ("7", "8", "9")])
def test_R_AUC_8_the_dealer_may_pass_once_somebody_has_bid(calls: tuple[str, ...]) -> None:
    match = auction("forced_dealer")
    match.calls(*calls)
    assert Pass() in legal_actions(match.state, 0)
    assert match.calls("pass")[0] == Passed(0)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_R_AUC_8_only_the_dealer_is_forced(seat: int) -> None:
    match = auction("forced_dealer")
    match.calls(*["pass"] * (seat - 1))
    assert match.turn == seat
    assert Pass() in legal_actions(match.state, seat)


def test_R_AUC_8_without_the_knob_the_dealer_may_pass() -> None:
    match = auction("classic")
    match.calls("pass", "pass", "pass")
    assert Pass() in legal_actions(match.state, 0)


@pytest.mark.parametrize("variant", ["classic", "eram", "lebanese", "forced_dealer", "clockwise", "one_go"])
def test_R_AUC_12_nothing_can_be_doubled_where_the_knob_is_off(variant: str) -> None:
    match = auction(variant)
    match.calls("7")
    error = match.refused(DoubleNotAllowed, player(match.turn), call("double"))
    assert error.code == "double_not_allowed"
