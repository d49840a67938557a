"""Number and suit are bid together, with doubling and re-entry after a pass."""

from matches.engine.rules import Rules
from matches.engine.variants.definition import Variant

VARIANT = Variant(
    Rules(variant="egyptian", auction="suit_bids", doubling=True),
)
