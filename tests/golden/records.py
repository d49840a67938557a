"""The golden files: one whole match a variant as its log, and what was made of it when it was recorded.

`streams/<name>.jsonl` is a log, one event a line: canonical JSON with its type, schema version and body. Written once,
these stand for every log in production: code that no longer reads them breaks history. `views/<name>.json` says where
the match ended and, as SHA-256, what every viewer was shown at the end of every hand.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from matches import codec
from matches.engine import Auditor, SeatViewer, Spectator, Viewer, evolve, fold, visible_state
from matches.engine.events import Event, HandDealt, HandScored, HandThrownIn
from matches.engine.state import Over, State

HERE = Path(__file__).parent
STREAMS, VIEWS = HERE / "streams", HERE / "views"

VIEWERS: dict[str, Viewer] = {
    **{f"seat:{seat}": SeatViewer(seat) for seat in range(4)},
    "spectator": Spectator(),
    "auditor, nothing open": Auditor(0),
    "auditor, everything open": Auditor(10_000),
}


class Line(msgspec.Struct, forbid_unknown_fields=True):
    """One line of a stream. The body is the stored text, as it is."""

    type: str
    schema_version: int
    body: msgspec.Raw


def names() -> list[str]:
    """Every golden stream, by name."""
    return sorted(path.stem for path in STREAMS.glob("*.jsonl"))


def to_line(event: Event) -> str:
    """The event as a line, without its end."""
    name, version, text = codec.encode(event)
    return msgspec.json.encode(Line(name, version, msgspec.Raw(text)), order="sorted").decode()


def from_line(line: str) -> Event:
    """The event of a line."""
    read = msgspec.json.decode(line, type=Line)
    return codec.decode(read.type, read.schema_version, bytes(read.body).decode())


def read_lines(name: str) -> list[str]:
    """The lines of a stream."""
    return (STREAMS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def write_lines(name: str, events: Iterable[Event]) -> None:
    """Write a stream."""
    text = "".join(to_line(event) + "\n" for event in events)
    (STREAMS / f"{name}.jsonl").write_text(text, encoding="utf-8")


def summary(events: list[Event]) -> dict[str, Any]:
    """What becomes of a log: where the match ends, and the digests of all views after every hand and at the end."""
    state: State | None = None
    hands = []
    for version, event in enumerate(events, start=1):
        state = evolve(state, event)
        if isinstance(event, HandScored | HandThrownIn):
            hands.append({"version": version, "event": codec.name_of(event), "views": _digests(state)})
    over = fold(events)
    assert isinstance(over, Over)
    return {
        "events": len(events),
        "deals": sum(isinstance(event, HandDealt) for event in events),
        "status": over.status,
        "reason": over.reason,
        "winner": over.winner,
        "totals": list(over.table.totals),
        "hands": hands,
        "end": {"views": _digests(over)},
    }


def _digests(state: State) -> dict[str, str]:
    return {
        name: hashlib.sha256(msgspec.json.encode(visible_state(state, viewer))).hexdigest()
        for name, viewer in VIEWERS.items()
    }


def read_summary(name: str) -> dict[str, Any]:
    """The recorded summary of a stream."""
    recorded: dict[str, Any] = json.loads((VIEWS / f"{name}.json").read_text(encoding="utf-8"))
    return recorded


def write_summary(name: str, events: list[Event]) -> None:
    """Record the summary of a stream."""
    (VIEWS / f"{name}.json").write_text(json.dumps(summary(events), indent=1) + "\n", encoding="utf-8")
