"""Load and append: the only code that touches the log.

A command reads the head, decides without holding anything, and appends in one statement, which is a transaction of its
own (READ COMMITTED). In that statement:

1. the stream's advisory lock is taken, before any write to the stream;
2. a new snapshot shows, to a writer who waited for the lock, what the one before committed: if the head has moved since
   it was read, nothing is stored and the command is decided anew;
3. one multi-row insert, the head, and the caller's own rows; never `ON CONFLICT DO NOTHING`.

Whatever happens to the lock, no version can be taken twice: that is the primary key's. Whoever must win takes the lock
first, in a transaction around it all. `docs/decisions/0004-hot-path.md` says why it is done so.

The feed goes by transaction ids, which are assigned at a transaction's first write. One that wrote something else
before it came here may be older than one that overtook it: an event takes its predecessor's id where that is higher.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from matches import codec, state_cache
from matches.chain import NO_HASH, event_hash
from matches.engine.commands import Actor
from matches.engine.events import Event
from matches.engine.state import State
from matches.refusals import ConcurrentAppend, StreamNotFound
from tarneeb_service.database import Statement, rows_of, write

KIND = "match"


class Pending(NamedTuple):
    """An event about to be stored, and who caused it."""

    event: Event
    actor: Actor


class Recorded(NamedTuple):
    """A stored event. `by` is the actor kind, `seat` the actor's seat if it has one."""

    version: int
    event: Event
    by: str
    seat: int | None
    recorded_at: datetime
    hash: bytes
    command_id: UUID


class Outcome(NamedTuple):
    """What a command did: the stored events and the state after the last of them."""

    match_id: UUID
    version: int
    state: State
    events: list[Recorded]


@dataclass(slots=True)
class OpenStream:
    """A stream under its lock, until the transaction ends. `now` is the database's clock, never behind
    the last event.
    """

    id: UUID
    tenant_id: UUID
    version: int
    head_hash: bytes
    now: datetime
    snapshot_version: int | None
    last_xid: str
    """Where the last event stands in the feed."""
    known: bool
    """Whether a command with the id asked for stands in the stream already."""
    state: State | None = field(default=None)


def lock_key(stream_id: UUID) -> int:
    """The advisory lock of a stream: the random half of its uuid7 as a signed 64-bit integer."""
    return int.from_bytes(stream_id.bytes[8:], "big", signed=True)


def begin_stream(stream_id: UUID, *, tenant_id: UUID) -> OpenStream:
    """A stream that does not exist yet, ready for its first append."""
    [(now,)] = rows_of(Statement("SELECT clock_timestamp()", ()))
    return OpenStream(stream_id, tenant_id, 0, NO_HASH, now, None, "0", known=False)


class Head(NamedTuple):
    """The head of a stream as it was read, and whether a certain command stands in the stream."""

    version: int
    head_hash: bytes
    snapshot_version: int | None
    now: datetime
    last_xid: str
    known: bool


def open_stream(
    stream_id: UUID, *, tenant_id: UUID, command_id: UUID | None = None, head: Head | None = None
) -> OpenStream:
    """A stream folded to its head, which may have been read already.

    Nothing is locked yet: the append takes the lock and makes sure that the head is still this one. Raises
    `StreamNotFound`, for another tenant's stream too.
    """
    if head is None:
        rows = rows_of(Statement(_HEAD, (command_id, stream_id, tenant_id, KIND)))
        if not rows:
            raise StreamNotFound(str(stream_id))
        head = Head(*rows[0])
    version, head_hash, snapshot_version, now, last_xid, known = head
    stream = OpenStream(stream_id, tenant_id, version, bytes(head_hash), now, snapshot_version, last_xid, known)
    stream.state = state_at_head(stream_id, version, stream.head_hash)
    return stream


def head_and_answer(
    stream_id: UUID, *, tenant_id: UUID, command_id: UUID
) -> tuple[Head | None, tuple[Any, ...] | None]:
    """The head of a stream and, in the same look, the answer that is kept for a command (`idempotency_answer`)."""
    [row] = rows_of(Statement(_HEAD_AND_ANSWER, (command_id, stream_id, tenant_id, KIND, command_id)))
    head, answer = row[:6], row[6:]
    return (None if head[0] is None else Head(*head), None if answer[0] is None else answer)


