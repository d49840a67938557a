"""`/matches/{id}/stream`: a match as it happens, as server-sent events."""

import re
import socket
from functools import partial
from uuid import UUID

from django.conf import settings
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches import selectors
from matches.api.common import viewer_of
from matches.api.openapi import EVENT_STREAM, operation
from matches.live.stream import OVER, happenings
from tarneeb_service.access.authentication import BearerAuthentication
from tarneeb_service.access.principals import principal_of
from tarneeb_service.http.errors import Refused, invalid
from tarneeb_service.http.rendering import JsonRenderer

SEND_BUFFER_BYTES = 65_536

LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.HEADER,
    description="The version of the last event that the caller has: the stream goes on after it. EventSource sends it.",
)
HEADERS = {"Cache-Control": "no-cache", "Vary": "Authorization, X-Player", "X-Accel-Buffering": "no"}

_VERSION = re.compile(r"[1-9][0-9]{0,9}")


class EventStreamRenderer(JsonRenderer):
    """Lets a caller ask for an event stream by Accept; what is not streamed stays JSON."""

    media_type = EVENT_STREAM
    format = "events"


class StreamView(APIView):
    """A match as it happens."""

    renderer_classes = (JsonRenderer, EventStreamRenderer)
    # Django would answer HEAD with GET's handler, whose body never ends: the caller would wait for an answer for ever.
    http_method_names = ("get", "options")

    @operation(
        "stream_match",
        "The match as it happens, as server-sent events",
        answer=EVENT_STREAM,
        codes=["not_found"],
        parameters=[LAST_EVENT_ID],
        no_content="The match is over, and the caller has all of it: an EventSource comes back no more.",
    )
    def get(self, request: Request, match_id: UUID) -> HttpResponseBase:
        """First `match`, the whole view; then each event as it happens, with its version as `id`, as the caller may
        see it. With Last-Event-ID only what came after that.
        """
        viewer = viewer_of(principal_of(request))
        match = selectors.match_seen(match_id=match_id, viewer=viewer)
        last = _last_event_id(request)
        if last is not None and last > match.version:
            raise invalid(
                "Last-Event-ID", "out_of_range", f"The match stands at version {match.version}: open a new stream."
            )
        if last == match.version and match.status in OVER:
            return Response(status=204, headers=HEADERS)
        _hurry_slow_readers(request)
        events = happenings(
            match_id=match_id,
            viewer=viewer,
            first=match if last is None else None,
            at=match.version if last is None else last,
            still_allowed=partial(_still_allowed, request),
        )
        return StreamingHttpResponse(events, content_type=EVENT_STREAM, headers=HEADERS)


def _last_event_id(request: Request) -> int | None:
    sent = request.META.get("HTTP_LAST_EVENT_ID")
    if not sent:
        return None
    if not _VERSION.fullmatch(sent):
        raise invalid("Last-Event-ID", "invalid", "The id of an event is its version, a whole number from 1 up.")
    return int(sent)


def _hurry_slow_readers(request: Request) -> None:
    # What a reader does not take is kept in the kernel, this much and no more; then the write fails: the stream ends.
    connected = request.META.get("gunicorn.socket")
    if connected is not None:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        connected.settimeout(settings.LIVE_SLOWEST_READER_SECONDS)


def _still_allowed(request: Request) -> bool:
    try:
        return BearerAuthentication().authenticate(request) is not None
    except (APIException, Refused):
        return False
