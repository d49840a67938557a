"""`/matches/{id}/events` and `/matches/{id}/sheet`: what happened, and what it adds up to."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches import selectors
from matches.answers import EventsAnswer, SheetAnswer
from matches.api.common import PRIVATE_CACHE, viewer_of
from matches.api.openapi import operation
from tarneeb_service.access.principals import principal_of
from tarneeb_service.http.conditional import version_tag
from tarneeb_service.http.pagination import page_limit, whole_number

HIGHEST_VERSION = 2**31 - 1


class EventsView(APIView):
    """The events of a match."""

    @operation(
        "list_events",
        "The events of a match, each as the caller may see it",
        answer=EventsAnswer,
        codes=["not_found"],
        parameters=[
            OpenApiParameter("after", {"type": "integer", "minimum": 0, "maximum": HIGHEST_VERSION, "default": 0}),
            OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200}),
        ],
    )
    def get(self, request: Request, match_id: UUID) -> Response:
        """The events after a version, each as the caller may see it."""
        answer = selectors.events_seen(
            match_id=match_id,
            viewer=viewer_of(principal_of(request)),
            after=whole_number(request.query_params, "after", default=0, lowest=0, highest=HIGHEST_VERSION),
            limit=page_limit(request.query_params, default=200, highest=1000),
        )
        return Response(answer, headers=PRIVATE_CACHE)


class SheetView(APIView):
    """The score sheet of a match."""

    @operation("get_sheet", "The paper sheet and the signed ledger", answer=SheetAnswer, codes=["not_found"])
    def get(self, request: Request, match_id: UUID) -> Response:
        """The rows of the paper sheet and the signed ledger."""
        answer = selectors.sheet_seen(match_id=match_id, viewer=viewer_of(principal_of(request)))
        return Response(answer, headers={"ETag": version_tag(answer.version), **PRIVATE_CACHE})