_HEAD = """
SELECT s.version, s.head_hash, s.snapshot_version, greatest(clock_timestamp(), s.recorded_at) AS now,
       (SELECT e.xid::text FROM matches_storedevent e WHERE e.stream_id = s.id AND e.version = s.version) AS last_xid,
       EXISTS (SELECT FROM matches_storedevent e WHERE e.stream_id = s.id AND e.command_id = %s) AS known
  FROM matches_stream s WHERE s.id = %s AND s.tenant_id = %s AND s.kind = %s"""
_HEAD_AND_ANSWER = f"""
SELECT h.*, a.digest, a.status, a.headers, a.body, a.deflated
  FROM (SELECT) AS one LEFT JOIN ({_HEAD}) AS h ON true LEFT JOIN idempotency_answer a ON a.id = %s"""


def lock(stream_id: UUID) -> None:
    """Keep every other append to this stream waiting until the transaction ends."""
    rows_of(Statement("SELECT pg_advisory_xact_lock(%s)", (lock_key(stream_id),)))


def append(
    stream: OpenStream,
    pending: Sequence[Pending],
    *,
    state: State,
    command_id: UUID,
    request_digest: bytes | None = None,
    snapshot: bool = False,
) -> list[Recorded]:
    """Store these events behind the head and move it. `state` is the fold up to and including the last of them.

    With `snapshot` the state is kept as the start of a hand. Raises `ConcurrentAppend` if a version was taken already.
    """
    recorded: list[Recorded] = []
    rows: list[Any] = []
    previous = stream.head_hash
    for ix, (event, actor) in enumerate(pending):
        version = stream.version + 1 + ix
        name, schema_version, body = codec.encode(event)
        digest = event_hash(
            prev_hash=previous,
            stream=stream.id,
            version=version,
            type_name=name,
            schema_version=schema_version,
            actor_kind=actor.kind,
            seat=actor.seat,
            command_id=command_id,
            recorded_at=stream.now,
            body=body,
        )
        rows += (stream.id, version, name, schema_version, actor.kind, actor.seat, command_id, ix, request_digest, body)
        rows += (previous, digest, stream.now, stream.tenant_id, stream.last_xid)
        recorded.append(Recorded(version, event, actor.kind, actor.seat, stream.now, digest, command_id))
        previous = digest
    version = stream.version + len(recorded)
    head = _head(stream, version, previous, state_cache.dump(state) if snapshot else None)
    insert = f"{_INSERT}{', '.join([_ROW] * len(recorded))}"
    moved = ConcurrentAppend(str(stream.id))
    write(head, Statement(insert, tuple(rows), duplicate=moved))
    if stream.version:
        # Locks the stream and then looks, in a snapshot of its own, whether it still stands at this version.
        claim = (lock_key(stream.id), stream.id, stream.version)
        write(Statement("SELECT matches_claim(%s, %s, %s)", claim, duplicate=moved, claim=True))
    stream.version, stream.head_hash, stream.state = version, previous, state
    state_cache.put(stream.id, version, previous, state)
    return recorded


def _head(stream: OpenStream, version: int, head_hash: bytes, snapshot: str | None) -> Statement:
    snapshot_version = None if snapshot is None else version
    if stream.version == 0:
        facts = (stream.id, KIND, stream.tenant_id, version, head_hash, stream.now, snapshot, snapshot_version)
        return Statement(_NEW_HEAD, facts)
    if snapshot is None:
        return Statement(_MOVE_HEAD, (version, head_hash, stream.now, stream.id))
    return Statement(_MOVE_HEAD_WITH_SNAPSHOT, (version, head_hash, stream.now, snapshot, snapshot_version, stream.id))


