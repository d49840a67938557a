"""The one table from errors to answers: every row of it, and the look-up."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.core import exceptions as django_errors
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions as drf

from tarneeb_service.http import errors
from tarneeb_service.http.idempotency import AnswerTaken
from tarneeb_service.http.problems import (
    PROBLEM_TYPE,
    Problem,
    Row,
    _table,
    exception_handler,
    explain_as,
    problem_for,
    problem_table,
    register_problem,
)

SECRET = "a detail that no caller may see"

SAMPLES: dict[type[BaseException], tuple[Callable[[], Exception], int, str]] = {
    errors.Invalid: (lambda: errors.invalid("a.b", "required", "Needed."), 400, "invalid"),
    errors.MalformedJson: (lambda: errors.MalformedJson("Broken."), 400, "malformed_json"),
    errors.UnreadableRequest: (lambda: errors.UnreadableRequest("Broken."), 400, "bad_request"),
    errors.NotAuthenticated: (lambda: errors.NotAuthenticated("Who?"), 401, "not_authenticated"),
    errors.KeyRevoked: (errors.KeyRevoked, 401, "key_revoked"),
    errors.TokenExpired: (errors.TokenExpired, 401, "token_expired"),
    errors.Forbidden: (lambda: errors.Forbidden("No.", required_scope="play"), 403, "forbidden"),
    errors.NotFound: (errors.NotFound, 404, "not_found"),
    errors.LengthRequired: (errors.LengthRequired, 411, "length_required"),
    errors.BodyTooLarge: (lambda: errors.BodyTooLarge(7), 413, "body_too_large"),
    errors.AddressTooLong: (errors.AddressTooLong, 414, "address_too_long"),
    errors.ExpectationFailed: (errors.ExpectationFailed, 417, "expectation_failed"),
    errors.HeadersTooLarge: (errors.HeadersTooLarge, 431, "headers_too_large"),
    errors.UnknownTransferCoding: (errors.UnknownTransferCoding, 501, "unknown_transfer_coding"),
    errors.IdempotencyKeyReused: (errors.IdempotencyKeyReused, 422, "idempotency_key_reused"),
    errors.Unavailable: (errors.Unavailable, 503, "unavailable"),
    AnswerTaken: (AnswerTaken, 503, "unavailable"),
    drf.ValidationError: (lambda: drf.ValidationError({"a": ["Needed."]}), 400, "invalid"),
    drf.ParseError: (lambda: drf.ParseError(SECRET), 400, "malformed_json"),
    drf.NotAuthenticated: (lambda: drf.NotAuthenticated(SECRET), 401, "not_authenticated"),
    drf.AuthenticationFailed: (lambda: drf.AuthenticationFailed(SECRET), 401, "not_authenticated"),
    drf.PermissionDenied: (lambda: drf.PermissionDenied(SECRET), 403, "forbidden"),
    drf.NotFound: (lambda: drf.NotFound(SECRET), 404, "not_found"),
    drf.MethodNotAllowed: (lambda: drf.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
    drf.NotAcceptable: (drf.NotAcceptable, 406, "not_acceptable"),
    drf.UnsupportedMediaType: (lambda: drf.UnsupportedMediaType("text/html"), 415, "unsupported_media_type"),
    drf.Throttled: (lambda: drf.Throttled(wait=2.1), 429, "throttled"),
    django_errors.ValidationError: (lambda: django_errors.ValidationError({"a": ["Needed."]}), 400, "invalid"),
    django_errors.BadRequest: (lambda: django_errors.BadRequest(SECRET), 400, "bad_request"),
    django_errors.SuspiciousOperation: (lambda: django_errors.DisallowedHost(SECRET), 400, "bad_request"),
    django_errors.PermissionDenied: (lambda: django_errors.PermissionDenied(SECRET), 403, "forbidden"),
    django_errors.RequestDataTooBig: (lambda: django_errors.RequestDataTooBig(SECRET), 413, "body_too_large"),
    UnreadablePostError: (lambda: UnreadablePostError(SECRET), 400, "bad_request"),
    Http404: (lambda: Http404(SECRET), 404, "not_found"),
    OperationalError: (lambda: OperationalError(SECRET), 503, "unavailable"),
    InterfaceError: (lambda: InterfaceError(SECRET), 503, "unavailable"),
    psycopg.OperationalError: (lambda: psycopg.errors.LockNotAvailable(SECRET), 503, "unavailable"),
    psycopg.InterfaceError: (lambda: psycopg.InterfaceError(SECRET), 503, "unavailable"),
    psycopg.errors.ReadOnlySqlTransaction: (
        lambda: psycopg.errors.ReadOnlySqlTransaction(SECRET),
        503,
        "unavailable",
    ),
}
OTHER_APPS = ("matches.", "replays.")


def test_every_row_that_is_ours_has_a_sample_here() -> None:
    ours = {error for error in problem_table() if not error.__module__.startswith(OTHER_APPS)}
    assert ours == set(SAMPLES)


@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_each_error_becomes_its_document(kind: type[BaseException]) -> None:
    make, status, code = SAMPLES[kind]
    response = exception_handler(make(), {})
    document = json.loads(response.content)
    assert response.status_code == status
    assert response.headers["Content-Type"] == PROBLEM_TYPE
    assert document["status"] == status
    assert document["code"] == code
    assert document["type"] == f"/problems/{code}"
    assert document["title"]
    assert document["detail"]
    assert SECRET not in response.content.decode()
    assert ("WWW-Authenticate" in response.headers) == (status == 401)
    assert ("Retry-After" in response.headers) == (status in {429, 503})
    assert ("errors" in document) == (code == "invalid")


@pytest.mark.parametrize("kind", problem_table() or SAMPLES, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_every_row_of_every_app_is_well_formed(kind: type[BaseException]) -> None:
    row = problem_table()[kind]
    assert re.fullmatch(r"[a-z][a-z0-9_]*", row.code)
    assert 400 <= row.status <= 503
    assert row.title[0].isupper()
    assert not row.decided or row.status in {403, 409, 412, 422}


def test_one_code_has_one_status_and_one_title() -> None:
    by_code: dict[str, set[tuple[int, str]]] = {}
    for row in problem_table().values():
        by_code.setdefault(row.code, set()).add((row.status, row.title))
    assert {code: rows for code, rows in by_code.items() if len(rows) > 1} == {}


@pytest.fixture
def own_table() -> Iterator[dict[type[BaseException], Row]]:
    before = dict(_table)
    yield _table
    _table.clear()
    _table.update(before)


class SeatBroken(Exception):
    """An error as another app would have it."""

    detail = "The seat is broken."

    def explanation(self) -> dict[str, object]:
        return {"seat": 2}


class LegBroken(SeatBroken):
    pass


@pytest.mark.usefixtures("own_table")
def test_an_app_adds_its_errors_and_subclasses_follow() -> None:
    assert problem_for(SeatBroken()) is None
    register_problem(SeatBroken, 409, "seat_broken", "The seat is broken")
    for error in (SeatBroken(), LegBroken()):
        problem = problem_for(error)
        assert problem is not None
        assert problem.decided
        assert problem.document() == {
            "type": "/problems/seat_broken",
            "title": "The seat is broken",
            "status": 409,
            "detail": "The seat is broken.",
            "code": "seat_broken",
            "seat": 2,
        }
    register_problem(LegBroken, 403, "leg_broken", "The leg is broken", decided=True)
    leg = problem_for(LegBroken())
    assert leg is not None
    assert (leg.status, leg.decided) == (403, True)


@pytest.mark.usefixtures("own_table")
def test_a_row_cannot_contradict_another() -> None:
    register_problem(SeatBroken, 409, "seat_broken", "The seat is broken")
    register_problem(SeatBroken, 409, "seat_broken", "The seat is broken")
    for status, code, title in [
        (422, "seat_broken", "The seat is broken"),
        (409, "seat_broken", "Oh"),
        (409, "s", "S"),
    ]:
        with pytest.raises(ValueError, match="contradicts"):
            register_problem(SeatBroken, status, code, title)
    with pytest.raises(ValueError, match="contradicts"):
        register_problem(LegBroken, 410, "seat_broken", "The seat is broken")


@pytest.mark.usefixtures("own_table")
def test_an_explanation_cannot_replace_what_every_document_has() -> None:
    class Sly(SeatBroken):
        def explanation(self) -> dict[str, object]:
            return {"type": "about:blank"}

    register_problem(Sly, 409, "sly", "Sly")
    with pytest.raises(TypeError, match="reserved"):
        problem_for(Sly())


def test_a_refused_write_on_a_standby_is_found_by_its_cause() -> None:
    error = InternalError("cannot execute INSERT in a read-only transaction")
    error.__cause__ = psycopg.errors.ReadOnlySqlTransaction()
    problem = problem_for(error)
    assert problem is not None
    assert problem.code == "unavailable"
    assert problem_for(InternalError("anything else")) is None
    assert problem_for(IntegrityError("a bug")) is None


def test_the_cause_of_other_errors_does_not_answer_for_them() -> None:
    error = RuntimeError("a bug")
    error.__cause__ = OperationalError()
    assert problem_for(error) is None


def test_a_problem_answers_for_itself() -> None:
    problem = Problem(418, "teapot", "Teapot", "Short and stout.", headers={"X-Spout": "1"}, volume=3)
    response = exception_handler(problem, {})
    assert (response.status_code, response.headers["X-Spout"]) == (418, "1")
    assert json.loads(response.content)["volume"] == 3
    assert not problem.decided


def test_fixed_words_may_bring_headers() -> None:
    assert explain_as("Wait.", Retry_After="5")(None).headers == {"Retry-After": "5"}


def test_throttled_says_how_long_in_whole_seconds() -> None:
    assert exception_handler(drf.Throttled(wait=2.1), {}).headers["Retry-After"] == "3"
    assert exception_handler(drf.Throttled(), {}).headers["Retry-After"] == "1"


NESTED: Any = {
    "variant": [drf.ErrorDetail("Unknown.", code="invalid_choice")],
    "players": [{}, {"name": ["Too long.", "Taken."]}],
    "room": {"turn_seconds": ["Too short."], "non_field_errors": ["Not together."]},
    "codes": {"message": ["A field of this name."], "code": ["And of this."]},
    "non_field_errors": ["Nothing to do."],
}


def test_nested_validation_errors_become_dotted_fields() -> None:
    document = json.loads(exception_handler(drf.ValidationError(NESTED), {}).content)
    assert [(error["field"], error["code"], error["detail"]) for error in document["errors"]] == [
        ("variant", "invalid_choice", "Unknown."),
        ("players.1.name", "invalid", "Too long."),
        ("players.1.name", "invalid", "Taken."),
        ("room.turn_seconds", "invalid", "Too short."),
        ("room", "invalid", "Not together."),
        ("codes.message", "invalid", "A field of this name."),
        ("codes.code", "invalid", "And of this."),
        ("", "invalid", "Nothing to do."),
    ]


def test_validation_errors_without_fields_are_about_the_body() -> None:
    for error in (drf.ValidationError("Not so."), django_errors.ValidationError("Not so.")):
        document = json.loads(exception_handler(error, {}).content)
        assert document["errors"] == [{"field": "", "code": "invalid", "detail": "Not so."}]
