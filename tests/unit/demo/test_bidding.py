"""Calls that a beginner would make."""

import pytest

from tarneeb_service.local.demo.bidding import best_trump, defence_worth, no_trump_worth, suit_worth
from tarneeb_service.local.demo.cards import NO_TRUMPS, SUITS
from tarneeb_service.local.demo.strategy import choose
from tarneeb_service.local.demo.views import Action, Bid, Call
from tests.unit.demo.synthetic import TRUMPS, bids, cards, suit_bids, to_call, to_name

STRONG = "A2-K2-AK2-AKQJT9"
FAIR = "A32-K2-A432-KQT9"
POOR = "8532-965-T743-J2"


def test_a_poor_holding_passes() -> None:
    assert choose(to_call(POOR, bids())) == Action("pass")


def test_a_fair_holding_opens_as_low_as_it_can() -> None:
    assert choose(to_call(FAIR, bids())) == Action("bid", tricks=7)


def test_a_strong_holding_goes_on_over_the_opponents() -> None:
    highest = Bid(1, 9)
    assert choose(to_call(STRONG, bids(10), highest=highest)) == Action("bid", tricks=10)


def test_a_fair_holding_lets_the_opponents_have_a_high_bid() -> None:
    assert choose(to_call(FAIR, bids(10), highest=Bid(1, 9))) == Action("pass")


def test_the_partners_bid_is_left_alone_with_a_fair_holding() -> None:
    assert choose(to_call(FAIR, bids(8), highest=Bid(2, 7))) == Action("pass")


def test_the_partners_bid_is_taken_over_with_a_much_better_holding() -> None:
    assert choose(to_call(STRONG, bids(8), highest=Bid(2, 7))) == Action("bid", tricks=8)


@pytest.mark.parametrize("legal", [bids(8), suit_bids(8)])
def test_nobody_raises_their_own_bid(legal: list[Action]) -> None:
    assert choose(to_call(STRONG, legal, highest=Bid(0, 7, "S"))) == Action("pass")


def test_the_last_to_speak_plays_a_nearly_good_holding_rather_than_throwing_it_in() -> None:
    nearly = "A32-Q32-K432-KT9"
    silent = tuple(Call(seat, "pass") for seat in (1, 2, 3))
    assert choose(to_call(nearly, bids())) == Action("pass")
    assert choose(to_call(nearly, bids(), calls=silent)) == Action("bid", tricks=7)


def test_a_dealer_who_may_not_pass_bids_as_low_as_possible() -> None:
    forced = [action for action in bids() if action.type == "bid"]
    assert choose(to_call(POOR, forced)) == Action("bid", tricks=7)


def test_with_one_call_only_the_whole_worth_is_bid_at_once() -> None:
    once = choose(to_call(STRONG, bids(), auction="single_round"))
    assert once.type == "bid"
    assert (once.tricks or 0) >= 10


def test_where_suits_are_bid_the_best_suit_is_bid() -> None:
    assert choose(to_call("A2-K2-KQJ965-A32", suit_bids(), auction="suit_bids")) == Action("bid", tricks=7, trump="H")


def test_a_higher_number_is_bid_when_the_suit_has_no_room_below() -> None:
    legal = [bid for bid in suit_bids() if bid.tricks != 7 or bid.trump == NO_TRUMPS]
    chosen = choose(to_call("AKQJT9-AK2-A432-", legal, auction="suit_bids", highest=Bid(1, 7, "S")))
    assert chosen == Action("bid", tricks=8, trump="C")


def test_a_wall_of_trumps_doubles() -> None:
    legal = [*suit_bids(11), Action("double")]
    wall = "A32-A32-A32-AKQJ"
    assert choose(to_call(wall, legal, auction="suit_bids", highest=Bid(1, 10, "S"))) == Action("double")


def test_a_poor_holding_does_not_double() -> None:
    legal = [*suit_bids(8), Action("double")]
    assert choose(to_call(POOR, legal, auction="suit_bids", highest=Bid(1, 7, "S"))) == Action("pass")


@pytest.mark.parametrize("suit", SUITS)
def test_the_longest_strong_suit_is_named(suit: str) -> None:
    held = {"C": "K2", "D": "Q3", "H": "84", "S": "53"} | {suit: "AQJ74"}
    assert choose(to_name("-".join(held.values()), TRUMPS)) == Action("name_trump", trump=suit)


def test_no_trumps_is_named_with_aces_and_kings_all_round() -> None:
    assert choose(to_name("AKQ-AKQ-AKQ-AKQ2", TRUMPS)) == Action("name_trump", trump=NO_TRUMPS)


def test_no_trumps_is_not_named_where_it_is_not_allowed() -> None:
    assert choose(to_name("AKQ-AKQ-AKQ-AKQ2", list(SUITS))) == Action("name_trump", trump="S")


def test_nerve_makes_a_bolder_bidder() -> None:
    shy = choose(to_call(FAIR, bids(), auction="single_round"), -1.5)
    bold = choose(to_call(FAIR, bids(), auction="single_round"), 2.5)
    assert shy == Action("pass")
    assert (bold.tricks or 0) > 7


def test_a_longer_trump_suit_is_worth_more() -> None:
    short, long = cards("K32-K32-K32-AQ32"), cards("K32-K3-K2-AQ5432")
    assert suit_worth(long, "S") > suit_worth(short, "S")


def test_a_void_is_worth_something_with_trumps_and_costs_without() -> None:
    level, void = cards("AK2-A32-432-AQ32"), cards("AK2-A32432--AQ32")
    assert suit_worth(void, "S") > suit_worth(level, "S")
    assert no_trump_worth(void) < no_trump_worth(level)


def test_equal_suits_go_to_the_higher_bidding_one() -> None:
    assert best_trump(cards("AK32-AK32-AK3-2"), SUITS)[0] == "D"


def test_defenders_count_aces_and_high_trumps() -> None:
    assert defence_worth(cards("A32-A32-A32-AKQJ"), "S") > 5
    assert defence_worth(cards(POOR), "S") < 1
