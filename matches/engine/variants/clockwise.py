"""Classic, with everything running clockwise."""

from matches.engine.rules import Rules
from matches.engine.variants.definition import Variant

VARIANT = Variant(
    Rules(variant="clockwise", direction="clockwise"),
)
