"""R-CLK: what the service plays for who does not act. How long they have is the room's business, not the engine's."""

import pytest

from matches.engine import SeatViewer, autoplay, fold, legal_actions, rules_for, visible_state
from matches.engine.cards import Trump
from matches.engine.commands import NameTrump, Pass, PlaceBid, PlayCard
from matches.engine.errors import BidOutOfRange, NotYourTurn, WrongPhase
from matches.engine.events import CardPlayed, Passed
from matches.engine.seats import Seat
from matches.engine.state import Over
from tests.cast import EngineMatch, cards, clock, deck_for, holdings_with, player, shuffled, whole_suits
from tests.cast import call as named_call

ALL_VARIANTS = ["classic", "eram", "egyptian", "clockwise", "one_go", "lebanese", "forced_dealer"]


def dealt(variant: str = "classic", *wanted: str, **knobs: object) -> EngineMatch:
    match = EngineMatch(rules_for(variant, **knobs))
    match.deal(holdings_with(*wanted))
    return match


@pytest.mark.parametrize("variant", ALL_VARIANTS)
@pytest.mark.parametrize("already_passed", [0, 1, 2])
def test_R_CLK_1_in_the_auction_it_passes(variant: str, already_passed: int) -> None:
    match = dealt(variant)
    match.calls(*["pass"] * already_passed)
    assert autoplay(match.state) == Pass()


@pytest.mark.parametrize("variant", [name for name in ALL_VARIANTS if name != "egyptian"])
def test_R_CLK_1_the_last_with_no_bid_made_bids_seven(variant: str) -> None:
    match = dealt(variant)
    match.calls("pass", "pass", "pass")
    assert autoplay(match.state) == PlaceBid(7)
    match.act(autoplay(match.state))
    assert match.state.phase == "naming_trump"


@pytest.mark.parametrize("calls", [("7", "pass", "pass"), ("pass", "7", "pass"), ("pass", "pass", "13")])
def test_R_CLK_1_the_last_passes_when_a_bid_was_made(calls: tuple[str, ...]) -> None:
    match = dealt("lebanese")
    match.calls(*calls)
    assert autoplay(match.state) == Pass()


def test_R_CLK_1_the_bidder_asked_again_passes() -> None:
    match = dealt("egyptian")
    match.calls("7C", "pass", "pass", "pass")
    assert match.turn == 1
    assert autoplay(match.state) == Pass()


def test_R_CLK_1_where_suits_are_bid_the_seven_is_in_the_longest_suit() -> None:
    match = dealt("egyptian", "2H 3H 4H 5H 6H 7H AS KS QS JS 2C 3C 2D")
    match.calls("pass", "pass", "pass")
    assert autoplay(match.state) == PlaceBid(7, "H")


def test_R_CLK_1_a_forced_dealer_bids_seven() -> None:
    match = dealt("lebanese", dealer_must_bid=True)
    match.calls("pass", "pass", "pass")
    assert Pass() not in legal_actions(match.state, 0)
    assert autoplay(match.state) == PlaceBid(7)


@pytest.mark.parametrize(
    ("holding", "trump"),
    [
        pytest.param("2C 3C 4C 5C 6C AD KD QD JD AH KH AS KS", "C", id="the longest"),
        pytest.param("2D 3D 4D 5D 6D 7D 8D 9D AS KS QS JS TS", "D", id="length before rank"),
        pytest.param("AC KC QC JC 2D 3D 4D 5D 2H 3H 4H 2S 3S", "C", id="equal length: higher ranks"),
        pytest.param("2C 3C 4C 6C 2D 3D 4D 5D 2H 3H 4H 2S 3S", "C", id="equal length: one rank higher"),
        pytest.param("AC 2C 3C 4C JD TD 2D 3D AH 3H 4H 2S 3S", "D", id="the sum of ranks, not the top card"),
        pytest.param("2C 3C 4C 5C 2S 3S 4S 5S 2H 3H 4H 2D 3D", "S", id="equal: spades before clubs"),
        pytest.param("2C 3C 4C 5C 2H 3H 4H 5H 2D 3D 4D 2S 3S", "H", id="equal: hearts before clubs"),
        pytest.param("2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 2S 3S", "D", id="equal: diamonds before clubs"),
        pytest.param("2D 3D 4D 5D 2H 3H 4H 5H 2C 3C 4C 2S 3S", "H", id="equal: hearts before diamonds"),
        pytest.param("2H 3H 4H 5H 2S 3S 4S 5S 2C 3C 4C 2D 3D", "S", id="equal: spades before hearts"),
        pytest.param("2D 3D 4D 5D 2S 3S 4S 5S 2C 3C 4C 2H 3H", "S", id="equal: spades before diamonds"),
    ],
)
def test_R_CLK_2_reading_it_names_the_longest_suit(holding: str, trump: Trump) -> None:
    match = dealt("classic", "", holding)
    match.calls("13")
    assert autoplay(match.state) == NameTrump(trump)
    suit_bids = dealt("egyptian", holding)
    suit_bids.calls("pass", "pass", "pass")
    assert autoplay(suit_bids.state) == PlaceBid(7, trump)


def leading(holding: str, trump: Trump) -> EngineMatch:
    """Seat 1 holds these thirteen cards and is to lead."""
    match = dealt("classic", "", holding)
    match.calls("13")
    match.name(trump)
    return match


