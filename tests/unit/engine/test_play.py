"""R-PLAY: leading, following suit, winning a trick, playing a hand out."""

import pytest

from matches.engine import legal_actions
from matches.engine.cards import SUIT_MASK, Card, Trump, card_set, cards_in
from matches.engine.commands import PlayCard
from matches.engine.errors import CardNotInHolding, MustFollowSuit, NotYourTurn
from matches.engine.events import CardPlayed, HandScored
from matches.engine.state import Dealing, Play
from matches.engine.tricks import legal_cards, trick_winner
from tests.cast import EngineMatch, cards, holdings_with, player, whole_suits


def in_play(*wanted: str, trump: Trump = "H", variant: str = "classic") -> EngineMatch:
    """Seat 1 has bid seven and named the trump; the seats hold the cards wanted and others."""
    match = EngineMatch(variant)
    match.deal(holdings_with(*wanted))
    while match.turn != 1:
        match.calls("pass")
    match.calls("7")
    while match.state.phase == "auction":
        match.calls("pass")
    match.name(trump)
    return match


def playing(match: EngineMatch) -> Play:
    assert isinstance(match.state, Play)
    return match.state


def winner(leader: int, plays: str, trump: Trump, *, step: int = 1) -> int:
    return trick_winner(cards(plays), leader, step, SUIT_MASK[trump])


def test_R_PLAY_1_the_declarer_leads_to_the_first_trick() -> None:
    match = in_play()
    assert match.turn == 1
    first = match.holding(2)[0]
    error = match.refused(NotYourTurn, player(2), PlayCard(first))
    assert error.explanation() == {"seat": 2, "turn": 1}


def test_R_PLAY_1_the_winner_of_a_trick_leads_to_the_next() -> None:
    match = in_play("2D", "3D", "4D", "AD")
    match.play("3D 4D AD 2D")
    assert match.turn == 3
    assert playing(match).leader == 3
    assert playing(match).plays == ()


def test_R_PLAY_1_any_card_may_be_led_trumps_too() -> None:
    match = in_play("", "2C 3D 4H 5S", trump="C")
    held = match.holding(1)
    assert {card[1] for card in held} == {"C", "D", "H", "S"}
    assert legal_actions(match.state, 1) == tuple(PlayCard(card) for card in held)
    trump_held = next(card for card in held if card[1] == "C")
    assert match.act(PlayCard(trump_held)) == (CardPlayed(1, trump_held),)


@pytest.mark.parametrize("variant", ["classic", "egyptian", "lebanese", "clockwise", "one_go", "eram", "forced_dealer"])
def test_R_PLAY_2_who_can_follow_suit_must(variant: str) -> None:
    match = EngineMatch(variant)
    match.deal(holdings_with("KD 5D 2C AH", "QD JD", "9D 8D 3S", "7D 6D 4S"))
    match.calls(*(["9H", "pass", "pass", "pass", "pass"] if variant == "egyptian" else ["9", "pass", "pass", "pass"]))
    if variant != "egyptian":
        match.name("H")
    leader = match.turn
    led = next(card for card in match.holding(leader) if card[1] == "D")
    match.act(PlayCard(led))
    follower = match.turn
    held = match.holding(follower)
    diamonds = tuple(card for card in held if card[1] == "D")
    assert diamonds
    assert legal_actions(match.state, follower) == tuple(PlayCard(card) for card in diamonds)
    for other in set(held) - set(diamonds):
        error = match.refused(MustFollowSuit, player(follower), PlayCard(other))
        assert error.explanation() == {"card": other, "suit": "D"}


def test_R_PLAY_2_who_cannot_follow_may_play_any_card_and_need_not_trump() -> None:
    match = in_play("2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AC", "AD", "AH KH 2C 3C 4C 5C 2S 3S 4S 5S 6S 7S 8S", trump="H")
    match.play("AD")
    held = match.holding(2)
    assert len(held) == 13
    assert legal_actions(match.state, 2) == tuple(PlayCard(card) for card in held)
    match.play("2S")
    assert playing(match).plays == cards("AD 2S")


