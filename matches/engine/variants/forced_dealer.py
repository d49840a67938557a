"""Classic, where the dealer may not pass once the other three have."""

from matches.engine.rules import Rules
from matches.engine.variants.definition import Variant

VARIANT = Variant(
    Rules(variant="forced_dealer", dealer_must_bid=True),
)
