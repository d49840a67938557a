"""Whole matches through the services, in every variant: one state whoever looks, and no card for the wrong eyes."""

import re
from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from matches import event_store, selectors, services, state_cache
from matches.engine import VARIANTS, Auditor, SeatViewer, Spectator, evolve, sheet, visible_state
from matches.engine.events import CardPlayed, Event, HandDealt, HandScored
from matches.engine.room import Room
from matches.engine.seats import SEATS
from matches.engine.state import State
from matches.selectors import Viewer
from tests.tables import House, Table, check_chain, events_of, folded, open_table

CARD = re.compile(r'"([2-9TJQKA][CDHS])"')
SEATLESS = 4
"""The place, beside the seats 0-3, of everybody who holds no seat."""


class Truth:
    """Which cards each place may know of, followed from the log and not from any view."""

    def __init__(self) -> None:
        self.version = 0
        self.deal_version = 0
        self.played: frozenset[str] = frozenset()
        self.dealt: tuple[frozenset[str], ...] = (frozenset(),) * 5
        self.known_at: list[tuple[frozenset[str], ...]] = [self.dealt]
        """By version and place: the cards of that deal that the place may have been told of by then."""

    def follow(self, event: Event) -> None:
        """Take the next event in."""
        self.version += 1
        if isinstance(event, HandDealt):
            self.deal_version = self.version
            self.played = frozenset()
            self.dealt = (*(frozenset(holding) for holding in event.holdings), frozenset())
        elif isinstance(event, CardPlayed):
            self.played |= {event.card}
        self.known_at.append(tuple(holding | self.played for holding in self.dealt))


def watchers(at: House) -> Iterator[tuple[int, Viewer]]:
    """All who may look, each with their place."""
    for seat in SEATS:
        yield seat, Viewer(at.tenant_id, at.four[seat])
    yield SEATLESS, Viewer(at.tenant_id, at.salma)
    yield SEATLESS, Viewer(at.tenant_id)
    yield SEATLESS, Viewer(at.tenant_id, moderator=True)


def cards_in(answer: object) -> set[str]:
    """Every card that an answer names in its encoded bytes, wherever it stands."""
    return set(CARD.findall(msgspec.json.encode(answer).decode()))


def look(table: Table, viewer: Viewer, place: int, truth: Truth, after: int) -> None:
    """Assert that this viewer gets their own cards, what lies on the table, and no other card, in view and events."""
    match = selectors.match_seen(match_id=table.match_id, viewer=viewer)
    assert match.version == truth.version
    known = truth.known_at[truth.version][place]
    assert cards_in(match) <= known
    if place == SEATLESS:
        assert match.you is None
    else:
        assert match.you is not None
        assert match.you.seat == place
        assert cards_in(match.you.holding) == truth.dealt[place] - truth.played

    answer = selectors.events_seen(match_id=table.match_id, viewer=viewer, after=after, limit=10_000)
    assert (answer.version, [event.version for event in answer.events]) == (
        truth.version,
        list(range(after + 1, truth.version + 1)),
    )
    for event in answer.events:
        if viewer.moderator and (event.version < truth.deal_version or table.over):
            # To a moderator a deal lies open once it is no longer in play.
            assert event.type != "hand_dealt" or len(cards_in(event)) == 52
            continue
        known = truth.known_at[event.version][place]
        assert cards_in(event) <= known, f"version {event.version} tells place {place} too much"
        assert event.type != "hand_dealt" or cards_in(event) == known


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_match_is_the_same_for_all_and_shows_no_hidden_card(cast: House, variant: str) -> None:
    random = Random(variant)
    table = open_table(cast, variant, room=Room(turn_seconds=60))
    truth, seen_to = Truth(), 0
    state: State | None = None
    while True:
        for entry in event_store.events_of(table.match_id, after=truth.version):
            truth.follow(entry.event)
            state = evolve(state, entry.event)
        assert state == table.state
        if table.over or len(table.outcomes[-1].events) > 1 or random.random() < 0.06:
            for place, viewer in watchers(cast):
                look(table, viewer, place, truth, seen_to)
            seen_to = truth.version
        if table.over:
            break
        if random.random() < 0.1:
            state_cache.clear()
        table.step()
    check_chain(table.match_id)
    check_end(table, cast)


def check_end(table: Table, at: House) -> None:
    """Live state, fold, views and sheets agree about how it ended."""
    state = folded(table.match_id)
    assert state == table.state
    scored = [event for event in events_of(table.match_id) if isinstance(event, HandScored)]
    ledger = sheet(event.points for event in scored)
    for place, viewer in watchers(at):
        match = selectors.match_seen(match_id=table.match_id, viewer=viewer)
        as_whom = (
            SeatViewer(place) if place < SEATLESS else Auditor(state.table.deals) if viewer.moderator else Spectator()
        )
        seen = visible_state(state, as_whom)
        assert (match.status, match.totals, match.hand, match.result, match.you) == (
            seen.status,
            seen.totals,
            seen.hand,
            seen.result,
            seen.you,
        )
        shown = selectors.sheet_seen(match_id=table.match_id, viewer=viewer)
        assert tuple(team.signed for team in shown.teams) == state.table.totals
        assert [(row.points, row.entries) for row in shown.rows] == [
            (event.points, row.entries) for event, row in zip(scored, ledger.rows, strict=True)
        ]


def test_an_abandoned_hand_stays_closed_to_all_but_moderators(table: Table, cast: House) -> None:
    """Until it ends nobody sees the cards; after it, seats and spectators see no more than before."""
    table.play(30)
    table.took(services.abandon_match(match_id=table.match_id, tenant_id=cast.tenant_id, reason="the lights went out"))
    truth = Truth()
    for event in events_of(table.match_id):
        truth.follow(event)
    for place, viewer in watchers(cast):
        look(table, viewer, place, truth, 0)


def test_answers_to_a_command_show_the_actor_no_more(table: Table, cast: House) -> None:
    """The answer to the card that ends a hand carries the next deal: one's own cards of it."""
    outcome = table.finish_hand()
    truth = Truth()
    for event in events_of(table.match_id):
        truth.follow(event)
    for place, viewer in watchers(cast):
        answer = selectors.action_seen(outcome=outcome, viewer=viewer)
        known = truth.known_at[truth.version][place] | truth.known_at[outcome.events[0].version][SEATLESS]
        assert cards_in(answer.match) <= known
        assert cards_in(answer.events[-1]) == truth.known_at[truth.version][place]
        found = selectors.command_seen(match_id=table.match_id, viewer=viewer, command_id=outcome.events[0].command_id)
        assert found is not None
        assert found.events == answer.events
