"""Events to and from their stored form: an explicit type name, a schema version, canonical JSON text.

The names and shapes here are written into every log for ever. A class may be renamed; a name may not. A change of shape
gets the next schema version and an upcaster from the one before, and old text is never rewritten.

Canonical text is RFC 8785 restricted to what events hold: strings, integers below 2**53, booleans, null, lists and
objects. No floats. `tests/unit/test_codec.py` holds it against an independent implementation.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from matches.engine import events as e
from matches.engine.events import Event

Body = dict[str, Any]

SCHEMAS: Final[dict[type[Event], tuple[str, int]]] = {
    e.MatchCreated: ("match_created", 1),
    e.SeatTaken: ("seat_taken", 1),
    e.SeatLeft: ("seat_left", 1),
    e.MatchStarted: ("match_started", 1),
    e.HandDealt: ("hand_dealt", 1),
    e.BidPlaced: ("bid_placed", 1),
    e.Passed: ("passed", 1),
    e.Doubled: ("doubled", 1),
    e.HandThrownIn: ("hand_thrown_in", 1),
    e.TrumpNamed: ("trump_named", 1),
    e.CardPlayed: ("card_played", 1),
    e.HandScored: ("hand_scored", 1),
    e.MatchWon: ("match_won", 1),
    e.PlayerReplaced: ("player_replaced", 1),
    e.MatchAbandoned: ("match_abandoned", 1),
    e.MatchVoided: ("match_voided", 1),
    e.ScoreAdjusted: ("score_adjusted", 1),
}
"""The name and the current schema version of every event class."""

UPCASTERS: Final[dict[tuple[str, int], Callable[[Body], Body]]] = {}
"""For a name and an old schema version: the body in the next version's shape."""

EVENT_NAMES: Final[tuple[str, ...]] = tuple(name for name, _ in SCHEMAS.values())

_encoder = msgspec.json.Encoder(order="sorted")
_classes: dict[str, tuple[int, type[Event]]] = {name: (version, cls) for cls, (name, version) in SCHEMAS.items()}
_decoders: dict[tuple[str, int], Callable[[str], Event]] = {
    (name, version): msgspec.json.Decoder(cls).decode for cls, (name, version) in SCHEMAS.items()
}


class UnknownEvent(Exception):
    """Stored text of a type or schema version that this code does not know."""


def name_of(event: Event) -> str:
    """The stored type name of an event."""
    return SCHEMAS[type(event)][0]


def encode(event: Event) -> tuple[str, int, str]:
    """The stored form: type name, schema version, canonical text."""
    name, version = SCHEMAS[type(event)]
    return name, version, _encoder.encode(event).decode()


def decode(name: str, version: int, text: str) -> Event:
    """The event behind a stored form, whatever its schema version.

    Raises `UnknownEvent` for a name or version that was never written, `msgspec.ValidationError` for text of another
    shape.
    """
    decoder = _decoders.get((name, version))
    if decoder is not None:
        return decoder(text)
    return _upcast(name, version, text)


def _upcast(name: str, version: int, text: str) -> Event:
    if name not in _classes:
        raise UnknownEvent(f"no event is called {name}")
    current, cls = _classes[name]
    body: Body = msgspec.json.decode(text)
    while version != current:
        upcaster = UPCASTERS.get((name, version))
        if upcaster is None:
            raise UnknownEvent(f"{name} has no schema version {version}")
        body = upcaster(body)
        version += 1
    event: Event = msgspec.convert(body, cls)
    return event
