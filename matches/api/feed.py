"""`/events`: what happens in all matches of a tenant, for backends that missed webhooks or want none."""

from typing import Annotated, NamedTuple

from drf_spectacular.utils import OpenApiParameter
from msgspec import Meta
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches import selectors
from matches.answers import FeedEvent, FeedPage
from matches.api.common import PRIVATE_CACHE
from matches.api.openapi import operation
from tarneeb_service.access.permissions import RequireScope, TenantOnly
from tarneeb_service.access.principals import principal_of
from tarneeb_service.http.pagination import decode_cursor, encode_cursor, page_limit

MOST_EVENTS = 1000


class Cursor(NamedTuple):
    """Where a reader stands: transaction id, then position within it. Nothing that PostgreSQL could not hold."""

    xid: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    pos: Annotated[int, Meta(ge=0, le=2**63 - 1)]


BEGINNING = Cursor(0, 0)


class FeedView(APIView):
    """The feed of a tenant."""

    def get_permissions(self) -> list[BasePermission]:
        """The tenant itself, with a key that may read."""
        return [RequireScope("read"), TenantOnly()]

    @operation(
        "read_feed",
        "What happened in all matches of the tenant, in order",
        answer=FeedPage,
        tag="feed",
        parameters=[
            OpenApiParameter("cursor", description="`next_cursor` of the answer before; left out, from the beginning."),
            OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": MOST_EVENTS, "default": 200}),
        ],
    )
    def get(self, request: Request) -> Response:
        """The next events over all matches of the tenant, each as a spectator may see it.

        Every event comes at least once, the events of one match in their order. Keep `next_cursor` and ask with it
        again: at once while `more` is true, later to hear what has happened since.
        """
        limit = page_limit(request.query_params, default=200, highest=MOST_EVENTS)
        text = request.query_params.get("cursor")
        after = BEGINNING if text is None else decode_cursor(text, Cursor)
        found = selectors.feed_seen(tenant_id=principal_of(request).tenant_id, after=after, limit=limit + 1)
        page = found[:limit]
        events = [
            FeedEvent(step.match_id, event.version, event.type, event.seat, event.by, event.recorded_at, event.data)
            for step in page
            for event in (step.event,)
        ]
        onward = encode_cursor(page[-1].position) if page else text or encode_cursor(BEGINNING)
        return Response(FeedPage(events, onward, len(found) > limit), headers=PRIVATE_CACHE)
