"""Answers outside of the API's own views: Django's error handlers, and the pages that problem types point at."""

import sys

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from tarneeb_service.http.errors import NotFound
from tarneeb_service.http.problems import internal_error, problem_for, problem_table
from tarneeb_service.http.rendering import encode_json

Listing = dict[str, dict[str, object]]


def error_400(_request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's `handler400`: a request that Django itself found unacceptable."""
    return _answer(exception)


def error_403(_request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's `handler403`."""
    return _answer(exception)


def error_404(_request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's `handler404`: no such address."""
    return _answer(exception)


def error_500(_request: HttpRequest) -> HttpResponse:
    """Django's `handler500`, called while the error is being handled; Django has logged it."""
    error = sys.exc_info()[1]
    return internal_error().response() if error is None else _answer(error)


def _answer(error: BaseException) -> HttpResponse:
    return (problem_for(error) or internal_error()).response()


def _listing() -> Listing:
    rows = sorted(problem_table().values(), key=lambda row: (row.status, row.code))
    known: Listing = {
        row.code: {"type": f"/problems/{row.code}", "code": row.code, "status": row.status, "title": row.title}
        for row in rows
    }
    last = internal_error()
    known[last.code] = {name: last.document()[name] for name in ("type", "code", "status", "title")}
    return known


@require_safe
def problem_list(_request: HttpRequest) -> HttpResponse:
    """Every code that the service can answer with."""
    return HttpResponse(encode_json({"problems": list(_listing().values())}), content_type="application/json")


@require_safe
def problem_page(_request: HttpRequest, code: str) -> HttpResponse:
    """One code; this is what the `type` of a problem document points at."""
    known = _listing().get(code)
    if known is None:
        return _answer(NotFound("No problem has this code."))
    return HttpResponse(encode_json(known), content_type="application/json")
