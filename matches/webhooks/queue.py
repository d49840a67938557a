"""The queues of deliveries: one for each webhook and match, first in, first out.

The first of a queue has the time of its next try, the others have none. Adding to a queue and taking its first away
both lock the webhook, and look only then, in a new statement: else what is added just as the queue runs empty would
wait for a predecessor that is gone.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from uuid_utils.compat import uuid7

from matches.webhooks.kinds import Kind
from tarneeb_service.database import Statement, rows_of


class Message(NamedTuple):
    """Something to tell a webhook. `details`, as JSON, belong to what is no event of the match."""

    match_id: UUID
    version: int
    kind: Kind
    occurred_at: datetime
    details: str | None = None


def carry_out(*statements: Statement) -> None:
    """Run these at once and one after the other, each with a look of its own at what was committed before it."""
    for statement in statements:
        rows_of(statement)


def add(webhook_id: UUID, messages: Sequence[Message]) -> None:
    """Put these at the ends of their queues, in this order. The webhook must be locked, by an earlier statement."""
    columns: tuple[list[object], ...] = ([], [], [], [], [], [])
    for message in messages:
        for column, value in zip(columns, (uuid7(), *message), strict=True):
            column.append(value)
    carry_out(Statement(_ADD, (webhook_id, webhook_id, *columns)))


# The numbers of the queue are drawn outside of the sorted rows, so that they follow the messages' order.
_ADD = """
INSERT INTO webhooks_delivery (webhook_id, id, match_id, version, kind, occurred_at, details, created_at, status,
                               attempts, next_try_at, queued)
SELECT %s, id, match_id, version, kind, occurred_at, details::jsonb, clock_timestamp(), 'waiting',
       0, CASE WHEN is_first THEN clock_timestamp() END, nextval('webhooks_queue')
  FROM (SELECT m.*, row_number() OVER (PARTITION BY match_id ORDER BY place) = 1
               AND NOT EXISTS (SELECT FROM webhooks_delivery d
                                WHERE d.webhook_id = %s AND d.match_id = m.match_id AND d.status = 'waiting')
               AS is_first
          FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::text[], %s::timestamptz[], %s::text[])
               WITH ORDINALITY AS m (id, match_id, version, kind, occurred_at, details, place)
         ORDER BY place OFFSET 0) AS message"""


def begin_next(webhook_id: UUID, match_id: UUID) -> Statement:
    """What lets the first of a queue be sent now, after the one before it has left; for an enabled webhook, locked."""
    return Statement(_BEGIN_NEXT, (webhook_id, match_id))


_BEGIN_NEXT = """
UPDATE webhooks_delivery SET next_try_at = clock_timestamp()
 WHERE next_try_at IS NULL AND id =
       (SELECT id FROM webhooks_delivery
         WHERE webhook_id = %s AND match_id = %s AND status = 'waiting' ORDER BY queued LIMIT 1)"""


def begin_all(webhook_id: UUID) -> list[Statement]:
    """What lets the first of every queue of a webhook be sent now, with a new day before it; the webhook locked."""
    return [Statement(_NEW_DAY, (webhook_id,)), Statement(_BEGIN_ALL, (webhook_id,))]


_NEW_DAY = """
UPDATE webhooks_delivery SET attempts = 0, first_attempt_at = NULL
 WHERE webhook_id = %s AND status = 'waiting' AND attempts > 0"""
_BEGIN_ALL = """
UPDATE webhooks_delivery SET next_try_at = clock_timestamp()
 WHERE claim IS NULL AND id IN
       (SELECT DISTINCT ON (match_id) id FROM webhooks_delivery
         WHERE webhook_id = %s AND status = 'waiting' ORDER BY match_id, queued)"""


def halt(webhook_id: UUID) -> Statement:
    """What keeps a webhook's deliveries where they are, but for those that are being sent; the webhook locked."""
    return Statement(_HALT, (webhook_id,))


_HALT = """
UPDATE webhooks_delivery SET next_try_at = NULL
 WHERE webhook_id = %s AND next_try_at IS NOT NULL AND claim IS NULL"""


def purge(*, older_than: timedelta, batch: int = 5000) -> int:
    """Delete what left its queue longer ago than that, `batch` rows a transaction; returns how many."""
    purged = 0
    while True:
        rows = rows_of(Statement(_PURGE, (older_than, batch)))
        purged += len(rows)
        if len(rows) < batch:
            return purged


_PURGE = """
DELETE FROM webhooks_delivery WHERE id IN
       (SELECT id FROM webhooks_delivery
         WHERE status <> 'waiting' AND coalesce(last_attempt_at, created_at) < now() - %s
         ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
RETURNING 1"""
