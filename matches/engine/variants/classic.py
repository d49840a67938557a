"""SquareScores rules: counter-clockwise, one card at a time, no trumps allowed."""

from matches.engine.rules import Rules
from matches.engine.variants.definition import Variant

VARIANT = Variant(
    Rules(variant="classic"),
)
