"""States kept in this process, and the hand-start snapshot's text.

A cached state is found by version *and* head hash. The hash covers all that led there, so an entry left behind by a
transaction that was rolled back can never be taken for the real one.
"""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple
from uuid import UUID

import msgspec

from matches.engine import evolve
from matches.engine.events import Event
from matches.engine.state import Auction, State

CAPACITY = 4096
"""Some 5 KB a state: about 20 MB in a process that has them all."""

SNAPSHOT_FORMAT = "1 "
"""Raise when the fields of `Auction` or `Table` change: older snapshots are then ignored and folded anew."""


class Cached(NamedTuple):
    """A state and the head that it was folded to."""

    version: int
    head_hash: bytes
    state: State


_states: OrderedDict[UUID, Cached] = OrderedDict()
_turn = Lock()
"""One thread may push out what another is just about to move to the end."""


def get(stream_id: UUID) -> Cached | None:
    """The last state seen of this stream, if it is still kept."""
    with _turn:
        cached = _states.get(stream_id)
        if cached is not None:
            _states.move_to_end(stream_id)
        return cached


def put(stream_id: UUID, version: int, head_hash: bytes, state: State) -> None:
    """Keep a state; the one unused for longest makes room."""
    with _turn:
        _states[stream_id] = Cached(version, head_hash, state)
        _states.move_to_end(stream_id)
        if len(_states) > CAPACITY:
            _states.popitem(last=False)


def clear() -> None:
    """Forget everything, as a new process would."""
    with _turn:
        _states.clear()


def folded(events: Iterable[Event], state: State | None) -> State | None:
    """`state` with these events folded in; None if there is neither."""
    for event in events:
        state = evolve(state, event)
    return state


_decoder = msgspec.json.Decoder(Auction)


def dump(state: State) -> str | None:
    """The text of a hand's start, or None for a state that is not one."""
    if not isinstance(state, Auction) or state.calls:
        return None
    return SNAPSHOT_FORMAT + msgspec.json.encode(state).decode()


def load(text: str) -> State | None:
    """The state behind a snapshot's text, or None if it was written in another format."""
    if not text.startswith(SNAPSHOT_FORMAT):
        return None
    return _decoder.decode(text[len(SNAPSHOT_FORMAT) :])
