"""Logs that were written once fold for ever to what they folded to then, and show every viewer the same bytes."""

from typing import get_args

import msgspec
import pytest

from matches import codec
from matches.engine import VARIANTS, fold
from matches.engine.dealing import dealt, first_dealer, nth_secret, salt_for, secret_fits_anchor, shuffled_deck
from matches.engine.events import Event, HandDealt, MatchCreated, MatchStarted, SeatLeft, SeatTaken
from matches.engine.state import Over
from tests.golden import records
from tests.golden.regenerate import seed_of


def events_of(name: str) -> list[Event]:
    return [records.from_line(line) for line in records.read_lines(name)]


def test_every_variant_has_its_golden_match() -> None:
    assert set(records.names()) == {*VARIANTS, "abandoned"}
    for variant in VARIANTS:
        created = events_of(variant)[0]
        assert isinstance(created, MatchCreated)
        assert created.rules.variant == variant


def test_every_event_and_every_schema_version_ever_written_is_in_a_golden_match() -> None:
    stored = {
        (line.type, line.schema_version)
        for name in records.names()
        for line in (msgspec.json.decode(text, type=records.Line) for text in records.read_lines(name))
    }
    assert stored >= set(codec.SCHEMAS.values()) | set(codec.UPCASTERS)
    assert {type(event) for name in records.names() for event in events_of(name)} == set(get_args(Event))


@pytest.mark.parametrize("name", records.names())
def test_a_golden_log_is_written_as_it_was_read(name: str) -> None:
    for line in records.read_lines(name):
        assert records.to_line(records.from_line(line)) == line


@pytest.mark.parametrize("name", records.names())
def test_a_golden_log_folds_to_what_was_recorded_and_shows_every_viewer_the_same_bytes(name: str) -> None:
    recorded = records.read_summary(name)
    events = events_of(name)
    assert records.summary(events) == recorded
    over = fold(events)
    assert isinstance(over, Over)
    assert (over.status, over.winner, list(over.table.totals)) == tuple(
        recorded[key] for key in ("status", "winner", "totals")
    )
    assert len(recorded["hands"]) >= 2


@pytest.mark.parametrize("name", records.names())
def test_the_deals_of_a_golden_log_follow_from_its_secrets(name: str) -> None:
    # As a doubting player checks it once the secrets are revealed: every hand against the anchor of the first event.
    events = events_of(name)
    created = events[0]
    assert isinstance(created, MatchCreated)
    entropies: list[str | None] = [None] * 4
    deals = 0
    for event in events:
        match event:
            case SeatTaken():
                entropies[event.seat] = event.entropy
            case SeatLeft():
                entropies[event.seat] = None
            case MatchStarted():
                secret = nth_secret(seed_of(name), 0)
                assert secret_fits_anchor(secret, 0, created.anchor)
                assert event.first_dealer == first_dealer(secret, match=name, entropies=entropies)
            case HandDealt():
                deals += 1
                secret = nth_secret(seed_of(name), deals)
                assert secret_fits_anchor(secret, deals, created.anchor)
                deck = shuffled_deck(secret, match=name, deal=deals, entropies=entropies)
                assert event.holdings == dealt(deck, event.dealer, created.rules)
                assert event.salt == salt_for(secret, match=name, deal=deals)
            case _:
                pass
    assert deals >= 2
