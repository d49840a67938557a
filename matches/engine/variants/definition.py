"""What a variant is: values for the knobs, and the targets it is played to."""

from msgspec import Struct

from matches.engine.rules import Rules


class Variant(Struct, frozen=True):
    """A named set of rules. `targets` is None where any target in the general range will do (RULES.md)."""

    rules: Rules
    targets: tuple[int, ...] | None = None
    quick_target: int = 41

    @property
    def name(self) -> str:
        """The `variant` of the API."""
        return self.rules.variant
