"""What a process keeps of the states it has seen, and the text of a snapshot."""

import sys
import threading
from collections.abc import Iterator
from random import Random
from uuid import uuid4

import pytest
from msgspec import structs

from matches import state_cache
from matches.engine import VARIANTS
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.state import Auction, Call, Table
from tests.cast import EngineMatch


@pytest.fixture(autouse=True)
def _emptied() -> Iterator[None]:
    state_cache.clear()
    yield
    state_cache.clear()


def test_the_state_unused_for_longest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_cache, "CAPACITY", 3)
    state = EngineMatch().state
    first, *others = [uuid4() for _ in range(4)]
    for stream_id in (first, *others[:2]):
        state_cache.put(stream_id, 1, bytes(32), state)
    assert state_cache.get(first) is not None
    state_cache.put(others[2], 1, bytes(32), state)
    assert state_cache.get(others[0]) is None
    assert [state_cache.get(stream_id) is not None for stream_id in (first, *others[1:])] == [True] * 3


def test_a_newer_state_takes_the_place_of_the_older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_cache, "CAPACITY", 2)
    state, stream_id, other = EngineMatch().state, uuid4(), uuid4()
    state_cache.put(other, 1, bytes(32), state)
    for version in range(5):
        state_cache.put(stream_id, version, bytes([version]) * 32, state)
    assert state_cache.get(stream_id) == (4, b"\4" * 32, state)
    assert state_cache.get(other) is not None


def test_threads_share_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread may push out what another is just about to move to the end."""
    monkeypatch.setattr(state_cache, "CAPACITY", 2)
    state = EngineMatch().state
    errors: list[Exception] = []
    streams = [uuid4() for _ in range(4)]

    def hammer(seed: int) -> None:
        random = Random(seed)
        try:
            for _ in range(10_000):
                stream_id = random.choice(streams)
                if random.random() < 0.5:
                    state_cache.put(stream_id, 1, bytes(32), state)
                elif (found := state_cache.get(stream_id)) is not None:
                    assert found.state is state
        except Exception as error:  # noqa: BLE001  shown below, in the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=hammer, args=[seed]) for seed in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert errors == []


# Snapshots


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_snapshot_reads_back_as_the_state_it_was(variant: str) -> None:
    for seed in range(5):
        match = EngineMatch(variant, first_dealer=seed % 4)
        match.deal(seed=seed)
        text = state_cache.dump(match.state)
        assert text is not None
        assert state_cache.load(text) == match.state
        assert type(state_cache.load(text)) is Auction


def test_only_the_start_of_a_hand_makes_a_snapshot() -> None:
    match = EngineMatch()
    assert state_cache.dump(match.state) is None
    match.deal()
    assert state_cache.dump(match.state) is not None
    match.calls("7")
    assert state_cache.dump(match.state) is None


def test_text_of_another_format_is_no_snapshot() -> None:
    match = EngineMatch()
    match.deal()
    text = state_cache.dump(match.state)
    assert text is not None
    assert state_cache.load("0" + text[1:]) is None
    assert state_cache.load("1" + text) is None


def test_the_format_number_stands_for_these_fields() -> None:
    """With other fields old snapshots are read as what they are not: raise `SNAPSHOT_FORMAT`, then change this."""
    fields = {
        cls.__name__: [field.name for field in structs.fields(cls)] for cls in (Auction, Table, Call, Rules, Room)
    }
    assert (state_cache.SNAPSHOT_FORMAT, fields) == (
        "1 ",
        {
            "Auction": ["table", "holdings", "calls", "turn", "highest", "doubled_by", "quiet"],
            "Table": [
                "rules", "room", "anchor", "previous_match", "players", "entropies", "totals", "hand", "deal", "deals",
                "dealer",
            ],
            "Call": ["seat", "type", "tricks", "trump"],
            "Rules": [
                "variant", "target", "direction", "deal_style", "no_trumps", "auction", "dealer_may_match",
                "dealer_must_bid", "doubling", "double_defenders",
            ],
            "Room": ["turn_seconds", "visibility", "auto_rematch", "spectator_delay_seconds"],
        },
    )  # fmt: skip
