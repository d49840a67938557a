"""The knobs of a rule set, and which of their combinations are possible (RULES.md, table of knobs).

A variant is a set of values for these knobs and nothing else; `variants/` holds them. The mechanics read knobs, never
the variant's name. `Rules` is stored whole in a match's first event.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from matches.engine.cards import SUITS, TRUMPS, Trump
from matches.engine.errors import InvalidRules
from matches.engine.seats import Direction

DealStyle: TypeAlias = Literal["one_by_one", "one_go"]
AuctionKind: TypeAlias = Literal["ascending", "suit_bids", "single_round"]

LOWEST_TARGET, HIGHEST_TARGET = 31, 501
LOWEST_BID, HIGHEST_BID = 7, 13


class Rules(Struct, frozen=True, gc=False):
    """One value for each knob; `variant` is only where the values came from."""

    variant: str
    target: int = 31
    direction: Direction = "counterclockwise"
    deal_style: DealStyle = "one_by_one"
    no_trumps: bool = True
    auction: AuctionKind = "ascending"
    dealer_may_match: bool = False
    dealer_must_bid: bool = False
    doubling: bool = False
    double_defenders: bool = False

    @property
    def trumps(self) -> tuple[Trump, ...]:
        """What may be named as trump, in bidding order."""
        return TRUMPS if self.no_trumps else SUITS


def check_rules(rules: Rules) -> None:
    """Refuse values out of range and combinations that cannot be played. Raises `InvalidRules` naming the knob."""
    if not LOWEST_TARGET <= rules.target <= HIGHEST_TARGET:
        raise InvalidRules("target", f"The target is {LOWEST_TARGET} to {HIGHEST_TARGET}.")
    if rules.dealer_may_match and rules.auction != "single_round":
        raise InvalidRules("dealer_may_match", "The dealer can match a bid only in a single_round auction.")
    if rules.dealer_must_bid and rules.auction == "suit_bids":
        raise InvalidRules("dealer_must_bid", "A forced bid would need an invented suit in a suit_bids auction.")
    if rules.doubling and rules.auction != "suit_bids":
        raise InvalidRules("doubling", "Doubling belongs to a suit_bids auction.")
