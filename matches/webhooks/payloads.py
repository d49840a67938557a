"""What a webhook is sent, composed for every attempt from the log, as the tenant may see it: no hidden card is near.

The same bytes each time, as long as the players' names stay the same.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from matches import names, selectors
from matches.answers import EventAnswer, MatchAnswer
from matches.engine.views import ResultView
from matches.selectors import Viewer
from matches.webhooks.kinds import Kind
from tarneeb_service.http.rendering import encode_json


class HookSeat(Struct, frozen=True):
    """One seat. `player` is the tenant's own id, null while the seat is free."""

    seat: int
    player: str | None
    team: int


class HookTurn(Struct, frozen=True):
    """Whose turn it is. `deadline` is null without a clock."""

    seat: int
    player: str | None
    since: datetime
    deadline: datetime | None


class HookData(Struct, frozen=True):
    """The match as it stood right after `version`, and what happened: `event` as in `GET /matches/{id}/events`, or, for
    what is no event of the match, `details`. `hand` is the number of the hand on the table, from 1.
    """

    match: UUID
    version: int
    status: str
    variant: str
    target: int
    seats: tuple[HookSeat, ...]
    totals: tuple[int, int]
    hand: int | None
    turn: HookTurn | None
    result: ResultView | None
    event: EventAnswer | None
    details: dict[str, Any] | None


class HookMessage(Struct, frozen=True):
    """The body of a webhook's request (Standard Webhooks). `timestamp` is when it happened."""

    type: Kind
    timestamp: datetime
    data: HookData


def composed(
    *, tenant_id: UUID, match_id: UUID, version: int, kind: str, occurred_at: datetime, details: str | None
) -> bytes:
    """The body of a message. Raises `StreamNotFound` for a match that is no longer there."""
    moment = selectors.moment_seen(match_id=match_id, viewer=Viewer(tenant_id), version=version)
    own = None if details is None else names.with_external_ids(msgspec.json.decode(details, type=dict[str, Any]))
    data = _data(moment.match, moment.event if details is None else None, own)
    return encode_json(HookMessage(msgspec.convert(kind, Kind), occurred_at, data))


def _data(match: MatchAnswer, event: EventAnswer | None, details: dict[str, Any] | None) -> HookData:
    turn = match.turn
    return HookData(
        match=match.id,
        version=match.version,
        status=match.status,
        variant=match.variant,
        target=match.rules.target,
        seats=tuple(HookSeat(seat.seat, seat.player, seat.team) for seat in match.seats),
        totals=match.totals,
        hand=None if match.hand is None else match.hand.number,
        turn=None if turn is None else HookTurn(turn.seat, match.seats[turn.seat].player, turn.since, turn.deadline),
        result=match.result,
        event=event,
        details=details,
    )
