"""ERAM CARDS rules: as classic, but no no-trumps, and played to 31, 41 or 61."""

from matches.engine.rules import Rules
from matches.engine.variants.definition import Variant

VARIANT = Variant(
    Rules(variant="eram", no_trumps=False),
    targets=(31, 41, 61),
)
