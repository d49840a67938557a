"""Every change that a tenant makes to its webhooks. Keyword-only, each in one transaction."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from msgspec import UNSET, UnsetType
from uuid_utils.compat import uuid7

from matches import outbox
from matches.webhooks import queue, signing
from matches.webhooks.addresses import checked_addresses, checked_url, port_of
from matches.webhooks.claims import disable
from matches.webhooks.kinds import KINDS, Kind
from matches.webhooks.models import Delivery, Webhook, WebhookSecret
from matches.webhooks.refusals import (
    NotAcceptableAddress,
    TooManySecrets,
    TooManyWebhooks,
    WebhookDisabled,
    WebhookNotFound,
)
from tarneeb_service.database import Statement
from tarneeb_service.http.errors import Invalid, invalid

MOST_WEBHOOKS = 20
MOST_SECRETS = 5
OVERLAP = timedelta(hours=24)
LOOK_UP_SECONDS = 3.0


def create_webhook(*, tenant_id: UUID, url: str, events: Iterable[Kind], enabled: bool = True) -> tuple[UUID, str]:
    """A new webhook that is told of what happens from now on, and its secret, which nothing can show again.

    Raises `Invalid` on `url`, `TooManyWebhooks`.
    """
    _check(url)
    webhook_id, secret = uuid7(), signing.new_secret()
    with transaction.atomic():
        _in_turn(tenant_id)
        if Webhook.objects.filter(tenant_id=tenant_id).count() >= MOST_WEBHOOKS:
            raise TooManyWebhooks(MOST_WEBHOOKS)
        xid, pos = outbox.end()
        webhook = Webhook(
            id=webhook_id, tenant_id=tenant_id, url=url, events=_in_order(events), feed_xid=xid, feed_pos=pos
        )
        if not enabled:
            webhook.enabled, webhook.disabled_at, webhook.disabled_reason = False, timezone.now(), "by_tenant"
        webhook.save(force_insert=True)
        _keep(secret, webhook_id)
    return webhook_id, signing.shown(secret)


def update_webhook(
    *,
    tenant_id: UUID,
    webhook_id: UUID,
    url: str | UnsetType = UNSET,
    events: Iterable[Kind] | UnsetType = UNSET,
    enabled: bool | UnsetType = UNSET,
) -> None:
    """Change what is given. To enable a webhook, or to move it elsewhere, lets it try at once what waits.

    Raises `Invalid` on `url`, `WebhookNotFound`.
    """
    if url is not UNSET:
        _check(url)
    with transaction.atomic():
        webhook = _locked(tenant_id, webhook_id)
        moved = url is not UNSET and url != webhook.url
        begins = enabled is True and not webhook.enabled
        if url is not UNSET:
            webhook.url = url
        if events is not UNSET:
            webhook.events = _in_order(events)
        if begins:
            webhook.enabled, webhook.disabled_at, webhook.disabled_reason = True, None, None
        if begins or moved:
            webhook.failing_since = None
        webhook.updated_at = timezone.now()
        webhook.save()
        if enabled is False:
            disable(webhook_id, "by_tenant")
        elif begins or (moved and webhook.enabled):
            queue.carry_out(*queue.begin_all(webhook_id))


def delete_webhook(*, tenant_id: UUID, webhook_id: UUID) -> None:
    """Remove it with its secrets and its delivery log. Raises `WebhookNotFound`."""
    with transaction.atomic():
        _locked(tenant_id, webhook_id)
        # Not through the ORM, which would first read every delivery there ever was.
        queue.carry_out(
            *(
                Statement(f"DELETE FROM {table} WHERE {column} = %s", (webhook_id,))
                for table, column in (
                    ("webhooks_delivery", "webhook_id"),
                    ("webhooks_webhooksecret", "webhook_id"),
                    ("webhooks_webhook", "id"),
                )
            )
        )


def rotate_secret(*, tenant_id: UUID, webhook_id: UUID) -> tuple[str, datetime]:
    """A new secret, and until when messages are signed with the one before as well.

    Raises `WebhookNotFound`, `TooManySecrets`.
    """
    secret = signing.new_secret()
    with transaction.atomic():
        _locked(tenant_id, webhook_id)
        now = timezone.now()
        kept = WebhookSecret.objects.filter(webhook_id=webhook_id)
        kept.filter(expires_at__lte=now).delete()
        if kept.count() >= MOST_SECRETS:
            raise TooManySecrets
        until = now + OVERLAP
        kept.filter(Q(expires_at=None)).update(expires_at=until)
        _keep(secret, webhook_id)
    return signing.shown(secret), until


def redeliver(*, tenant_id: UUID, webhook_id: UUID, delivery_id: UUID) -> None:
    """Send a delivery again, under the same id: behind what waits in its queue, or at once if it is the first there.

    Raises `WebhookNotFound`, `WebhookDisabled`.
    """
    with transaction.atomic():
        webhook = _locked(tenant_id, webhook_id)
        delivery = Delivery.objects.select_for_update(no_key=True).filter(id=delivery_id, webhook_id=webhook_id).first()
        if delivery is None:
            raise WebhookNotFound
        if not webhook.enabled:
            raise WebhookDisabled
        if delivery.status != "waiting":
            queue.carry_out(Statement(_REQUEUE, (delivery_id,)), queue.begin_next(webhook_id, delivery.match_id))
        elif delivery.claim is None and delivery.next_try_at is not None:
            queue.carry_out(Statement(_TRY_NOW, (delivery_id,)))


_REQUEUE = """
UPDATE webhooks_delivery
   SET status = 'waiting', queued = nextval('webhooks_queue'), attempts = 0, first_attempt_at = NULL, claim = NULL,
       next_try_at = NULL
 WHERE id = %s"""
_TRY_NOW = "UPDATE webhooks_delivery SET next_try_at = clock_timestamp() WHERE id = %s"


def _check(url: str) -> None:
    """Raises `Invalid` for a URL that nothing may be sent to, as far as that can be told now."""
    try:
        target = checked_url(url)
        if not settings.WEBHOOK_ALLOW_PRIVATE:
            checked_addresses(target.raw_host.decode(), port_of(target), seconds=LOOK_UP_SECONDS)
    except NotAcceptableAddress as refused:
        # A resolver that is slow just now says nothing about the URL; every attempt looks again.
        if refused.code != "not_resolved":
            raise _invalid_url(refused) from None


def _invalid_url(refused: NotAcceptableAddress) -> Invalid:
    return invalid("url", refused.code, str(refused))


def _in_order(events: Iterable[Kind]) -> list[str]:
    wanted = set(events)
    return [kind for kind in KINDS if kind in wanted]


def _keep(secret: bytes, webhook_id: UUID) -> None:
    WebhookSecret.objects.create(webhook_id=webhook_id, sealed=signing.seal(secret, webhook_id))


def _locked(tenant_id: UUID, webhook_id: UUID) -> Webhook:
    webhook = Webhook.objects.select_for_update(no_key=True).filter(tenant_id=tenant_id, id=webhook_id).first()
    if webhook is None:
        raise WebhookNotFound
    return webhook


def _in_turn(tenant_id: UUID) -> None:
    # Two that count at once would both find room for one more.
    queue.carry_out(Statement("SELECT pg_advisory_xact_lock(hashtext('webhooks'), hashtext(%s))", (str(tenant_id),)))
