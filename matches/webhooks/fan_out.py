"""From the log to the queues: each webhook reads its tenant's feed, and what it wants becomes deliveries.

How far a webhook has read moves in the transaction that stores the deliveries, so each event is taken once. The feed
shows nothing that something older could still be committed in front of, so none is missed.
"""

from uuid import UUID

from django.db import transaction

from matches import outbox
from matches.webhooks import queue
from matches.webhooks.kinds import kind_of
from matches.webhooks.queue import Message
from tarneeb_service.database import Statement, rows_of

READ_AT_ONCE = 500
MOST_WAITING = 10_000
"""Of a webhook that has more deliveries waiting nothing more is read: the log keeps what is to come."""


def fan_out() -> int:
    """Take one step for every webhook whose tenant's feed has gone on; the number of events read."""
    webhooks = rows_of(Statement(_ENABLED, ()))
    places = [(tenant_id, (xid, pos)) for _, tenant_id, xid, pos in webhooks]
    return sum(read_on(webhooks[place][0]) for place in outbox.behind(places))


_ENABLED = "SELECT id, tenant_id, feed_xid, feed_pos FROM webhooks_webhook WHERE enabled ORDER BY id"


def read_on(webhook_id: UUID) -> int:
    """Take one step for this webhook; the number of events read."""
    with transaction.atomic():
        rows = rows_of(Statement(_LOCK, (webhook_id,)))
        # Somebody else is at it, or it was deleted or disabled just now.
        if not rows:
            return 0
        [(tenant_id, wanted, xid, pos)] = rows
        [(waiting,)] = rows_of(Statement(_WAITING, (webhook_id, MOST_WAITING)))
        if waiting >= MOST_WAITING:
            return 0
        found = outbox.happenings(tenant_id=tenant_id, after=(xid, pos), limit=READ_AT_ONCE)
        if not found:
            return 0
        messages = [
            Message(happening.match_id, happening.version, kind, happening.recorded_at, happening.details)
            for happening in found
            if (kind := kind_of(happening)) in wanted and kind is not None
        ]
        if messages:
            queue.add(webhook_id, messages)
        queue.carry_out(Statement(_MOVE, (*found[-1].position, webhook_id)))
        return len(found)


_LOCK = """
SELECT tenant_id, events, feed_xid, feed_pos FROM webhooks_webhook
 WHERE id = %s AND enabled FOR NO KEY UPDATE SKIP LOCKED"""
_WAITING = """
SELECT count(*) FROM (SELECT FROM webhooks_delivery WHERE webhook_id = %s AND status = 'waiting' LIMIT %s) AS waiting"""
_MOVE = "UPDATE webhooks_webhook SET feed_xid = %s, feed_pos = %s WHERE id = %s"