_NEW_HEAD = """
INSERT INTO matches_stream (id, kind, tenant_id, version, head_hash, recorded_at, snapshot, snapshot_version)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"""
_MOVE_HEAD = "UPDATE matches_stream SET version = %s, head_hash = %s, recorded_at = %s WHERE id = %s"
_MOVE_HEAD_WITH_SNAPSHOT = """
UPDATE matches_stream SET version = %s, head_hash = %s, recorded_at = %s, snapshot = %s, snapshot_version = %s
 WHERE id = %s"""
_INSERT = """
INSERT INTO matches_storedevent (stream_id, version, type, schema_version, actor_kind, seat, command_id, command_ix,
                                 request_digest, body, prev_hash, hash, recorded_at, tenant_id, xid) VALUES """
_ROW = "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, greatest(pg_current_xact_id(), %s::xid8))"


# Reading


def state_at_head(stream_id: UUID, version: int, head_hash: bytes) -> State:
    """The state at the head: this process's cache, brought up to date, or the hand-start snapshot and its tail."""
    base = state_cache.get(stream_id)
    if base is not None and base.version == version and base.head_hash == head_hash:
        return base.state
    if base is None or base.version >= version:
        base = _snapshot(stream_id, version)
    state = None if base is None else base.state
    expected_prev = NO_HASH if base is None else base.head_hash
    state = _folded_tail(stream_id, 0 if base is None else base.version, version, expected_prev, state)
    if state is None:
        # The cached state belongs to a transaction that was rolled back: its hash is not in this log.
        state = _folded_tail(stream_id, 0, version, NO_HASH, None)
    if state is None:
        raise StreamNotFound(str(stream_id))
    state_cache.put(stream_id, version, head_hash, state)
    return state


def state_at(stream_id: UUID, version: int) -> State:
    """The state after the event of this version, folded from the first."""
    state = _folded_tail(stream_id, 0, version, NO_HASH, None)
    if state is None:
        raise StreamNotFound(str(stream_id))
    return state


def _folded_tail(stream_id: UUID, after: int, upto: int, prev_hash: bytes, state: State | None) -> State | None:
    """`state` with the events after it folded in; None if the first of them does not follow `prev_hash`."""
    with connection.cursor() as cursor:
        cursor.execute(_TAIL, [stream_id, after, upto])
        rows = cursor.fetchall()
    if rows and bytes(rows[0][3]) != prev_hash:
        return None
    return state_cache.folded((codec.decode(name, schema, body) for name, schema, body, _ in rows), state)


_TAIL = """
SELECT type, schema_version, body, prev_hash FROM matches_storedevent
 WHERE stream_id = %s AND version > %s AND version <= %s ORDER BY version"""


def _snapshot(stream_id: UUID, upto: int) -> state_cache.Cached | None:
    with connection.cursor() as cursor:
        cursor.execute(_SNAPSHOT, [stream_id, upto])
        row = cursor.fetchone()
    if row is None:
        return None
    text, version, digest = row
    state = state_cache.load(text)
    return None if state is None else state_cache.Cached(version, bytes(digest), state)


_SNAPSHOT = """
SELECT s.snapshot, s.snapshot_version, e.hash
  FROM matches_stream s JOIN matches_storedevent e ON e.stream_id = s.id AND e.version = s.snapshot_version
 WHERE s.id = %s AND s.snapshot_version <= %s"""


def events_of(stream_id: UUID, *, after: int = 0, upto: int | None = None, limit: int | None = None) -> list[Recorded]:
    """Stored events of a stream in order, those with a version above `after` and not above `upto`."""
    with connection.cursor() as cursor:
        cursor.execute(_EVENTS, [stream_id, after, upto, upto, limit])
        return [_recorded(row) for row in cursor.fetchall()]


def events_of_command(stream_id: UUID, command_id: UUID) -> list[Recorded]:
    """What a command left in the stream; empty if it was never applied."""
    with connection.cursor() as cursor:
        cursor.execute(_COMMAND, [stream_id, command_id])
        return [_recorded(row) for row in cursor.fetchall()]


def events_of_type(stream_id: UUID, name: str) -> list[Recorded]:
    """The events of one type in a stream, in order."""
    with connection.cursor() as cursor:
        cursor.execute(_OF_TYPE, [stream_id, name])
        return [_recorded(row) for row in cursor.fetchall()]


