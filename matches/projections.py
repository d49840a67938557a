"""Read rows, written in the transaction of the append from nothing but the state and its events.

`project` is the only writer: live play calls it for every append, the rebuild once a match with all its events, so the
two cannot differ. The one fact that lies in another stream is the next match, which the creation of that match sets.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, assert_never
from uuid import UUID

from matches.engine import turn_of
from matches.engine.events import Event, MatchCreated, PlayerReplaced, SeatLeft, SeatTaken
from matches.engine.seats import Seat
from matches.engine.state import Auction, Dealing, NamingTrump, Over, Play, State, Waiting
from tarneeb_service.database import Statement, write


class Turn(NamedTuple):
    """Whose turn it is, since when, and when the clock plays for them (None without a clock)."""

    seat: Seat
    since: datetime
    deadline: datetime | None


def turn_from(state: State, since: datetime) -> Turn | None:
    """The turn that `state` leaves open, begun when its last event was recorded; None where nobody is to act
    (R-CLK-3).
    """
    seat = turn_of(state)
    if seat is None:
        return None
    seconds = state.table.room.turn_seconds
    return Turn(seat, since, None if seconds is None else since + timedelta(seconds=seconds))


def status_of(state: State) -> str:
    """The `status` of the API: what a match is doing."""
    match state:
        case Waiting():
            return "waiting"
        case Dealing() | Auction() | NamingTrump() | Play():
            return "playing"
        case Over():
            return state.status
        case _:
            assert_never(state)


def project(
    *,
    stream_id: UUID,
    tenant_id: UUID,
    version: int,
    state: State,
    events: Sequence[Event],
    recorded_at: datetime,
    ended_at: datetime | None = None,
) -> None:
    """Bring the read rows of a match to `version`, whose state is `state`, after these events.

    `ended_at` is given by the rebuild, which sees all events at once; live play ends a match at the moment it records.
    """
    if isinstance(state, Over) and ended_at is None:
        ended_at = recorded_at
    changing = _changing_columns(state, version=version, recorded_at=recorded_at, ended_at=ended_at)
    created = events[0] if events and isinstance(events[0], MatchCreated) else None
    rows: list[Statement]
    if created is None:
        rows = [Statement(_MOVE, (*changing, stream_id))]
    else:
        rows = [Statement(_NEW, (*_fixed_columns(created, stream_id, tenant_id, recorded_at), *changing))]
        if created.previous_match is not None:
            rows.append(Statement(_LINK, (stream_id, created.previous_match, tenant_id)))
    # The last word on each seat: writes that go out together must not touch one row twice.
    seats: dict[Seat, Statement] = {}
    for event in events:
        match event:
            case SeatTaken(seat=seat, player=player) | PlayerReplaced(seat=seat, player=player):
                seats[seat] = Statement(_SEAT, (stream_id, seat, player))
            case SeatLeft(seat=seat):
                seats[seat] = Statement(_SEAT_LEFT, (stream_id, seat))
            case _:
                pass
    write(*rows, *seats.values())


def link_matches() -> None:
    """Set the next match of every match, for the rebuild, in which a match may come before the one that it follows."""
    write(Statement(_LINK_ALL, ()))


def _fixed_columns(created: MatchCreated, stream_id: UUID, tenant_id: UUID, created_at: datetime) -> list[Any]:
    room, rules = created.room, created.rules
    return [
        stream_id,
        tenant_id,
        rules.variant,
        rules.target,
        room.visibility,
        room.turn_seconds,
        room.spectator_delay_seconds,
        created_at,
        created.previous_match,
    ]


def _hand_number(state: State) -> int:
    """The hand on the table, as views number it; after the match, the last one that was dealt."""
    match state:
        case Over():
            return _hand_number(state.last)
        case Dealing():
            return state.table.hand if state.scored is None else state.scored.table.hand
        case Waiting() | Auction() | NamingTrump() | Play():
            return state.table.hand
        case _:
            assert_never(state)


def _changing_columns(state: State, *, version: int, recorded_at: datetime, ended_at: datetime | None) -> list[Any]:
    turn = turn_from(state, recorded_at)
    over = state if isinstance(state, Over) else None
    return [
        version,
        status_of(state),
        _hand_number(state),
        *state.table.totals,
        over.winner if over else None,
        over.reason if over else None,
        *(turn or (None, None, None)),
        recorded_at,
        ended_at,
    ]


_CHANGING = (
    "version, status, hand, total_0, total_1, winner, reason, turn_seat, turn_since, deadline, updated_at, ended_at"
)
_NEW = f"""
INSERT INTO matches_match (id, tenant_id, variant, target, visibility, turn_seconds, spectator_delay_seconds,
                           created_at, previous_match, {_CHANGING})
VALUES ({", ".join(["%s"] * 21)})"""
_MOVE = """
UPDATE matches_match
   SET version = %s, status = %s, hand = %s, total_0 = %s, total_1 = %s, winner = %s, reason = %s, turn_seat = %s,
       turn_since = %s, deadline = %s, updated_at = %s, ended_at = coalesce(ended_at, %s)
 WHERE id = %s"""
# Of several that follow one match the first by id is its next, whichever commits first.
_LINK = "UPDATE matches_match SET next_match = least(next_match, %s) WHERE id = %s AND tenant_id = %s"
_LINK_ALL = """
UPDATE matches_match AS m SET next_match = n.id
  FROM (SELECT DISTINCT ON (tenant_id, previous_match) tenant_id, previous_match, id
          FROM matches_match WHERE previous_match IS NOT NULL ORDER BY tenant_id, previous_match, id) AS n
 WHERE m.id = n.previous_match AND m.tenant_id = n.tenant_id"""
_SEAT = """
INSERT INTO matches_matchseat (match_id, seat, player) VALUES (%s, %s, %s)
    ON CONFLICT (match_id, seat) DO UPDATE SET player = excluded.player"""
_SEAT_LEFT = "DELETE FROM matches_matchseat WHERE match_id = %s AND seat = %s"
