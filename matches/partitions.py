"""The monthly partitions of the log.

A stream id is a uuid7: its first 48 bits are the milliseconds at which the stream began. A month is therefore a
range of ids, an event never leaves the partition of its stream, and an old month can be detached whole.
"""

from datetime import UTC, datetime
from uuid import UUID

from django.db import connection, transaction

PARENT = "matches_storedevent"
MONTHS_AHEAD = 12


def month_start(moment: datetime, months: int = 0) -> datetime:
    """The first instant of the month that lies `months` after the one of `moment`, in UTC."""
    moment = moment.astimezone(UTC)
    index = moment.year * 12 + moment.month - 1 + months
    return datetime(index // 12, index % 12 + 1, 1, tzinfo=UTC)


def lowest_id(moment: datetime) -> UUID:
    """The lowest uuid7 that a stream begun at `moment` can have, all other bits zero."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def partition_name(start: datetime) -> str:
    """The table of the month that begins at `start`."""
    return f"{PARENT}_{start:%Y_%m}"


def ensure_partitions(now: datetime, months_ahead: int = MONTHS_AHEAD) -> list[str]:
    """Make the partitions from the month of `now` on that do not exist yet; the names of those made.

    A table is built beside the parent and then attached, since `CREATE TABLE … PARTITION OF` would lock out every
    reader and writer of the log for as long as it waits for its own lock.
    """
    made = []
    for months in range(months_ahead + 1):
        start, end = month_start(now, months), month_start(now, months + 1)
        name = partition_name(start)
        # Whole or not at all: a table that was made and not attached would ever after be taken for the partition.
        with transaction.atomic(), connection.cursor() as cursor:
            # Two upkeep workers, or a deploy and a worker, may come here at once.
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [PARENT])
            cursor.execute("SELECT to_regclass(%s)", [name])
            if cursor.fetchone() != (None,):
                continue
            cursor.execute(f"CREATE TABLE {name} (LIKE {PARENT} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
            cursor.execute(
                f"ALTER TABLE {PARENT} ATTACH PARTITION {name} FOR VALUES FROM (%s) TO (%s)",
                [str(lowest_id(start)), str(lowest_id(end))],
            )
            made.append(name)
    return made


def missing_partitions(now: datetime, months_ahead: int = 1) -> list[str]:
    """Partitions that should exist by now and do not. Empty unless upkeep has failed for months."""
    wanted = [partition_name(month_start(now, months)) for months in range(months_ahead + 1)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM unnest(%s::text[]) AS name WHERE to_regclass(name) IS NULL", [wanted])
        return [row[0] for row in cursor.fetchall()]
