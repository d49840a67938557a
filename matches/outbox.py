"""What is to be told of a tenant's matches, in outline and in the feed's order: the log itself, and what is beside it.

The log is the outbox of its events: they are in it from the append's own transaction on, and the append pays for
nothing else. What is no event is put here, into a table of its own, and takes its place among them. No event's content
leaves through here.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from tarneeb_service.database import Statement, rows_of

Position: TypeAlias = tuple[int, int]
"""Where a reader of the feed stands: transaction id, then position within it."""

_TURN_OPENERS = frozenset({"hand_dealt", "bid_placed", "passed", "doubled", "trump_named", "card_played"})


class Happening(NamedTuple):
    """One event, or one thing that was put beside them: then `type` is its kind, and `details` are its own, as JSON.

    `opens_turn`: after this event somebody is to act who was not, or whose last turn it ended.
    """

    position: Position
    match_id: UUID
    version: int
    type: str
    recorded_at: datetime
    opens_turn: bool
    details: str | None


def put(*, tenant_id: UUID, match_id: UUID, kind: str, details: Mapping[str, object]) -> bool:
    """Put something beside the events of a match, where it stands now; False if the tenant has no such match.

    In the caller's transaction. What is recorded at the same time as an event has no order with it; what an event was
    committed before, stands behind it.
    """
    text = msgspec.json.encode(details).decode()
    rows = rows_of(Statement(_PUT, (kind, text, match_id, tenant_id)))
    return bool(rows)


_PUT = """
INSERT INTO matches_outbox (xid, tenant_id, match_id, version, kind, details, recorded_at)
SELECT greatest(pg_current_xact_id(), e.xid), s.tenant_id, s.id, s.version, %s, %s::jsonb, clock_timestamp()
  FROM matches_stream s JOIN matches_storedevent e ON e.stream_id = s.id AND e.version = s.version
 WHERE s.id = %s AND s.tenant_id = %s
RETURNING pos"""


def happenings(*, tenant_id: UUID, after: Position, limit: int) -> list[Happening]:
    """What happened next in the tenant's matches, at most `limit`, with the promises of `event_store.feed`."""
    place = (tenant_id, str(after[0]), after[1])
    rows = rows_of(Statement(_HAPPENINGS, (*place, *place, limit)))
    return [
        Happening((int(xid), pos), match_id, version, name, at, name in _TURN_OPENERS and not closes_hand, details)
        for xid, pos, match_id, version, name, at, closes_hand, details in rows
    ]


_BEYOND = """
tenant_id = %s AND (xid, pos) > (%s::xid8, %s) AND xid < pg_snapshot_xmin(pg_current_snapshot())"""
# The last card of a hand and the last pass of an auction without a bid open no turn: what follows from them by the
# rules stands in the same append.
_HAPPENINGS = f"""
SELECT xid, pos, stream_id, version, type, recorded_at,
       EXISTS (SELECT FROM matches_storedevent n
                WHERE n.stream_id = e.stream_id AND n.command_id = e.command_id AND n.command_ix > e.command_ix
                  AND n.type IN ('hand_scored', 'hand_thrown_in')), NULL
  FROM matches_storedevent e WHERE {_BEYOND}
 UNION ALL
SELECT xid, pos, match_id, version, kind, recorded_at, false, details::text FROM matches_outbox WHERE {_BEYOND}
 ORDER BY xid, pos LIMIT %s"""


def behind(readers: Sequence[tuple[UUID, Position]]) -> list[int]:
    """The places in this list of the readers for whom there is something that they have not read, by one query."""
    if not readers:
        return []
    tenants = [tenant_id for tenant_id, _ in readers]
    xids = [str(xid) for _, (xid, _) in readers]
    rows = rows_of(Statement(_BEHIND, (tenants, xids, [pos for _, (_, pos) in readers])))
    return [place - 1 for (place,) in rows]


def _any_beyond(table: str) -> str:
    # In this form each reader costs a look into an index, whatever the planner makes of the number of readers.
    return f"""
(SELECT true FROM {table} e
  WHERE e.tenant_id = reader.tenant_id AND (e.xid, e.pos) > (reader.xid, reader.pos)
    AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY e.xid, e.pos LIMIT 1)"""


_BEHIND = f"""
SELECT reader.place
  FROM unnest(%s::uuid[], %s::text[]::xid8[], %s::bigint[]) WITH ORDINALITY AS reader (tenant_id, xid, pos, place)
 WHERE {_any_beyond("matches_storedevent")} OR {_any_beyond("matches_outbox")}
 ORDER BY reader.place"""


def end() -> Position:
    """The position behind which everything stands that is recorded from now on."""
    [(xid,)] = rows_of(Statement("SELECT pg_snapshot_xmin(pg_current_snapshot())::text", ()))
    return int(xid), 0


def purge(*, older_than: timedelta, batch: int = 5000) -> int:
    """Forget what was put here longer ago than that, `batch` rows a transaction; returns how many."""
    purged = 0
    while True:
        rows = rows_of(Statement(_PURGE, (older_than, batch)))
        purged += len(rows)
        if len(rows) < batch:
            return purged


_PURGE = """
DELETE FROM matches_outbox WHERE pos IN
       (SELECT pos FROM matches_outbox WHERE recorded_at < now() - %s ORDER BY pos LIMIT %s)
RETURNING 1"""
