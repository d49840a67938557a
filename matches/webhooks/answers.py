"""The shapes of what the API says about webhooks, and of the bodies that it takes."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from matches.webhooks.addresses import LONGEST_URL
from matches.webhooks.kinds import KINDS, Kind

Url = Annotated[
    str, Meta(min_length=1, max_length=LONGEST_URL, description="http:// or https://, without credentials.")
]
Events = Annotated[list[Kind], Meta(min_length=1, max_length=4 * len(KINDS), description="What to be told of.")]


class WebhookBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A webhook as it is to be. `enabled: true` lets a disabled one go on from where it stopped."""

    url: Url
    events: Events
    enabled: bool = True


class WebhookPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """What to change of a webhook; what is left out stays."""

    url: Url | UnsetType = UNSET
    events: Events | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


class DisabledAnswer(Struct, frozen=True):
    """Since when nothing is sent, and why: `by_tenant`, `failing` (nothing got through for a day), or `gone` (the
    receiver answered 410).
    """

    at: datetime
    reason: str


class WebhookAnswer(Struct, frozen=True):
    """A webhook. `waiting` counts the deliveries in its queues. `failing_since` is null while it works."""

    id: UUID
    url: str
    events: list[str]
    enabled: bool
    disabled: DisabledAnswer | None
    failing_since: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    waiting: int
    created_at: datetime
    updated_at: datetime


class WebhookList(Struct, frozen=True):
    """A tenant's webhooks, oldest first."""

    webhooks: list[WebhookAnswer]


class NewWebhookAnswer(WebhookAnswer, frozen=True):
    """A webhook just made, with the secret that nothing shows again."""

    secret: str


class SecretAnswer(Struct, frozen=True):
    """A new secret, which nothing shows again. The one before signs beside it until `previous_valid_until`."""

    secret: str
    previous_valid_until: datetime


class DeliveryAnswer(Struct, frozen=True):
    """One delivery; `id` is its `webhook-id`. `status`: `waiting`, `delivered`, `failed` (given up).

    `error`, `response_status`, `response_body` (its first KB) and `took_ms` are of the last attempt that has ended. The
    first of a match's waiting deliveries has `next_try_at`, the others wait for it.
    """

    id: UUID
    type: str
    match: UUID
    version: int
    occurred_at: datetime
    status: str
    attempts: int
    error: str | None
    response_status: int | None
    response_body: str | None
    took_ms: int | None
    last_attempt_at: datetime | None
    next_try_at: datetime | None
    delivered_at: datetime | None


class DeliveryPage(Struct, frozen=True):
    """A page of deliveries, newest first. `next_cursor` is null on the last."""

    deliveries: list[DeliveryAnswer]
    next_cursor: str | None
