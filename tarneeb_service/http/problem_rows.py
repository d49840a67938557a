"""The rows of the problem table for everything that HTTP, Django, DRF and the database can raise."""

import math
from typing import Any

import psycopg
from django.core import exceptions as django_errors
from django.db import InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions as drf

from tarneeb_service.http import errors
from tarneeb_service.http.errors import CHALLENGE, FieldError
from tarneeb_service.http.idempotency import AnswerTaken
from tarneeb_service.http.parsing import MAX_BODY_BYTES
from tarneeb_service.http.problems import Explanation, explain_as, register_problem


def register_common_problems() -> None:
    """Fill the table. Called once, when the app is ready."""
    _register_ours()
    _register_frameworks()
    _register_database()


def _register_ours() -> None:
    register_problem(errors.Invalid, 400, "invalid", "Invalid request")
    register_problem(errors.MalformedJson, 400, "malformed_json", "Malformed JSON")
    register_problem(errors.UnreadableRequest, 400, "bad_request", "Bad request")
    register_problem(errors.NotAuthenticated, 401, "not_authenticated", "Not authenticated")
    register_problem(errors.KeyRevoked, 401, "key_revoked", "Key revoked")
    register_problem(errors.TokenExpired, 401, "token_expired", "Token expired")
    register_problem(errors.Forbidden, 403, "forbidden", "Forbidden")
    register_problem(errors.NotFound, 404, "not_found", "Not found")
    register_problem(errors.LengthRequired, 411, "length_required", "Length required")
    register_problem(errors.BodyTooLarge, 413, "body_too_large", "Body too large")
    register_problem(errors.AddressTooLong, 414, "address_too_long", "Address too long")
    register_problem(errors.ExpectationFailed, 417, "expectation_failed", "Expectation failed")
    register_problem(errors.HeadersTooLarge, 431, "headers_too_large", "Headers too large")
    register_problem(errors.UnknownTransferCoding, 501, "unknown_transfer_coding", "Unknown transfer coding")
    register_problem(
        errors.IdempotencyKeyReused, 422, "idempotency_key_reused", "Idempotency key reused", decided=False
    )
    register_problem(errors.Unavailable, 503, "unavailable", "Unavailable")
    register_problem(AnswerTaken, 503, "unavailable", "Unavailable", explain=_explain_unavailable)


def _register_frameworks() -> None:
    challenge = explain_as("This needs a credential.", WWW_Authenticate=CHALLENGE)
    forbidden = explain_as("This caller may not do this.")
    not_found = explain_as("There is nothing here.")
    bad_request = explain_as("The request is none that this service takes.")
    too_large = explain_as(f"A body here is at most {MAX_BODY_BYTES} bytes.")

    register_problem(drf.ValidationError, 400, "invalid", "Invalid request", explain=_explain_validation)
    register_problem(django_errors.ValidationError, 400, "invalid", "Invalid request", explain=_explain_validation)
    register_problem(
        drf.ParseError, 400, "malformed_json", "Malformed JSON", explain=explain_as("The body cannot be read.")
    )
    register_problem(django_errors.BadRequest, 400, "bad_request", "Bad request", explain=bad_request)
    register_problem(django_errors.SuspiciousOperation, 400, "bad_request", "Bad request", explain=bad_request)
    register_problem(UnreadablePostError, 400, "bad_request", "Bad request", explain=bad_request)
    register_problem(drf.NotAuthenticated, 401, "not_authenticated", "Not authenticated", explain=challenge)
    register_problem(drf.AuthenticationFailed, 401, "not_authenticated", "Not authenticated", explain=challenge)
    register_problem(drf.PermissionDenied, 403, "forbidden", "Forbidden", explain=forbidden)
    register_problem(django_errors.PermissionDenied, 403, "forbidden", "Forbidden", explain=forbidden)
    register_problem(drf.NotFound, 404, "not_found", "Not found", explain=not_found)
    register_problem(Http404, 404, "not_found", "Not found", explain=not_found)
    register_problem(
        drf.MethodNotAllowed, 405, "method_not_allowed", "Method not allowed", explain=_explain_in_its_words
    )
    register_problem(
        drf.NotAcceptable,
        406,
        "not_acceptable",
        "Not acceptable",
        explain=explain_as("What Accept asks for is not to be had here; JSON is."),
    )
    register_problem(django_errors.RequestDataTooBig, 413, "body_too_large", "Body too large", explain=too_large)
    register_problem(
        drf.UnsupportedMediaType,
        415,
        "unsupported_media_type",
        "Unsupported media type",
        explain=explain_as("Send JSON in UTF-8, with Content-Type: application/json."),
    )
    register_problem(drf.Throttled, 429, "throttled", "Too many requests", explain=_explain_throttled)


def _register_database() -> None:
    # Too many connections, locks and statements that took too long, deadlocks, a server that goes down: the driver
    # calls all of them operational. A primary that has just become a standby refuses writes.
    for kind in (
        OperationalError,
        InterfaceError,
        psycopg.OperationalError,
        psycopg.InterfaceError,
        psycopg.errors.ReadOnlySqlTransaction,
    ):
        register_problem(kind, 503, "unavailable", "Unavailable", explain=_explain_unavailable)


def _explain_unavailable(_error: Exception) -> Explanation:
    known = errors.Unavailable()
    return Explanation(known.detail, {}, known.headers)


def _explain_in_its_words(error: drf.APIException) -> Explanation:
    return Explanation(str(error.detail), {}, {})


def _explain_throttled(error: drf.Throttled) -> Explanation:
    seconds = max(1, math.ceil(getattr(error, "wait", None) or 1))
    return Explanation(f"Too many requests; try again in {seconds} s.", {}, {"Retry-After": str(seconds)})


def _explain_validation(error: drf.ValidationError | django_errors.ValidationError) -> Explanation:
    if isinstance(error, django_errors.ValidationError):
        error = drf.ValidationError(_messages_of(error))
    found = tuple(_flat(error.get_full_details(), ""))
    refusal = errors.Invalid(*found)
    return Explanation(refusal.detail, refusal.facts, {})


def _messages_of(error: django_errors.ValidationError) -> Any:
    return error.message_dict if hasattr(error, "error_dict") else {"non_field_errors": error.messages}


def _flat(details: Any, path: str) -> list[FieldError]:
    """DRF's nested lists and dicts of errors, one entry for each, with dotted paths."""
    if _is_leaf(details):
        return [FieldError(path, str(details["code"]), str(details["message"]))]
    found: list[FieldError] = []
    if isinstance(details, dict):
        for name, inner in details.items():
            whole = name in {"non_field_errors", "__all__"}
            found += _flat(inner, path if whole else _join(path, name))
    else:
        for place, inner in enumerate(details):
            found += _flat(inner, path if _is_leaf(inner) else _join(path, place))
    return found


def _is_leaf(details: Any) -> bool:
    return isinstance(details, dict) and set(details) == {"message", "code"} and isinstance(details["message"], str)


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)
