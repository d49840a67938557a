"""The only way out: what a viewer may see of a match, its events and its lists.

Cards come from `engine.visibility` and from nowhere else; this module adds ids, names and times. Every function takes a
`Viewer`, so that forgetting who asks is a type error.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from matches import codec, event_store, names
from matches.answers import (
    ActionAnswer,
    EventAnswer,
    EventsAnswer,
    MatchAnswer,
    MomentAnswer,
    ReceiptAnswer,
    SeatAnswer,
    SheetAnswer,
    SheetRow,
    SheetTeam,
    TurnAnswer,
)
from matches.engine import Auditor, SeatViewer, Spectator, sheet, visible_event, visible_state
from matches.engine.events import HandDealt, HandScored
from matches.engine.seats import SEATS, Seat, team_of
from matches.engine.state import State
from matches.event_store import FeedPosition, Outcome, Recorded
from matches.projections import turn_from
from matches.refusals import StreamNotFound


class Viewer(NamedTuple):
    """Who looks: a tenant (no player), one of its players, or one of its moderators."""

    tenant_id: UUID
    player: UUID | None = None
    moderator: bool = False


class _Facts(NamedTuple):
    """What the read row adds to a state."""

    version: int
    next_match: UUID | None
    since: datetime
    deadline: datetime | None
    now: datetime


def match_seen(*, match_id: UUID, viewer: Viewer) -> MatchAnswer:
    """The match as it stands for this viewer. Raises `StreamNotFound` for what they may not know of."""
    state, facts = _seen(match_id, viewer)
    return _match_answer(match_id, state, facts, viewer)


def match_after(*, outcome: Outcome, viewer: Viewer) -> MatchAnswer:
    """The match right after a command, at the moment of its recording, for the one who gave the command."""
    recorded_at = outcome.events[-1].recorded_at
    turn = turn_from(outcome.state, recorded_at)
    facts = _Facts(outcome.version, None, recorded_at, turn.deadline if turn else None, recorded_at)
    return _match_answer(outcome.match_id, outcome.state, facts, viewer)


def action_seen(*, outcome: Outcome, viewer: Viewer) -> ActionAnswer:
    """The answer to a command just recorded, as it looks to the one who gave it at the moment of recording."""
    engine_viewer = _engine_viewer(outcome.state, viewer)
    deals_before = outcome.state.table.deals - sum(isinstance(entry.event, HandDealt) for entry in outcome.events)
    events = _event_answers(outcome.events, engine_viewer, deals_before)
    return ActionAnswer(
        outcome.version, events, _receipt(outcome.events[-1]), match_after(outcome=outcome, viewer=viewer)
    )


def command_seen(*, match_id: UUID, viewer: Viewer, command_id: UUID) -> ActionAnswer | None:
    """What a command did, for as long as the match exists; None if it was never applied."""
    state, _ = _seen(match_id, viewer)
    recorded = event_store.events_of_command(match_id, command_id)
    if not recorded:
        return None
    deals_before = event_store.count_of_type(match_id, "hand_dealt", upto=recorded[0].version - 1)
    events = _event_answers(recorded, _engine_viewer(state, viewer), deals_before)
    return ActionAnswer(recorded[-1].version, events, _receipt(recorded[-1]))


def events_seen(*, match_id: UUID, viewer: Viewer, after: int, limit: int) -> EventsAnswer:
    """The events after a version, at most `limit`, as this viewer may see them."""
    state, facts = _seen(match_id, viewer)
    recorded = event_store.events_of(match_id, after=after, upto=facts.version, limit=limit)
    engine_viewer = _engine_viewer(state, viewer)
    deals_before = 0
    if isinstance(engine_viewer, Auditor):
        deals_before = event_store.count_of_type(match_id, "hand_dealt", upto=after)
    return EventsAnswer(_event_answers(recorded, engine_viewer, deals_before), facts.version)


def moment_seen(*, match_id: UUID, viewer: Viewer, version: int) -> MomentAnswer:
    """The event of this version and the match right after it. Raises `StreamNotFound` for a version yet to come too."""
    state, facts = _seen(match_id, viewer)
    recorded = event_store.events_of(match_id, after=version - 1, upto=version)
    if version > facts.version or not recorded:
        raise StreamNotFound(f"{match_id} has no version {version}")
    if version < facts.version:
        state = event_store.state_at(match_id, version)
    at = recorded[0].recorded_at
    turn = turn_from(state, at)
    deals_before = state.table.deals - isinstance(recorded[0].event, HandDealt)
    (event,) = _event_answers(recorded, _engine_viewer(state, viewer), deals_before)
    facts = _Facts(version, None, at, turn.deadline if turn else None, at)
    return MomentAnswer(_match_answer(match_id, state, facts, viewer), event)


class FeedStep(NamedTuple):
    """One event of a tenant's feed, and the position (transaction id, position in it) to go on from."""

    position: tuple[int, int]
    match_id: UUID
    event: EventAnswer


