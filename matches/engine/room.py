"""The settings of the room that are no rules of the game."""

from typing import Literal, TypeAlias

from msgspec import Struct

Visibility: TypeAlias = Literal["private", "tenant", "public"]


class Room(Struct, frozen=True, gc=False):
    """How this match is run. `turn_seconds` is None for a match without a clock; times are in seconds."""

    turn_seconds: int | None = None
    visibility: Visibility = "tenant"
    auto_rematch: bool = False
    spectator_delay_seconds: int = 0