@pytest.mark.parametrize(
    ("holding", "led", "expected"),
    [
        ("KD 5D 2C AH", "3D", "5D KD"),
        ("2C AH 9S", "AD", "2C AH 9S"),
        ("2C AH", None, "2C AH"),
        ("AS", "2S", "AS"),
        ("2S 3S 2H", "AH", "2H"),
    ],
)
def test_R_PLAY_2_the_cards_that_may_be_played(holding: str, led: Card | None, expected: str) -> None:
    assert cards_in(legal_cards(card_set(cards(holding)), led)) == cards(expected)


def test_a_card_that_is_not_held_is_refused_without_saying_who_holds_it() -> None:
    match = in_play("AS", "KS", "QS", "JS")
    error = match.refused(CardNotInHolding, player(1), PlayCard("AS"))
    assert error.explanation() == {"card": "AS"}
    match.play("KS")
    match.refused(CardNotInHolding, player(2), PlayCard("KS"))


def test_a_card_already_played_is_held_no_more() -> None:
    match = in_play("2D", "AD", "4D", "5D")
    match.play("AD 4D 5D 2D")
    match.refused(CardNotInHolding, player(1), PlayCard("AD"))


@pytest.mark.parametrize(
    ("plays", "trump", "place"),
    [
        pytest.param("9D KD AS 2D", "H", 1, id="highest of the suit led"),
        pytest.param("9D KD 2H AD", "H", 2, id="one trump beats the suit led"),
        pytest.param("9D 3H 2H AD", "H", 1, id="the higher of two trumps"),
        pytest.param("2H AD AS AC", "H", 0, id="a trump led"),
        pytest.param("2D AC AH AS", "NT", 0, id="no trumps: only the suit led"),
        pytest.param("2D 3D AH 4D", "NT", 3, id="no trumps: highest of the suit led"),
        pytest.param("9C TC JC QC", "C", 3, id="all trumps"),
        pytest.param("TC 9C 8C 7C", "S", 0, id="the ten above the nine"),
        pytest.param("QC KC JC TC", "S", 1, id="king above queen above jack"),
        pytest.param("2C AS 3C AD", "S", 1, id="spades trump"),
        pytest.param("3D 2D AC KC", "C", 2, id="clubs trump the other suits"),
    ],
)
@pytest.mark.parametrize("leader", range(4))
@pytest.mark.parametrize("step", [1, 3])
def test_R_PLAY_3_who_wins_the_trick(plays: str, trump: Trump, place: int, leader: int, step: int) -> None:
    assert winner(leader, plays, trump, step=step) == (leader + place * step) % 4


def test_R_PLAY_3_suits_do_not_outrank_each_other() -> None:
    assert winner(0, "2C AD AH AS", "NT") == 0
    assert winner(0, "2S AD AH AC", "NT") == 0


def test_R_PLAY_3_the_winner_and_the_tricks_stand_in_the_state() -> None:
    match = in_play("2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AC", "AD", "AH KH 2C 3C 4C 5C 2S 3S 4S 5S 6S 7S 8S", trump="H")
    match.play("AD KH")
    other = match.holding(3)[0]
    match.act(PlayCard(other))
    match.play("KD")
    state = playing(match)
    assert state.last_trick is not None
    assert (state.last_trick.leader, state.last_trick.winner) == (1, 2)
    assert state.last_trick.plays == ("AD", "KH", other, "KD")
    assert state.tricks_won == (1, 0)
    assert match.turn == 2


def test_R_PLAY_4_thirteen_tricks_make_a_hand_and_all_are_played_out() -> None:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("13")
    match.name("D")
    plays = 0
    while isinstance(match.state, Play):
        assert sum(match.state.tricks_won) == plays // 4
        assert not any(isinstance(event, HandScored) for event in match.events)
        match.act(PlayCard(match.holding(match.turn)[0]))
        plays += 1
    assert plays == 52
    assert isinstance(match.events[-2], CardPlayed)
    assert isinstance(match.events[-1], HandScored)
    assert isinstance(match.state, Dealing)


def test_R_PLAY_4_a_contract_already_lost_is_played_on() -> None:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("13")
    match.name("C")
    for _ in range(4):
        match.act(PlayCard(match.holding(match.turn)[0]))
    assert playing(match).tricks_won == (1, 0)
    for _ in range(47):
        match.act(PlayCard(match.holding(match.turn)[0]))
        assert isinstance(match.state, Play)
    match.act(PlayCard(match.holding(match.turn)[0]))
    assert isinstance(match.state, Dealing)