def feed_seen(*, tenant_id: UUID, after: tuple[int, int], limit: int) -> list[FeedStep]:
    """The next events over all matches of a tenant, each as the tenant may see it: `event_store.feed` has the order."""
    entries = event_store.feed(FeedPosition(*after), limit=limit, tenant_id=tenant_id)
    players = (getattr(entry.recorded.event, name, None) for entry in entries for name in ("player", "replaced"))
    # All names in one query, so that not each event asks for its own.
    names.external_ids({player for player in players if player is not None})
    answers = _event_answers([entry.recorded for entry in entries], Spectator(), deals_before=0)
    return [FeedStep(entry.position, entry.stream_id, answer) for entry, answer in zip(entries, answers, strict=True)]


def sheet_seen(*, match_id: UUID, viewer: Viewer) -> SheetAnswer:
    """The score sheet of a match up to what this viewer may know."""
    _, facts = _seen(match_id, viewer)
    scored = [
        entry.event
        for entry in event_store.events_of_type(match_id, "hand_scored")
        if isinstance(entry.event, HandScored) and entry.version <= facts.version
    ]
    ledger = sheet(event.points for event in scored)
    first, second = (SheetTeam(team.line, team.debt, team.signed) for team in ledger.teams)
    rows = [
        SheetRow(
            hand=event.hand,
            declarer_team=team_of(event.declarer),
            bid=event.bid,
            won=event.won,
            doubled=event.doubled,
            points=event.points,
            entries=row.entries,
            lines=row.lines,
            debts=row.debts,
        )
        for event, row in zip(scored, ledger.rows, strict=True)
    ]
    return SheetAnswer((first, second), rows, facts.version)


def heads_of(match_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Where each of these matches stands. For wake-ups only: it asks nobody who they are."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, version FROM matches_stream WHERE id = ANY(%s)", [list(match_ids)])
        return dict(cursor.fetchall())


def seconds_until_visible(*, match_id: UUID, viewer: Viewer, version: int) -> float | None:
    """How long until a viewer who watches with a delay may see an event that is stored already; None for all else."""
    if viewer.player is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_DELAY, [match_id, viewer.tenant_id])
        row = cursor.fetchone()
    if row is None or not row[0]:
        return None
    delay, now = row
    for entry in event_store.events_of(match_id, after=version - 1, upto=version):
        left = (entry.recorded_at - now).total_seconds() + delay
        # To whom it is visible already, nothing is delayed.
        return left if left > 0 else None
    return None


_DELAY = "SELECT spectator_delay_seconds, clock_timestamp() FROM matches_match WHERE id = %s AND tenant_id = %s"


# What stands behind them


def _seen(match_id: UUID, viewer: Viewer) -> tuple[State, _Facts]:
    """The state that this viewer may know of, at the head or, for a spectator of a delayed room, behind it."""
    with connection.cursor() as cursor:
        cursor.execute(_HEAD, [match_id, viewer.tenant_id])
        row = cursor.fetchone()
    if row is None:
        raise StreamNotFound(str(match_id))
    version, head_hash, next_match, since, deadline, visibility, delay, now = row
    state = event_store.state_at_head(match_id, version, bytes(head_hash))
    facts = _Facts(version, next_match, since, deadline, now)
    if viewer.player is None or _seat_of(state, viewer) is not None:
        return state, facts
    if visibility == "private":
        raise StreamNotFound(str(match_id))
    if delay:
        return _delayed(match_id, facts, now - timedelta(seconds=delay))
    return state, facts


