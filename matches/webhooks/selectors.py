"""What a tenant sees of its webhooks and of their deliveries."""

from uuid import UUID

from django.db.models import Count, Q, QuerySet

from matches.webhooks.answers import DeliveryAnswer, DisabledAnswer, WebhookAnswer
from matches.webhooks.models import Delivery, Webhook
from matches.webhooks.refusals import WebhookNotFound

STATUSES = ("waiting", "delivered", "failed")


def webhooks_of(tenant_id: UUID) -> list[WebhookAnswer]:
    """The tenant's webhooks, oldest first."""
    return [_answer(webhook) for webhook in _counted(Webhook.objects.filter(tenant_id=tenant_id)).order_by("id")]


def webhook_seen(*, tenant_id: UUID, webhook_id: UUID) -> WebhookAnswer:
    """One webhook. Raises `WebhookNotFound`."""
    webhook = _counted(Webhook.objects.filter(tenant_id=tenant_id, id=webhook_id)).first()
    if webhook is None:
        raise WebhookNotFound
    return _answer(webhook)


def deliveries_of(
    *, tenant_id: UUID, webhook_id: UUID, status: str | None, before: UUID | None, limit: int
) -> list[DeliveryAnswer]:
    """The newest deliveries of a webhook, before one of them if so asked. Raises `WebhookNotFound`."""
    if not Webhook.objects.filter(tenant_id=tenant_id, id=webhook_id).exists():
        raise WebhookNotFound
    found = Delivery.objects.filter(webhook_id=webhook_id)
    if status is not None:
        found = found.filter(status=status)
    if before is not None:
        found = found.filter(id__lt=before)
    return [_delivery(delivery) for delivery in found.order_by("-id")[:limit]]


def delivery_seen(*, tenant_id: UUID, webhook_id: UUID, delivery_id: UUID) -> DeliveryAnswer:
    """One delivery. Raises `WebhookNotFound`."""
    found = Delivery.objects.filter(id=delivery_id, webhook_id=webhook_id, webhook__tenant_id=tenant_id).first()
    if found is None:
        raise WebhookNotFound
    return _delivery(found)


def _counted(webhooks: QuerySet[Webhook]) -> QuerySet[Webhook]:
    return webhooks.annotate(waiting=Count("deliveries", filter=Q(deliveries__status="waiting")))


def _answer(webhook: Webhook) -> WebhookAnswer:
    disabled = None
    if webhook.disabled_at is not None:
        disabled = DisabledAnswer(webhook.disabled_at, webhook.disabled_reason or "")
    return WebhookAnswer(
        id=webhook.id,
        url=webhook.url,
        events=webhook.events,
        enabled=webhook.enabled,
        disabled=disabled,
        failing_since=webhook.failing_since,
        last_success_at=webhook.last_success_at,
        last_failure_at=webhook.last_failure_at,
        waiting=webhook.waiting,  # type: ignore[attr-defined]  # annotated
        created_at=webhook.created_at,
        updated_at=webhook.updated_at,
    )


def _delivery(delivery: Delivery) -> DeliveryAnswer:
    return DeliveryAnswer(
        id=delivery.id,
        type=delivery.kind,
        match=delivery.match_id,
        version=delivery.version,
        occurred_at=delivery.occurred_at,
        status=delivery.status,
        attempts=delivery.attempts,
        error=delivery.error,
        response_status=delivery.response_status,
        response_body=delivery.response_body,
        took_ms=delivery.took_ms,
        last_attempt_at=delivery.last_attempt_at,
        next_try_at=delivery.next_try_at,
        delivered_at=delivery.delivered_at,
    )
