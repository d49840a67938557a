"""One bid each; the dealer, speaking last, may match the highest to take it over."""

from matches.engine.rules import Rules
from matches.engine.variants.definition import Variant

VARIANT = Variant(
    Rules(variant="lebanese", auction="single_round", dealer_may_match=True),
)
