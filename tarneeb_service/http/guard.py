"""What is checked before a request reaches its view, and set on every answer after it."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from rest_framework.exceptions import MethodNotAllowed

from tarneeb_service.http.errors import Refused, invalid
from tarneeb_service.http.parsing import MAX_BODY_BYTES, read_body
from tarneeb_service.http.problems import internal_error, problem_for

_WITHOUT_A_BODY = frozenset({204, 304})


class GuardMiddleware:
    """Reads the body within the view's limit, refuses NUL characters in addresses, and forbids caching by default.

    A view (the class behind `as_view`, or the function) may set `max_body_bytes`; otherwise it is 64 KiB.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request, with a length; an answer that says nothing of caching is not to be stored anywhere."""
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed):
            response = _method_not_allowed(request, response.headers["Allow"])
        response.headers.setdefault("Cache-Control", "no-store")
        if isinstance(response, HttpResponse):
            _set_length(request, response)
        return response

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., Any],
        _args: tuple[object, ...],
        _kwargs: dict[str, object],
    ) -> HttpResponseBase | None:
        """The refusal, None if the view may answer."""
        try:
            _refuse_nul_in_address(request)
            limit = getattr(getattr(view, "cls", view), "max_body_bytes", MAX_BODY_BYTES)
            read_body(request, limit)
        except Refused as refused:
            problem = problem_for(refused)
            if problem is None:
                raise
            return problem.response()
        return None


def _method_not_allowed(request: HttpRequest, allow: str) -> HttpResponse:
    # Django's own, of views that are no APIView, is an empty page of HTML.
    problem = problem_for(MethodNotAllowed(request.method or "")) or internal_error()
    response = problem.response()
    response.headers["Allow"] = allow
    return response


def _set_length(request: HttpRequest, response: HttpResponse) -> None:
    # Without a length the server would send the body in chunks; after a HEAD it may send none.
    if "Content-Length" not in response.headers and response.status_code not in _WITHOUT_A_BODY:
        response.headers["Content-Length"] = str(len(response.content))
    if request.method == "HEAD":
        response.content = b""


def _refuse_nul_in_address(request: HttpRequest) -> None:
    # PostgreSQL has no NUL in text: past this point it could only become an error of the database.
    if "\0" in request.path:
        raise invalid("path", "nul_character", "The address holds a NUL character.")
    if "%00" in request.META.get("QUERY_STRING", ""):
        raise invalid("query", "nul_character", "The query holds a NUL character.")
