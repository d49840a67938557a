"""Taking deliveries that are due, and writing down what came of them. Any number of pumps may do so at once.

A delivery is taken for a limited time, with a name for the attempt. Whoever dies meanwhile is not waited for: the
delivery is due again after that time, and what the late one may still find out counts for nothing.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction

from matches.webhooks import queue
from matches.webhooks.attempts import GONE, RETRIED_FOR, Attempt, delay_before_next
from tarneeb_service.database import Statement, rows_of

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 8
"""Deliveries under way to one webhook. To one that fails, one: it must not take the places of those that work."""
LEASE_MARGIN_SECONDS = 20.0
RECOVERED_AFTER = timedelta(seconds=60)
"""A webhook that works again after failing for so long is sent at once what waited for its next try."""


class Claimed(NamedTuple):
    """A delivery to send now; `claim` names this attempt, `secrets` are sealed."""

    id: UUID
    webhook_id: UUID
    tenant_id: UUID
    url: str
    match_id: UUID
    version: int
    kind: str
    details: str | None
    occurred_at: datetime
    claim: UUID
    secrets: Sequence[bytes]


def claim(most: int) -> list[Claimed]:
    """Take up to so many deliveries that are due, those due for longest first, and no more of one webhook than it may
    have under way.
    """
    lease = settings.WEBHOOK_TOTAL_SECONDS + LEASE_MARGIN_SECONDS
    rows = rows_of(Statement(_CLAIM, (MOST_AT_ONCE, most, lease)))
    return [Claimed(*row) for row in rows]


_CLAIM = """
WITH due AS (
    SELECT d.id
      FROM (SELECT DISTINCT webhook_id AS id FROM webhooks_delivery WHERE next_try_at <= clock_timestamp()) AS asking
      JOIN webhooks_webhook w ON w.id = asking.id AND w.enabled
     CROSS JOIN LATERAL
           (SELECT count(*) AS n FROM webhooks_delivery u
             WHERE u.webhook_id = w.id AND u.next_try_at > clock_timestamp() AND u.claim IS NOT NULL) AS under_way
     CROSS JOIN LATERAL
           (SELECT id, next_try_at FROM webhooks_delivery
             WHERE webhook_id = w.id AND next_try_at <= clock_timestamp()
             ORDER BY next_try_at
             LIMIT greatest(0, CASE WHEN w.failing_since IS NULL THEN %s ELSE 1 END - under_way.n)
               FOR UPDATE SKIP LOCKED) AS d
     ORDER BY d.next_try_at LIMIT %s),
taken AS (
    UPDATE webhooks_delivery d
       SET claim = gen_random_uuid(), attempts = attempts + 1, last_attempt_at = clock_timestamp(),
           first_attempt_at = coalesce(first_attempt_at, clock_timestamp()),
           next_try_at = clock_timestamp() + make_interval(secs => %s)
      FROM due WHERE d.id = due.id AND d.status = 'waiting'
    RETURNING d.*)
