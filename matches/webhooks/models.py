"""Tables: webhooks with their secrets, and the deliveries of which the queue and the delivery log are made.

All but the subscriptions is read and written with plain SQL in `queue.py`, `fan_out.py` and `claims.py`.
"""

from typing import ClassVar
from uuid import UUID

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q


def uuid7() -> UUID:
    """A new id that sorts by time."""
    return uuid_utils.compat.uuid7()


class Webhook(models.Model):
    """Where a tenant wants to be told of what. `feed_xid` and `feed_pos`: how far its tenant's feed was read for it.

    Locked by whoever adds to or takes from one of its queues: two of them must not both think that the other goes on.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey("access.Tenant", on_delete=models.CASCADE, related_name="+")
    url = models.TextField()
    events = ArrayField(models.TextField())
    enabled = models.BooleanField(default=True)
    disabled_at = models.DateTimeField(null=True)
    disabled_reason = models.TextField(null=True)
    failing_since = models.DateTimeField(null=True)
    last_success_at = models.DateTimeField(null=True)
    last_failure_at = models.DateTimeField(null=True)
    feed_xid = models.BigIntegerField()
    feed_pos = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["tenant", "id"], name="webhooks_of_tenant")]

    def __str__(self) -> str:
        return f"webhook {self.id}"


class WebhookSecret(models.Model):
    """A sealed secret that deliveries are signed with until it expires. Only the newest never does."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="secrets")
    sealed = models.BinaryField()
    expires_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"secret {self.id}"


class Delivery(models.Model):
    """One message to one webhook: in the queue while `waiting`, in the delivery log from the beginning.

    The waiting ones of one webhook and match are a queue in the order of `queued`. Only its first has `next_try_at`;
    while it is being sent, `claim` names the attempt and `next_try_at` is when it counts as lost. The message itself is
    composed anew for every attempt, from the log, with the names of that moment: nothing here knows a player's id.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    match_id = models.UUIDField()
    version = models.IntegerField()
    kind = models.TextField()
    details = models.JSONField(null=True)
    occurred_at = models.DateTimeField()
    created_at = models.DateTimeField()
    status = models.TextField()
    queued = models.BigIntegerField()
    next_try_at = models.DateTimeField(null=True)
    claim = models.UUIDField(null=True)
    attempts = models.IntegerField(default=0)
    first_attempt_at = models.DateTimeField(null=True)
    last_attempt_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    error = models.TextField(null=True)
    response_status = models.SmallIntegerField(null=True)
    response_body = models.TextField(null=True)
    took_ms = models.IntegerField(null=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["webhook", "match_id", "queued"], condition=Q(status="waiting"), name="delivery_queue"
            ),
            models.Index(
                fields=["webhook", "next_try_at"], condition=Q(next_try_at__isnull=False), name="delivery_due"
            ),
            models.Index(F("webhook"), F("id").desc(), name="delivery_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.match_id} at {self.version}"


class PumpSlot(models.Model):
    """The right to run one pump, taken for a few seconds at a time: a pump that died frees its slot by itself."""

    slot = models.SmallIntegerField(primary_key=True)
    holder = models.UUIDField()
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"pump {self.slot}"
