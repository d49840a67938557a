"""Classic, with each player's thirteen cards dealt in one batch."""

from matches.engine.rules import Rules
from matches.engine.variants.definition import Variant

VARIANT = Variant(
    Rules(variant="one_go", deal_style="one_go"),
)
