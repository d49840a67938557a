"""R-DEAL: who deals, to whom, and what happens to a hand thrown in."""

import pytest

from matches.engine import rules_for
from matches.engine.cards import DECK, Card, card_set
from matches.engine.commands import SYSTEM, Deal, StartMatch
from matches.engine.dealing import dealt
from matches.engine.errors import InvalidDeck
from matches.engine.events import HandDealt, HandThrownIn, MatchStarted, Passed
from matches.engine.state import Auction, Dealing
from tests.cast import SALT, EngineMatch, seats_from, shuffled


@pytest.mark.parametrize("first_dealer", range(4))
def test_R_DEAL_1_the_first_dealer_is_the_one_that_chance_chose(first_dealer: int) -> None:
    match = EngineMatch("classic", first_dealer=first_dealer)
    assert match.events[-1] == MatchStarted(first_dealer)
    (hand_dealt,) = match.deal()
    assert isinstance(hand_dealt, HandDealt)
    assert (hand_dealt.hand, hand_dealt.deal, hand_dealt.dealer) == (1, 1, first_dealer)


@pytest.mark.parametrize(("variant", "dealers"), [("classic", [3, 0, 1, 2, 3]), ("clockwise", [3, 2, 1, 0, 3])])
def test_R_DEAL_1_the_deal_passes_on_after_each_scored_hand(variant: str, dealers: list[int]) -> None:
    match = EngineMatch(rules_for(variant, target=501), first_dealer=3)
    seen = []
    for number in range(1, 6):
        assert isinstance(match.state, Dealing)
        assert match.state.table.hand == number
        seen.append(match.state.table.dealer)
        match.hand_of(declarer=0, bid=7, trump="C")
    assert seen == dealers


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("direction", ["counterclockwise", "clockwise"])
def test_R_DEAL_2_one_by_one_the_card_k_goes_k_plus_one_places_on(dealer: int, direction: str) -> None:
    deck = shuffled(7)
    holdings = dealt(deck, dealer, rules_for("classic", direction=direction))
    step = 1 if direction == "counterclockwise" else -1
    expected: list[list[Card]] = [[], [], [], []]
    for k, card in enumerate(deck):
        expected[(dealer + step * (k + 1)) % 4].append(card)
    assert holdings == tuple(tuple(holding) for holding in expected)
    assert holdings[dealer][-1] == deck[51]


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("direction", ["counterclockwise", "clockwise"])
def test_R_DEAL_2_one_go_gives_thirteen_at_a_time(dealer: int, direction: str) -> None:
    deck = shuffled(8)
    rules = rules_for("one_go", direction=direction)
    holdings = dealt(deck, dealer, rules)
    for place, seat in enumerate(seats_from(dealer, rules)):
        assert holdings[seat] == deck[13 * place : 13 * place + 13]


def test_R_DEAL_2_the_event_and_the_state_hold_what_was_dealt() -> None:
    match = EngineMatch("one_go", first_dealer=2)
    deck = shuffled(9)
    (hand_dealt,) = match.give(SYSTEM, Deal(deck, SALT))
    assert isinstance(hand_dealt, HandDealt)
    assert hand_dealt.salt == SALT
    assert hand_dealt.holdings == (deck[13:26], deck[26:39], deck[39:], deck[:13])
    assert isinstance(match.state, Auction)
    assert match.state.holdings == tuple(card_set(holding) for holding in hand_dealt.holdings)


@pytest.mark.parametrize(
    "deck",
    [
        pytest.param(DECK[:51], id="a card short"),
        pytest.param((*DECK[:51], DECK[0]), id="a card twice"),
        pytest.param((*DECK, DECK[0]), id="a card too many"),
        pytest.param((), id="no card"),
    ],
)
def test_R_TAB_3_a_deck_that_is_not_the_fifty_two_cards_is_refused(deck: tuple[Card, ...]) -> None:
    match = EngineMatch("classic")
    error = match.refused(InvalidDeck, SYSTEM, Deal(deck, SALT))
    assert error.code == "invalid_deck"


@pytest.mark.parametrize("variant", ["classic", "eram", "egyptian", "clockwise", "one_go", "lebanese"])
def test_R_DEAL_3_a_hand_thrown_in_scores_nothing_and_the_same_dealer_deals_anew(variant: str) -> None:
    match = EngineMatch(variant, first_dealer=1)
    match.deal()
    events = match.calls("pass", "pass", "pass", "pass")
    assert events == (Passed(1), HandThrownIn(1, 1))
    assert isinstance(match.state, Dealing)
    assert match.state.scored is None
    table = match.state.table
    assert (table.totals, table.dealer, table.hand, table.deals) == ((0, 0), 1, 1, 1)
    (hand_dealt,) = match.deal(seed=1)
    assert isinstance(hand_dealt, HandDealt)
    assert (hand_dealt.hand, hand_dealt.deal, hand_dealt.dealer) == (1, 2, 1)
    assert match.state.table.deals == 2
    assert match.calls("pass", "pass", "pass", "pass")[-1] == HandThrownIn(1, 2)


def test_R_DEAL_3_after_a_scored_hand_the_deals_are_counted_from_one_again() -> None:
    match = EngineMatch("classic")
    match.deal()
    match.calls("pass", "pass", "pass", "pass")
    match.hand_of(declarer=0, bid=7, trump="C")
    (hand_dealt,) = match.deal()
    assert isinstance(hand_dealt, HandDealt)
    assert (hand_dealt.hand, hand_dealt.deal, match.state.table.deals) == (2, 1, 3)


def test_a_match_is_started_once() -> None:
    match = EngineMatch("classic", started=False)
    match.give(SYSTEM, StartMatch(3))
    assert match.state.table.dealer == 3
    assert match.state.table.hand == 1
