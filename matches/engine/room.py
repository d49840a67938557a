"""The settings of the room that are no rules of the game."""

from typing import Literal, TypeAlias

from msgspec import Struct

from matches.engine.errors import InvalidRules

SHORTEST_TURN, LONGEST_TURN = 3, 86_400
LONGEST_DELAY = 3_600

Visibility: TypeAlias = Literal["private", "tenant", "public"]


class Room(Struct, frozen=True, gc=False):
    """How this match is run. `turn_seconds` is None for a match without a clock; times are in seconds."""

    turn_seconds: int | None = None
    visibility: Visibility = "tenant"
    auto_rematch: bool = False
    spectator_delay_seconds: int = 0


def check_room(room: Room) -> None:
    """Refuse settings out of range. Raises `InvalidRules` naming the setting."""
    if room.turn_seconds is not None and not SHORTEST_TURN <= room.turn_seconds <= LONGEST_TURN:
        raise InvalidRules("turn_seconds", f"A turn is {SHORTEST_TURN} to {LONGEST_TURN} seconds, or has no end.")
    if not 0 <= room.spectator_delay_seconds <= LONGEST_DELAY:
        raise InvalidRules("spectator_delay_seconds", f"Spectators see the match 0 to {LONGEST_DELAY} seconds late.")
