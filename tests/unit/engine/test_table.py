"""R-TAB: seats, teams, cards, and what a player may see."""

import msgspec
import pytest

from matches.engine import SeatViewer, Spectator, visible_state
from matches.engine.cards import BIT, DECK, FULL_DECK, RANK_OF, SUIT_MASK, SUIT_OF, card_set, cards_in
from matches.engine.seats import Direction, next_seat, partner_of, seats_after, team_of
from tests.cast import EngineMatch, cards, whole_suits


def test_R_TAB_1_partners_sit_opposite_and_make_the_two_teams() -> None:
    assert [team_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert [partner_of(seat) for seat in range(4)] == [2, 3, 0, 1]


@pytest.mark.parametrize(
    ("direction", "following", "round_from_two"),
    [("counterclockwise", [1, 2, 3, 0], (3, 0, 1, 2)), ("clockwise", [3, 0, 1, 2], (1, 0, 3, 2))],
)
def test_R_TAB_2_the_next_seat_by_direction(
    direction: Direction, following: list[int], round_from_two: tuple[int, ...]
) -> None:
    assert [next_seat(seat, direction) for seat in range(4)] == following
    assert seats_after(2, direction) == round_from_two


@pytest.mark.parametrize(("variant", "order"), [("classic", [1, 2, 3, 0]), ("clockwise", [3, 2, 1, 0])])
def test_R_TAB_2_direction_governs_the_auction_the_play_and_the_passing_of_the_deal(
    variant: str, order: list[int]
) -> None:
    match = EngineMatch(variant, first_dealer=0)
    match.deal(whole_suits())
    spoke = []
    for text in ("7", "8", "9", "10"):
        spoke.append(match.turn)
        match.calls(text)
    assert spoke == order
    match.calls("pass", "pass", "pass")
    assert match.turn == 0
    match.name("C")
    played = []
    for _ in range(4):
        played.append(match.turn)
        match.play(str(match.holding(match.turn)[0]))
    assert played == [0, *order[:3]]
    match.play_out()
    assert match.state.table.dealer == order[0]


def test_R_TAB_3_a_deck_is_fifty_two_cards_ranked_from_the_two_to_the_ace_in_every_suit() -> None:
    assert len(set(DECK)) == 52
    for suit in "CDHS":
        ranked = sorted((card for card in DECK if SUIT_OF[card] == suit), key=lambda card: -RANK_OF[card])
        assert "".join(card[0] for card in ranked) == "AKQJT98765432"
        assert [RANK_OF[card] for card in ranked] == list(range(14, 1, -1))


def test_R_TAB_3_sets_of_cards_hold_what_was_put_in_and_nothing_else() -> None:
    some = cards("AS 2C TD 9D KH")
    assert cards_in(card_set(some)) == cards("2C 9D TD KH AS")
    assert card_set(DECK) == FULL_DECK
    assert cards_in(FULL_DECK) == DECK
    assert cards_in(0) == ()
    assert [cards_in(SUIT_MASK[suit]) for suit in ("C", "D", "H", "S", "NT")] == [*whole_suits(), ()]
    assert sum(BIT.values()) == FULL_DECK


def test_R_TAB_4_a_player_sees_their_own_cards_and_nobody_elses() -> None:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    for seat in range(4):
        view = visible_state(match.state, SeatViewer(seat))
        assert view.you is not None
        assert tuple(view.you.holding) == whole_suits()[seat]
        seen = msgspec.json.encode(view).decode()
        assert not [card for card in DECK if f'"{card}"' in seen and card not in whole_suits()[seat]]


def test_R_TAB_4_a_spectator_sees_no_card_before_it_is_played() -> None:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("7", "pass", "pass", "pass")
    match.name("S")
    match.play("5D")
    view = visible_state(match.state, Spectator())
    seen = msgspec.json.encode(view).decode()
    assert view.you is None
    assert [card for card in DECK if f'"{card}"' in seen] == ["5D"]
