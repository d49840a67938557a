"""Lists of matches, read from their read rows alone."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from matches import names
from matches.answers import ListedMatch, ListedSeat, TurnAnswer
from matches.engine.seats import team_of
from matches.engine.views import ResultView
from matches.selectors import Viewer

STATUSES = ("waiting", "playing", "completed", "abandoned", "voided")


class Wanted(NamedTuple):
    """What a list is narrowed to; None leaves a filter out. `before` is the id of the last match of the page before."""

    status: str | None = None
    player: UUID | None = None
    variant: str | None = None
    created_after: datetime | None = None
    before: UUID | None = None


def matches_seen(*, viewer: Viewer, wanted: Wanted, limit: int) -> list[ListedMatch]:
    """The matches that this viewer may know of, newest first, at most `limit`."""
    where, params = _conditions(viewer, wanted)
    with connection.cursor() as cursor:
        cursor.execute(f"{_LIST} WHERE {' AND '.join(where)} ORDER BY m.id DESC LIMIT %s", [*params, limit])
        columns = [column.name for column in cursor.description or ()]
        rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
        cursor.execute(_SEATS, [[row["id"] for row in rows]])
        seats = cursor.fetchall()
    known = names.external_ids({str(player) for _, _, player in seats})
    seated: dict[UUID, list[tuple[int, UUID]]] = {}
    for match_id, seat, player in seats:
        seated.setdefault(match_id, []).append((seat, player))
    return [_listed(row, seated.get(row["id"], []), known, viewer) for row in rows]


_LIST = "SELECT m.*, statement_timestamp() AS now FROM matches_match m"
_SEATS = "SELECT match_id, seat, player FROM matches_matchseat WHERE match_id = ANY(%s) ORDER BY match_id, seat"
_SEATED = "EXISTS (SELECT FROM matches_matchseat s WHERE s.match_id = m.id AND s.player = %s)"
_HELD_BACK = f"""
(m.status <> 'waiting' AND statement_timestamp() - m.updated_at < make_interval(secs => m.spectator_delay_seconds)
 AND NOT {_SEATED})"""
"""What `_held_back` says, for a filter: it must not tell what the list does not."""


def _conditions(viewer: Viewer, wanted: Wanted) -> tuple[list[str], list[Any]]:
    where, params = ["m.tenant_id = %s"], [viewer.tenant_id]  # type: list[str], list[Any]
    if viewer.player is not None:
        where.append(f"(m.visibility <> 'private' OR {_SEATED})")
        params.append(viewer.player)
    if wanted.status is not None:
        condition, given = _shown_status(viewer, wanted.status)
        where.append(condition)
        params += given
    for condition, value in (
        (_SEATED, wanted.player),
        ("m.variant = %s", wanted.variant),
        ("m.created_at > %s", wanted.created_after),
        ("m.id < %s", wanted.before),
    ):
        if value is not None:
            where.append(condition)
            params.append(value)
    return where, params


def _shown_status(viewer: Viewer, status: str) -> tuple[str, list[Any]]:
    """The condition that a match is listed to this viewer with this status."""
    if viewer.player is None:
        return "m.status = %s", [status]
    if status == "playing":
        return f"(m.status = %s OR {_HELD_BACK})", [status, viewer.player]
    return f"m.status = %s AND NOT {_HELD_BACK}", [status, viewer.player]


def _listed(
    row: dict[str, Any], seats: Sequence[tuple[int, UUID]], known: dict[str, str], viewer: Viewer
) -> ListedMatch:
    held_back = _held_back(row, seats, viewer)
    turn = None
    if row["turn_seat"] is not None:
        deadline = row["deadline"]
        left = None if deadline is None else max(0.0, round((deadline - row["now"]).total_seconds(), 1))
        turn = TurnAnswer(row["turn_seat"], row["turn_since"], deadline, left)
    totals = (row["total_0"], row["total_1"])
    result = None if row["reason"] is None else ResultView(row["winner"], row["reason"], totals)
    status = "playing" if held_back and row["status"] != "waiting" else row["status"]
    return ListedMatch(
        id=row["id"],
        status=status,
        version=None if held_back else row["version"],
        variant=row["variant"],
        target=row["target"],
        visibility=row["visibility"],
        turn_seconds=row["turn_seconds"],
        seats=[ListedSeat(seat, known[str(player)], team_of(seat)) for seat, player in seats],
        hand=None if held_back else row["hand"],
        totals=None if held_back else totals,
        turn=None if held_back else turn,
        result=None if held_back else result,
        previous_match=row["previous_match"],
        next_match=None if held_back else row["next_match"],
        created_at=row["created_at"],
        ended_at=None if held_back else row["ended_at"],
    )


def _held_back(row: dict[str, Any], seats: Sequence[tuple[int, UUID]], viewer: Viewer) -> bool:
    """Whether the room's delay still covers the row's last change for this viewer."""
    if viewer.player is None or any(player == viewer.player for _, player in seats):
        return False
    return bool(row["now"] - row["updated_at"] < timedelta(seconds=row["spectator_delay_seconds"]))
