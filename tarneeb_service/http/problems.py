"""Problem documents (RFC 9457), and the one table from error classes to status, code and title.

An app adds its own errors with `register_problem` when it starts; this module knows none of them. Whatever goes wrong
in a view is answered by `exception_handler`, outside of views by the handlers in `views.py`: always with a `code`,
never with HTML.
"""

import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from django.core.signals import got_request_exception
from django.http import HttpResponse
from msgspec import Struct

from tarneeb_service.http.rendering import encode_json

logger = logging.getLogger(__name__)

PROBLEM_TYPE = "application/problem+json"
RESERVED = frozenset({"type", "title", "status", "detail", "code"})
"""Members of every document; an explanation may not use these names."""

STATUSES_OF_DECISIONS = frozenset({409, 412, 422})


class Explanation(NamedTuple):
    """What one error adds to its row of the table."""

    detail: str
    facts: Mapping[str, object]
    headers: Mapping[str, str]


class Row(Struct, frozen=True):
    """How one class of errors is answered.

    `decided` says that the rules gave this answer, so that a retry must get it again; other errors decided nothing.
    """

    status: int
    code: str
    title: str
    decided: bool
    explain: Callable[[Any], Explanation]


class Problem(Exception):
    """One problem document. `extra` are its own members beside the five that all have."""

    def __init__(
        self,
        status: int,
        code: str,
        title: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        decided: bool | None = None,
        **extra: object,
    ) -> None:
        super().__init__(detail)
        if RESERVED.intersection(extra):
            raise TypeError(f"{code} explains itself with a reserved name")
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.headers = dict(headers or {})
        self.decided = status in STATUSES_OF_DECISIONS if decided is None else decided
        self.extra = extra

    def document(self) -> dict[str, object]:
        """The members, in the order in which they are sent."""
        return {
            "type": f"/problems/{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            **self.extra,
        }

    def response(self) -> HttpResponse:
        """The answer."""
        return HttpResponse(
            encode_json(self.document()), status=self.status, content_type=PROBLEM_TYPE, headers=self.headers
        )


_table: dict[type[BaseException], Row] = {}


def explain_by_itself(error: Any) -> Explanation:
    """For errors that carry `detail`, and perhaps `explanation()` and `headers`."""
    explanation = getattr(error, "explanation", dict)
    return Explanation(error.detail, explanation(), getattr(error, "headers", {}))


def explain_as(detail: str, **headers: str) -> Callable[[Any], Explanation]:
    """For errors whose own words are not meant for callers; a header's underscores stand for hyphens."""
    explanation = Explanation(detail, {}, {name.replace("_", "-"): value for name, value in headers.items()})
    return lambda _error: explanation


def register_problem(
    error: type[BaseException],
    status: int,
    code: str,
    title: str,
    *,
    decided: bool | None = None,
    explain: Callable[[Any], Explanation] = explain_by_itself,
) -> None:
    """Answer `error`, and its subclasses that have no row of their own, like this.

    `decided` defaults to True for 409, 412 and 422. Raises ValueError if the code stands already with another status or
    title, or the class with another row.
    """
    row = Row(status, code, title, status in STATUSES_OF_DECISIONS if decided is None else decided, explain)
    for known_error, known in _table.items():
        same = (known.status, known.title) == (status, title)
        if (known.code == code and not same) or (known_error is error and (known.code != code or not same)):
            raise ValueError(f"{code} for {error.__name__} contradicts the row of {known_error.__name__}")
    _table[error] = row


def problem_table() -> Mapping[type[BaseException], Row]:
    """Every error class that has an answer."""
    return MappingProxyType(_table)


def problem_for(error: BaseException) -> Problem | None:
    """The document for `error`, None if nobody foresaw it.

    An error that has no row, but was raised from one that has (Django's database errors come from the driver's), is
    answered like its cause.
    """
    if isinstance(error, Problem):
        return error
    for kind in type(error).__mro__:
        row = _table.get(kind)
        if row is not None:
            detail, facts, headers = row.explain(error)
            return Problem(
                row.status, row.code, row.title, detail, headers=headers, decided=row.decided, **facts
            )  # fmt: skip
    if error.__cause__ is not None and type(error).__module__ == "django.db.utils":
        return problem_for(error.__cause__)
    return None


def internal_error() -> Problem:
    """The answer to what nobody foresaw; it says nothing of the cause."""
    return Problem(500, "internal_error", "Internal error", "Something went wrong here. It has been recorded.")


def exception_handler(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """DRF's exception handler. Unforeseen errors are logged and signalled as Django does, then answered."""
    problem = problem_for(error)
    if problem is None:
        request = context.get("request")
        logger.error("unforeseen error", exc_info=error)
        got_request_exception.send(sender=None, request=getattr(request, "_request", request))
        problem = internal_error()
    elif problem.status >= 500:
        logger.warning("answered %s: %s", problem.code, error)
    return problem.response()
