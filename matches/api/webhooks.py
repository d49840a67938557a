"""`/webhooks`: where a tenant is told of what happens, by the tenant itself with a key that may manage."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter
from msgspec import structs
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches.api.bodies import body_as
from matches.api.openapi import operation
from matches.api.schemas import ref
from matches.webhooks import selectors, services
from matches.webhooks.answers import (
    DeliveryAnswer,
    DeliveryPage,
    NewWebhookAnswer,
    SecretAnswer,
    WebhookAnswer,
    WebhookBody,
    WebhookList,
    WebhookPatch,
)
from matches.webhooks.kinds import KINDS
from matches.webhooks.payloads import HookMessage
from tarneeb_service.access.permissions import RequireScope, TenantOnly
from tarneeb_service.access.principals import principal_of
from tarneeb_service.http.errors import invalid
from tarneeb_service.http.idempotency import confidential, idempotent
from tarneeb_service.http.pagination import decode_cursor, encode_cursor, page_limit


class _TenantView(APIView):
    def get_permissions(self) -> list[BasePermission]:
        """The tenant itself, with a key that may manage."""
        return [RequireScope("manage"), TenantOnly()]


class WebhooksView(_TenantView):
    """The webhooks of a tenant."""

    @operation(
        "create_webhook",
        "Be told of what happens from now on",
        body=WebhookBody,
        answer=NewWebhookAnswer,
        statuses=[201],
        changes=True,
        created=True,
        codes=["too_many_webhooks"],
        tag="webhooks",
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Make a webhook. Its secret is in this answer and in no other."""
        tenant_id = principal_of(request).tenant_id
        body = body_as(request.data, WebhookBody)
        webhook_id, secret = services.create_webhook(
            tenant_id=tenant_id, url=body.url, events=body.events, enabled=body.enabled
        )
        seen = selectors.webhook_seen(tenant_id=tenant_id, webhook_id=webhook_id)
        headers = {"Location": f"/api/v1/webhooks/{webhook_id}"}
        answer = NewWebhookAnswer(**structs.asdict(seen), secret=secret)
        return confidential(Response(answer, status=201, headers=headers))

    @operation("list_webhooks", "The tenant's webhooks", answer=WebhookList, tag="webhooks")
    def get(self, request: Request) -> Response:
        """All webhooks of the tenant, oldest first; one that is disabled says since when and why."""
        return Response(WebhookList(selectors.webhooks_of(principal_of(request).tenant_id)))


class WebhookDetailView(_TenantView):
    """One webhook."""

    @operation("get_webhook", "One webhook", answer=WebhookAnswer, codes=["not_found"], tag="webhooks")
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """The webhook, without its secret."""
        return _webhook(request, webhook_id)

    @operation(
        "replace_webhook",
        "Say anew where and of what to be told",
        body=WebhookBody,
        answer=WebhookAnswer,
        changes=True,
        codes=["not_found"],
        tag="webhooks",
    )
    @idempotent
    def put(self, request: Request, webhook_id: UUID) -> Response:
        """Change the webhook, and enable it unless the body says otherwise: it then goes on from where it stopped."""
        body = body_as(request.data, WebhookBody)
        services.update_webhook(
            tenant_id=principal_of(request).tenant_id,
            webhook_id=webhook_id,
            url=body.url,
            events=body.events,
            enabled=body.enabled,
        )
        return _webhook(request, webhook_id)

    @operation(
        "change_webhook",
        "Change a webhook",
        body=WebhookPatch,
        answer=WebhookAnswer,
        changes=True,
        codes=["not_found"],
        tag="webhooks",
    )
    @idempotent
    def patch(self, request: Request, webhook_id: UUID) -> Response:
        """Change what the body names. `"enabled": true` lets a disabled webhook go on from where it stopped."""
        body = body_as(request.data, WebhookPatch)
        services.update_webhook(
            tenant_id=principal_of(request).tenant_id,
            webhook_id=webhook_id,
            url=body.url,
            events=body.events,
            enabled=body.enabled,
        )
        return _webhook(request, webhook_id)

    @operation(
        "delete_webhook",
        "Be told no more",
        answer=None,
        changes=True,
        codes=["not_found"],
        tag="webhooks",
    )
    @idempotent
    def delete(self, request: Request, webhook_id: UUID) -> Response:
        """Remove the webhook, its secrets and its delivery log."""
        services.delete_webhook(tenant_id=principal_of(request).tenant_id, webhook_id=webhook_id)
        return Response(status=204)