SELECT t.id, w.id, w.tenant_id, w.url, t.match_id, t.version, t.kind, t.details::text, t.occurred_at, t.claim,
       ARRAY(SELECT sealed FROM webhooks_webhooksecret s
              WHERE s.webhook_id = w.id AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())
              ORDER BY s.id DESC)
  FROM taken t JOIN webhooks_webhook w ON w.id = t.webhook_id
 ORDER BY t.queued"""


class _Webhook(NamedTuple):
    tenant_id: UUID
    enabled: bool
    failing_since: datetime | None
    last_success_at: datetime | None
    now: datetime


def settle(claimed: Claimed, attempt: Attempt, *, final: bool = False) -> None:
    """Write down what came of an attempt: delivered, to be tried again, or given up.

    `final` is for what no receiver can help: given up at once, and nobody is blamed. Else a webhook to which nothing
    has got through since the first attempt of a delivery that is given up is disabled.
    """
    with transaction.atomic():
        rows = rows_of(Statement(_LOCK, (claimed.webhook_id,)))
        own = rows_of(Statement(_OWN, (claimed.id, claimed.claim)))
        if not (rows and own):
            return
        webhook, [(attempts, first_attempt_at)] = _Webhook(*rows[0]), own
        if attempt.error is None:
            _delivered(webhook, claimed, attempt)
        elif final:
            _give_up(webhook, claimed, attempt, blamed=False)
        elif attempt.status == GONE:
            _give_up(webhook, claimed, attempt)
            disable(claimed.webhook_id, "gone")
        elif webhook.now - first_attempt_at < RETRIED_FOR:
            pause = delay_before_next(attempts, attempt.wish_seconds)
            _retry(webhook, claimed, attempt, min(webhook.now + pause, first_attempt_at + RETRIED_FOR))
        else:
            _give_up(webhook, claimed, attempt)
            if webhook.last_success_at is None or webhook.last_success_at < first_attempt_at:
                disable(claimed.webhook_id, "failing")


_LOCK = """
SELECT tenant_id, enabled, failing_since, last_success_at, clock_timestamp()
  FROM webhooks_webhook WHERE id = %s FOR NO KEY UPDATE"""
_OWN = "SELECT attempts, first_attempt_at FROM webhooks_delivery WHERE id = %s AND claim = %s FOR NO KEY UPDATE"
_SETTLE = """
UPDATE webhooks_delivery
   SET status = %s, claim = NULL, next_try_at = %s, delivered_at = %s, error = %s, response_status = %s,
       response_body = %s, took_ms = %s
 WHERE id = %s"""


def _settled(
    claimed: Claimed, attempt: Attempt, status: str, *, next_try_at: datetime | None = None, at: datetime | None = None
) -> Statement:
    told = (attempt.error, attempt.status, attempt.answer, attempt.took_ms)
    return Statement(_SETTLE, (status, next_try_at, at, *told, claimed.id))


def _delivered(webhook: _Webhook, claimed: Claimed, attempt: Attempt) -> None:
    statements = [
        _settled(claimed, attempt, "delivered", at=webhook.now),
        Statement(_SUCCEEDED, (webhook.now, claimed.webhook_id)),
    ]
    if webhook.enabled:
        statements.append(queue.begin_next(claimed.webhook_id, claimed.match_id))
        if webhook.failing_since is not None and webhook.now - webhook.failing_since > RECOVERED_AFTER:
            statements.append(Statement(_TRY_ALL_AGAIN, (claimed.webhook_id,)))
    queue.carry_out(*statements)


_SUCCEEDED = "UPDATE webhooks_webhook SET failing_since = NULL, last_success_at = %s WHERE id = %s"
_TRY_ALL_AGAIN = """
UPDATE webhooks_delivery SET next_try_at = clock_timestamp()
 WHERE webhook_id = %s AND next_try_at > clock_timestamp() AND claim IS NULL"""


def _retry(webhook: _Webhook, claimed: Claimed, attempt: Attempt, next_try_at: datetime) -> None:
    queue.carry_out(
        _settled(claimed, attempt, "waiting", next_try_at=next_try_at if webhook.enabled else None),
        Statement(_FAILED, (webhook.now, webhook.now, claimed.webhook_id)),
    )


_FAILED = """
UPDATE webhooks_webhook SET failing_since = coalesce(failing_since, %s), last_failure_at = %s WHERE id = %s"""


def _give_up(webhook: _Webhook, claimed: Claimed, attempt: Attempt, *, blamed: bool = True) -> None:
    statements = [_settled(claimed, attempt, "failed")]
    if blamed:
        statements.append(Statement(_FAILED, (webhook.now, webhook.now, claimed.webhook_id)))
    if webhook.enabled:
        statements.append(queue.begin_next(claimed.webhook_id, claimed.match_id))
    queue.carry_out(*statements)
    logger.warning("delivery %s to webhook %s given up: %s", claimed.id, claimed.webhook_id, attempt.error)


def disable(webhook_id: UUID, reason: str) -> None:
    """Send nothing more to a webhook until it is enabled again. In a transaction that has locked it."""
    queue.carry_out(Statement(_DISABLE, (reason, webhook_id)), queue.halt(webhook_id))
    logger.warning("webhook %s disabled: %s", webhook_id, reason)


_DISABLE = """
UPDATE webhooks_webhook
   SET enabled = false, disabled_at = clock_timestamp(), disabled_reason = %s, updated_at = clock_timestamp()
 WHERE id = %s AND enabled"""