_HEAD = """
SELECT s.version, s.head_hash, m.next_match, m.updated_at, m.deadline, m.visibility, m.spectator_delay_seconds,
       clock_timestamp()
  FROM matches_stream s JOIN matches_match m ON m.id = s.id
 WHERE s.id = %s AND s.tenant_id = %s"""


def _delayed(match_id: UUID, facts: _Facts, moment: datetime) -> tuple[State, _Facts]:
    """The match as it stood at `moment`, or newly created if it is younger than that."""
    version = max(1, event_store.version_at(match_id, moment))
    state = event_store.state_at(match_id, version)
    (last,) = event_store.events_of(match_id, after=version - 1, upto=version)
    turn = turn_from(state, last.recorded_at)
    next_match = facts.next_match if version == facts.version else None
    return state, _Facts(version, next_match, last.recorded_at, turn.deadline if turn else None, facts.now)


def _seat_of(state: State, viewer: Viewer) -> Seat | None:
    if viewer.player is None:
        return None
    reference = str(viewer.player)
    return next((seat for seat in SEATS if state.table.players[seat] == reference), None)


def _engine_viewer(state: State, viewer: Viewer) -> SeatViewer | Spectator | Auditor:
    if viewer.moderator:
        in_play = 1 if turn_from(state, _ANY_TIME) is not None else 0
        return Auditor(open_deals=state.table.deals - in_play)
    seat = _seat_of(state, viewer)
    return Spectator() if seat is None else SeatViewer(seat)


_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def _match_answer(match_id: UUID, state: State, facts: _Facts, viewer: Viewer) -> MatchAnswer:
    seen = visible_state(state, _engine_viewer(state, viewer))
    known = names.external_ids([player for player in seen.players if player is not None])
    turn = None
    if seen.turn_seat is not None:
        left = None if facts.deadline is None else max(0.0, round((facts.deadline - facts.now).total_seconds(), 1))
        turn = TurnAnswer(seen.turn_seat, facts.since, facts.deadline, left)
    seats = tuple(
        SeatAnswer(
            seat=seat,
            player=None if player is None else known[player],
            team=team_of(seat),
            connected=False,
            absent=False,
            cards_left=seen.cards_left[seat],
        )
        for seat, player in enumerate(seen.players)
    )
    return MatchAnswer(
        id=match_id,
        status=seen.status,
        version=facts.version,
        variant=seen.rules.variant,
        rules=seen.rules,
        turn_seconds=seen.room.turn_seconds,
        visibility=seen.room.visibility,
        auto_rematch=seen.room.auto_rematch,
        spectator_delay_seconds=seen.room.spectator_delay_seconds,
        deal_anchor=state.table.anchor,
        seats=seats,
        totals=seen.totals,
        hand=seen.hand,
        turn=turn,
        server_now=facts.now,
        you=seen.you,
        result=seen.result,
        previous_match=seen.previous_match,
        next_match=facts.next_match,
    )


def _event_answers(
    recorded: Sequence[Recorded], viewer: SeatViewer | Spectator | Auditor, deals_before: int
) -> list[EventAnswer]:
    answers = []
    deals = deals_before
    for entry in recorded:
        deals += isinstance(entry.event, HandDealt)
        answers.append(
            EventAnswer(
                version=entry.version,
                type=codec.name_of(entry.event),
                seat=getattr(entry.event, "seat", None),
                by=entry.by,
                recorded_at=entry.recorded_at,
                data=names.with_external_ids(visible_event(entry.event, viewer, deals=deals)),
            )
        )
    return answers


def _receipt(last: Recorded) -> ReceiptAnswer:
    return ReceiptAnswer(last.version, last.hash.hex(), last.recorded_at)
