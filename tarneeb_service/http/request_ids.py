"""One id for each request, on its answer and on every line logged while it is answered."""

import re
from collections.abc import Callable
from uuid import uuid4

from django.http import HttpRequest, HttpResponseBase
from structlog.contextvars import bind_contextvars, clear_contextvars

_SANE = re.compile(r"[A-Za-z0-9._~:+/=@-]{1,128}")


class RequestIdMiddleware:
    """Takes the caller's `X-Request-Id` if it is harmless in a log, makes one otherwise, and returns it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request under its id."""
        asked = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = asked if _SANE.fullmatch(asked) else uuid4().hex
        request.META["tarneeb.request_id"] = request_id
        clear_contextvars()
        bind_contextvars(request_id=request_id)
        try:
            response = self.get_response(request)
        finally:
            clear_contextvars()
        response.headers["X-Request-Id"] = request_id
        return response


def request_id_of(request: HttpRequest) -> str:
    """The id of this request; empty outside of the middleware."""
    return str(request.META.get("tarneeb.request_id", ""))