class SecretView(_TenantView):
    """The secret that a webhook's messages are signed with."""

    @operation(
        "rotate_webhook_secret",
        "A new secret",
        answer=SecretAnswer,
        statuses=[201],
        changes=True,
        codes=["not_found", "too_many_secrets"],
        tag="webhooks",
    )
    @idempotent
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """Make a new secret. For 24 hours messages are signed with it and with the one before."""
        secret, until = services.rotate_secret(tenant_id=principal_of(request).tenant_id, webhook_id=webhook_id)
        return confidential(Response(SecretAnswer(secret, until), status=201))


class DeliveriesView(_TenantView):
    """The delivery log of a webhook."""

    @operation(
        "list_deliveries",
        "What was sent to a webhook, newest first",
        answer=DeliveryPage,
        parameters=[
            OpenApiParameter("status", enum=selectors.STATUSES),
            OpenApiParameter("cursor", description="`next_cursor` of the page before."),
            OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}),
        ],
        codes=["not_found"],
        tag="webhooks",
    )
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """The deliveries of the webhook, sent or still to be sent, newest first."""
        query = request.query_params
        limit = page_limit(query)
        status = query.get("status")
        if status is not None and status not in selectors.STATUSES:
            raise invalid("status", "invalid_choice", f"One of: {', '.join(selectors.STATUSES)}.")
        found = selectors.deliveries_of(
            tenant_id=principal_of(request).tenant_id,
            webhook_id=webhook_id,
            status=status,
            before=decode_cursor(query["cursor"], UUID) if "cursor" in query else None,
            limit=limit + 1,
        )
        page = found[:limit]
        return Response(DeliveryPage(page, encode_cursor(page[-1].id) if len(found) > limit else None))


class RedeliverView(_TenantView):
    """A delivery, once more."""

    @operation(
        "redeliver",
        "Send a delivery again",
        answer=DeliveryAnswer,
        statuses=[202],
        changes=True,
        codes=["not_found", "webhook_disabled"],
        tag="webhooks",
    )
    @idempotent
    def post(self, request: Request, webhook_id: UUID, delivery_id: UUID) -> Response:
        """Send it again under the same `webhook-id`, after what waits of its match; one that is due first, at once."""
        tenant_id = principal_of(request).tenant_id
        services.redeliver(tenant_id=tenant_id, webhook_id=webhook_id, delivery_id=delivery_id)
        seen = selectors.delivery_seen(tenant_id=tenant_id, webhook_id=webhook_id, delivery_id=delivery_id)
        return Response(seen, status=202)


def _webhook(request: Request, webhook_id: UUID) -> Response:
    return Response(selectors.webhook_seen(tenant_id=principal_of(request).tenant_id, webhook_id=webhook_id))


def add_messages(result: dict[str, Any], generator: object, request: object, public: bool) -> dict[str, Any]:  # noqa: ARG001, FBT001  drf-spectacular's signature
    """Describe what webhooks are sent, as OpenAPI 3.1 does: a postprocessing hook of drf-spectacular."""
    headers = [
        {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
        for name, text in (
            ("webhook-id", "The delivery's id: the same for every attempt."),
            ("webhook-timestamp", "When this attempt was made, in seconds since 1970."),
            (
                "webhook-signature",
                "`v1,` and a signature (Standard Webhooks), one for each valid secret, with spaces between.",
            ),
        )
    ]
    body = {"required": True, "content": {"application/json": {"schema": ref(HookMessage.__name__)}}}
    result["webhooks"] = {
        kind: {
            "post": {
                "operationId": f"on_{kind.replace('.', '_')}",
                "summary": f"Sent to webhooks that want `{kind}`",
                "tags": ["webhooks"],
                "parameters": headers,
                "requestBody": body,
                "responses": {
                    "2XX": {"description": "Received: it is not sent again."},
                    "410": {"description": "Nothing is wanted any more: the webhook is disabled."},
                },
            }
        }
        for kind in KINDS
    }
    return result
