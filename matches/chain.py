"""The hash that ties an event to all before it in its stream.

SHA-256 over length-prefixed fields, so that no two different events share an input: domain tag, previous hash, stream
id, version, then the header (type, schema version, actor kind, seat, command id, recorded time in microseconds since
1970) and the body's canonical text. Integers as decimal text, a missing seat as the empty string.
"""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

DOMAIN = b"tarneeb/event/1"
NO_HASH = bytes(32)
"""The previous hash of a stream's first event."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """Whole microseconds since 1970; exact, where a float timestamp would round."""
    return (moment - _EPOCH) // _MICROSECOND


def event_hash(
    *,
    prev_hash: bytes,
    stream: UUID,
    version: int,
    type_name: str,
    schema_version: int,
    actor_kind: str,
    seat: int | None,
    command_id: UUID,
    recorded_at: datetime,
    body: str,
) -> bytes:
    """The 32 bytes that stand for this event and, through `prev_hash`, for all before it."""
    header = f"{version}|{type_name}|{schema_version}|{actor_kind}|{'' if seat is None else seat}"
    parts = (
        DOMAIN,
        prev_hash,
        stream.bytes,
        header.encode(),
        command_id.bytes,
        str(microseconds(recorded_at)).encode(),
        body.encode(),
    )
    return sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).digest()
