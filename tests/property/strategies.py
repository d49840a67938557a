"""What Hypothesis draws: rule sets that can be played, and what the engine says in the oracle's words."""

from typing import Any

import msgspec
from hypothesis import strategies as st

from matches.engine import VARIANTS, rules_for
from matches.engine.cards import DECK, TRUMPS
from matches.engine.commands import Double, NameTrump, Pass, PlaceBid, PlayCard, PlayerAction
from matches.engine.rules import Rules
from tests.property.oracle import Act, Knobs

EVERY_TRY: tuple[PlayerAction, ...] = (
    *(PlaceBid(tricks, trump) for tricks in range(5, 16) for trump in (None, *TRUMPS)),
    Pass(),
    Double(),
    *(NameTrump(trump) for trump in TRUMPS),
    *(PlayCard(card) for card in DECK),
)
"""Everything a player could ask for, sensible or not."""


def plain(action: PlayerAction) -> Act:
    """The action in the oracle's words."""
    match action:
        case PlaceBid():
            return ("bid", action.tricks, action.trump)
        case Pass():
            return ("pass",)
        case Double():
            return ("double",)
        case NameTrump():
            return ("name_trump", action.trump)
        case PlayCard():
            return ("play", action.card)


def knobs_of(rules: Rules) -> Knobs:
    """The rules as the oracle reads them."""
    return msgspec.structs.asdict(rules)


def targets(variant: str) -> st.SearchStrategy[int]:
    """Mostly short matches, where the end comes soon."""
    known = VARIANTS[variant].targets
    if known is not None:
        return st.sampled_from(known)
    return st.sampled_from([31, 31, 32, 41, 61, 501])


@st.composite
def variant_rules(draw: st.DrawFn, variant: str) -> Rules:
    """A variant as it is, to some target."""
    return rules_for(variant, target=draw(targets(variant)))


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """A variant with any knobs overridden, among the combinations that can be played."""
    variant = draw(st.sampled_from(sorted(VARIANTS)))
    auction = draw(st.sampled_from(["ascending", "suit_bids", "single_round"]))
    knobs: dict[str, Any] = {
        "target": draw(targets(variant)),
        "auction": auction,
        "direction": draw(st.sampled_from(["counterclockwise", "clockwise"])),
        "deal_style": draw(st.sampled_from(["one_by_one", "one_go"])),
        "no_trumps": draw(st.booleans()),
        "dealer_may_match": auction == "single_round" and draw(st.booleans()),
        "dealer_must_bid": auction != "suit_bids" and draw(st.booleans()),
        "doubling": auction == "suit_bids" and draw(st.booleans()),
        "double_defenders": draw(st.booleans()),
    }
    return rules_for(variant, **knobs)