@pytest.mark.parametrize(
    ("holding", "trump", "card"),
    [
        pytest.param("3C 4C 5D 6D 7H 8H 9S TS JS QS KS AS 2H", "S", "2H", id="the lowest rank"),
        pytest.param("3C 4C 5D 6D 7H 8H 9S TS JS QS KS AS 2H", "H", "3C", id="a card that is no trump before a trump"),
        pytest.param("2C 2D 2H 2S 3C 3D 3H 3S 4C 4D 4H 4S 5C", "NT", "2C", id="equal ranks: clubs first"),
        pytest.param("2C 2D 2H 2S 3C 3D 3H 3S 4C 4D 4H 4S 5C", "C", "2D", id="equal ranks: then diamonds"),
        pytest.param("3C 2H 2S 3D 3H 3S 4C 4D 4H 4S 5C 5D 5H", "NT", "2H", id="equal ranks: hearts before spades"),
        pytest.param("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC", "C", "2C", id="all trumps: the lowest"),
        pytest.param("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AD", "C", "AD", id="an ace before any trump"),
    ],
)
def test_R_CLK_2_reading_it_plays_the_weakest_card(holding: str, trump: Trump, card: str) -> None:
    assert autoplay(leading(holding, trump).state) == PlayCard(cards(card)[0])


def test_R_CLK_1_it_follows_suit_as_anybody_must() -> None:
    match = dealt("classic", "", "AD KD", "2C 3C 4C QD JD")
    match.calls("13")
    match.name("S")
    match.play("AD")
    diamonds = [card for card in match.holding(2) if card[1] == "D"]
    assert autoplay(match.state) == PlayCard(diamonds[0])


def test_R_CLK_1_it_does_not_trump_when_it_can_throw_something_else() -> None:
    match = dealt(
        "classic", "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD 2S", "AD 2C", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AC"
    )
    match.calls("13")
    match.name("H")
    match.play("AD")
    assert autoplay(match.state) == PlayCard("AC")


@pytest.mark.parametrize("variant", ALL_VARIANTS)
def test_R_CLK_1_the_clock_can_play_a_match_to_its_end(variant: str) -> None:
    match = EngineMatch(rules_for(variant, target=31), first_dealer=2)
    dealt_hands = 0
    while match.state.phase != "over":
        if match.state.phase == "dealing":
            dealt_hands += 1
            assert dealt_hands < 100
            match.deal(seed=dealt_hands)
        seat = match.turn
        action = autoplay(match.state)
        assert action in legal_actions(match.state, seat)
        match.give(clock(seat), action)
    assert isinstance(match.state, Over)
    assert match.state.status == "completed"


def test_R_CLK_1_the_clock_acts_for_the_seat_whose_turn_it_is_and_no_other() -> None:
    match = dealt("classic")
    assert match.give(clock(1), Pass()) == (Passed(1),)
    match.refused(NotYourTurn, clock(3), Pass())


def test_R_CLK_1_the_clocks_card_is_the_seats_card() -> None:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("13")
    match.name("D")
    assert match.give(clock(1), PlayCard("2D")) == (CardPlayed(1, "2D"),)
    assert match.turn == 2


def test_R_CLK_3_a_refused_action_is_no_event_and_leaves_the_turn_where_it_was() -> None:
    match = dealt("classic")
    log, turn = list(match.events), match.turn
    match.refused(BidOutOfRange, player(1), PlaceBid(6))
    match.refused(NotYourTurn, player(2), Pass())
    assert (match.events, match.turn) == (log, turn)


@pytest.mark.parametrize("seat", range(4))
def test_R_CLK_4_who_returns_finds_the_same_match(seat: Seat) -> None:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("7", "pass", "pass", "pass")
    match.name("S")
    match.play("5D")
    before = visible_state(match.state, SeatViewer(seat))
    assert visible_state(fold(match.events), SeatViewer(seat)) == before


def test_R_CLK_5_of_an_action_and_a_time_out_that_meet_the_second_is_refused() -> None:
    match = dealt("classic")
    match.calls("7")
    match.refused(NotYourTurn, clock(1), Pass())
    lead = EngineMatch("classic")
    lead.deal(whole_suits())
    lead.calls("13")
    lead.name("D")
    lead.give(clock(1), autoplay(lead.state))
    lead.refused(NotYourTurn, clock(1), PlayCard("3D"))


def test_R_CLK_1_there_is_nothing_to_play_where_nobody_is_to_act() -> None:
    waiting = EngineMatch("classic", seated=3)
    with pytest.raises(WrongPhase):
        autoplay(waiting.state)


def test_the_builders_deck_is_dealt_back_into_its_holdings() -> None:
    for variant in ALL_VARIANTS:
        rules = rules_for(variant)
        holdings = whole_suits(("S", "H", "D", "C"))
        for dealer in range(4):
            match = EngineMatch(rules, first_dealer=dealer)
            match.deal(holdings)
            assert [match.holding(seat) for seat in range(4)] == [tuple(holding) for holding in holdings]
            assert sorted(deck_for(holdings, dealer, rules)) == sorted(shuffled(1))
    assert named_call("13NT") == PlaceBid(13, "NT")
