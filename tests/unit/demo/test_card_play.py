"""Cards that a beginner would play. Seat 0 is to play, seat 2 the partner, spades are trumps unless told otherwise."""

import pytest

from tarneeb_service.local.demo.cards import winning_place
from tarneeb_service.local.demo.strategy import choose
from tarneeb_service.local.demo.views import MatchView
from tests.unit.demo.synthetic import to_play


def card(view: MatchView) -> str | None:
    return choose(view).card


# Following


def test_the_last_player_wins_as_cheaply_as_possible() -> None:
    assert card(to_play("2-2-AKJ3-A", (1, "TH"), (2, "4H"), (3, "9H"))) == "JH"


def test_the_last_player_ducks_when_the_partner_is_winning() -> None:
    assert card(to_play("2-2-AKJ3-A", (1, "TH"), (2, "QH"), (3, "9H"))) == "3H"


def test_a_player_who_cannot_win_ducks_with_the_lowest() -> None:
    assert card(to_play("2-2-KJ3-A", (1, "AH"), (2, "4H"))) == "3H"


def test_the_partners_ace_is_not_overtaken_and_not_ruffed() -> None:
    assert card(to_play("2-2-K3-A", (2, "AH"), (3, "4H"))) == "3H"
    assert card(to_play("32-2--A32", (2, "AH"), (3, "4H"))) == "2D"


def test_the_third_player_plays_high_over_a_low_lead_of_the_partner() -> None:
    assert card(to_play("2-2-KJ3-A", (2, "5H"), (3, "7H"))) == "KH"


def test_the_third_player_plays_the_lower_of_two_equals() -> None:
    assert card(to_play("2-2-KQ3-A", (2, "5H"), (3, "7H"))) == "QH"


def test_the_second_player_plays_low_but_takes_with_the_ace() -> None:
    assert card(to_play("2-2-KJ3-A", (3, "5H"))) == "3H"
    assert card(to_play("2-2-AJ3-A", (3, "5H"))) == "AH"


def test_an_opponents_trick_is_ruffed_with_the_lowest_trump() -> None:
    assert card(to_play("32-2--AT3", (1, "AH"), (2, "4H"), (3, "9H"))) == "3S"


def test_a_ruff_is_ruffed_over_only_with_a_higher_trump() -> None:
    assert card(to_play("32-2--AT3", (1, "AH"), (2, "4H"), (3, "9S"))) == "TS"
    assert card(to_play("32-2--83", (1, "AH"), (2, "4H"), (3, "9S"))) == "2D"


def test_a_trump_is_not_wasted_on_a_trick_that_the_partner_ruffed() -> None:
    assert card(to_play("32-2--AT3", (1, "AH"), (2, "4S"), (3, "9H"))) == "2D"


def test_without_trumps_a_void_throws_its_least_card_but_no_kings_only_companion() -> None:
    assert card(to_play("652-Q3--T94", (1, "AH"), trump="NT")) == "2C"
    assert card(to_play("K2-Q3--T94", (1, "AH"), trump="NT")) == "3D"


def test_a_suit_that_was_ruffed_is_ducked() -> None:
    assert card(to_play("2-2-AKJ3-A", (1, "TH"), (2, "4H"), (3, "2S"))) == "3H"


def test_what_can_only_be_trumps_is_played_from_the_bottom() -> None:
    assert card(to_play("---T94", (1, "AH"), (2, "KS"), (3, "9H"))) == "4S"


def test_the_discard_keeps_the_cards_that_can_win() -> None:
    assert card(to_play("A-K4-93-", (1, "KS"), (2, "AS"), (3, "9S"))) == "3H"


# Leading


def test_a_declarer_draws_trumps_from_the_top() -> None:
    assert card(to_play("A2-32-43-AKQ95", number=1)) == "AS"


def test_a_declarer_without_the_top_trumps_leads_a_low_one() -> None:
    assert card(to_play("A2-32-43-KJ952", number=1)) == "2S"


@pytest.mark.parametrize("number", [1, 4])
def test_a_declarer_stops_when_the_opponents_have_shown_that_they_have_none(number: int) -> None:
    last = ((0, "AS"), (1, "2C"), (2, "4S"), (3, "2D"))
    assert card(to_play("A2-32-43-KQ95", number=number, last=last)) == "AC"


def test_a_declarer_goes_on_while_an_opponent_still_follows() -> None:
    last = ((0, "AS"), (1, "2S"), (2, "4S"), (3, "2D"))
    assert card(to_play("A2-32-43-KQ95", number=8, last=last)) == "KS"


def test_a_defender_cashes_aces_and_leaves_trumps_alone() -> None:
    assert card(to_play("K92-A72-Q65-AKQ3", declarer=1, number=1)) == "AD"


def test_the_ace_of_the_shorter_suit_goes_first() -> None:
    assert card(to_play("A9872-A7-Q65-3", declarer=1, number=1)) == "AD"


def test_a_king_is_sure_once_the_ace_has_just_been_played() -> None:
    last = ((0, "AH"), (1, "2H"), (2, "4H"), (3, "5H"))
    assert card(to_play("Q92-Q72-K65-3", declarer=1, number=3, last=last)) == "KH"


def test_a_defender_with_trumps_leads_a_singleton() -> None:
    assert card(to_play("QT92-4-K9865-32", declarer=1, number=1)) == "4D"


def test_the_top_of_touching_honours_is_led() -> None:
    assert card(to_play("932-J42-QJT85-32", declarer=1, number=1)) == "QH"


def test_the_lowest_of_the_longest_suit_is_led_when_nothing_better_is_there() -> None:
    assert card(to_play("932-J42-KT875-32", declarer=1, number=1)) == "5H"


def test_with_trumps_alone_the_highest_is_led() -> None:
    assert card(to_play("---QT3", declarer=1, number=11)) == "QS"


@pytest.mark.parametrize(
    ("played", "trump", "winner"),
    [
        (["2H", "KH", "AH", "3H"], "S", 2),
        (["AH", "2S", "KH", "3S"], "S", 3),
        (["AH", "2S", "KH", "3S"], "NT", 0),
        (["2C", "AD", "AH", "AS"], "NT", 0),
    ],
)
def test_the_winner_of_a_trick(played: list[str], trump: str, winner: int) -> None:
    assert winning_place(played, trump) == winner