def count_of_type(stream_id: UUID, name: str, *, upto: int) -> int:
    """How many events of one type a stream has up to and including a version."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM matches_storedevent WHERE stream_id = %s AND type = %s AND version <= %s",
            [stream_id, name, upto],
        )
        (count,) = cursor.fetchone()
    return int(count)


def version_at(stream_id: UUID, moment: datetime) -> int:
    """The version at which a stream stood at `moment`; 0 if it had not begun."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(version), 0) FROM matches_storedevent WHERE stream_id = %s AND recorded_at <= %s",
            [stream_id, moment],
        )
        (version,) = cursor.fetchone()
    return int(version)


def request_digest_of(stream_id: UUID, command_id: UUID) -> bytes | None:
    """The digest of the request that gave this command, or None if it gave none or the command is not
    known.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT request_digest FROM matches_storedevent"
            " WHERE stream_id = %s AND command_id = %s AND command_ix = 0",
            [stream_id, command_id],
        )
        row = cursor.fetchone()
    return None if row is None or row[0] is None else bytes(row[0])


_COLUMNS = "version, type, schema_version, actor_kind, seat, command_id, body, hash, recorded_at"
_EVENTS = f"""
SELECT {_COLUMNS} FROM matches_storedevent
 WHERE stream_id = %s AND version > %s AND (%s::int IS NULL OR version <= %s) ORDER BY version LIMIT %s"""
_COMMAND = f"""
SELECT {_COLUMNS} FROM matches_storedevent WHERE stream_id = %s AND command_id = %s ORDER BY version"""

_OF_TYPE = f"""
SELECT {_COLUMNS} FROM matches_storedevent WHERE stream_id = %s AND type = %s ORDER BY version"""


def _recorded(row: Sequence[Any]) -> Recorded:
    version, name, schema_version, by, seat, command_id, body, digest, recorded_at = row
    event = codec.decode(name, schema_version, body)
    return Recorded(version, event, by, seat, recorded_at, bytes(digest), command_id)


# The feed across streams


class FeedPosition(NamedTuple):
    """Where a reader of the feed stands: transaction id, then position within it."""

    xid: int
    pos: int


FEED_START = FeedPosition(0, 0)


class FeedEntry(NamedTuple):
    """One event of the feed and the position to go on from."""

    position: FeedPosition
    stream_id: UUID
    tenant_id: UUID
    recorded: Recorded


def feed(after: FeedPosition, *, limit: int, tenant_id: UUID | None = None) -> list[FeedEntry]:
    """The next events across all streams, in the order of their transactions, each stream's own in order.

    Only transactions older than every one still running are shown: what commits late has a place in front of nothing
    that was handed out. No lock, and writers never wait for readers.
    """
    place = (str(after.xid), after.pos, limit)
    with connection.cursor() as cursor:
        if tenant_id is None:
            cursor.execute(_FEED, place)
        else:
            cursor.execute(_FEED_OF_TENANT, (tenant_id, *place))
        return [
            FeedEntry(FeedPosition(int(xid), pos), stream_id, tenant, _recorded(row))
            for xid, pos, stream_id, tenant, *row in cursor.fetchall()
        ]


def _feed(condition: str = "") -> str:
    columns = ", ".join("e." + name for name in _COLUMNS.split(", "))
    return f"""
SELECT e.xid::text, e.pos, e.stream_id, e.tenant_id, {columns} FROM matches_storedevent e
 WHERE {condition} (e.xid, e.pos) > (%s::xid8, %s) AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
 ORDER BY e.xid, e.pos LIMIT %s"""


_FEED = _feed()
_FEED_OF_TENANT = _feed("e.tenant_id = %s AND")


def streams(kind: str = KIND) -> Iterator[tuple[UUID, UUID]]:
    """Stream and tenant of every stream of a kind, oldest first."""
    with connection.chunked_cursor() as cursor:
        cursor.execute("SELECT id, tenant_id FROM matches_stream WHERE kind = %s ORDER BY id", [kind])
        yield from cursor
