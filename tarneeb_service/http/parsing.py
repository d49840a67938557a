"""JSON in, within a limit. What cannot be read is refused before any view sees it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeVar

import msgspec
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from tarneeb_service.http.errors import (
    BodyTooLarge,
    Invalid,
    LengthRequired,
    MalformedJson,
    UnreadableRequest,
    invalid,
)

T = TypeVar("T")

MAX_BODY_BYTES = 64 * 1024
_PIECE = 16 * 1024
_LONGEST_LENGTH = 19

_anything: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def read_body(request: HttpRequest, limit: int = MAX_BODY_BYTES) -> bytes:
    """The whole body, read once and kept on the request as `request.body`.

    Raises `BodyTooLarge` over `limit` bytes, judged by Content-Length where there is one and while reading where the
    body comes in chunks, `LengthRequired` where the server does not mark the end of a chunked body,
    `UnreadableRequest` if the connection breaks off.
    """
    if request.META.get("HTTP_TRANSFER_ENCODING"):
        return _read_chunked(request, limit)
    if _content_length(request) > limit:
        raise BodyTooLarge(limit)
    with _blaming_the_client():
        body = request.body
    if len(body) > limit:
        raise BodyTooLarge(limit)
    return body


@contextmanager
def _blaming_the_client() -> Iterator[None]:
    # Each server has errors of its own for a connection that breaks or a chunk that is none.
    try:
        yield
    except SuspiciousOperation:
        raise
    except Exception as broken:
        raise UnreadableRequest("The body broke off.") from broken


def _content_length(request: HttpRequest) -> int:
    length: str = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()):
        raise UnreadableRequest("Content-Length is no number.")
    return int(length[:_LONGEST_LENGTH])


def _read_chunked(request: HttpRequest, limit: int) -> bytes:
    # Django reads nothing without a Content-Length, and DRF parses nothing, so both are told what arrived.
    if "_body" in request.__dict__:
        return request.body
    if not request.META.get("wsgi.input_terminated"):
        raise LengthRequired
    with _blaming_the_client():
        body = _first_bytes(request.META["wsgi.input"], limit + 1)
    if len(body) > limit:
        raise BodyTooLarge(limit)
    request.META["CONTENT_LENGTH"] = str(len(body))
    request._body = body  # noqa: SLF001  where `request.body` keeps it
    return body


def _first_bytes(source: IO[bytes], most: int) -> bytes:
    pieces, missing = [], most
    while missing and (piece := source.read(min(missing, _PIECE))):
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)


class JsonParser(BaseParser):
    """Takes JSON in UTF-8 and nothing else. A body that is not an object is `Invalid`."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],  # noqa: ARG002  the body is read once, through the request
        media_type: str | None = None,  # noqa: ARG002  DRF's signature
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The body as a dict. Raises `MalformedJson`, `Invalid`, `BodyTooLarge`, `UnsupportedMediaType`."""
        request: HttpRequest = (parser_context or {})["request"]._request  # noqa: SLF001  DRF's way to Django's
        _check_charset(request)
        return _object(request.body)


def body_as(request: Request, decoder: msgspec.json.Decoder[T]) -> T:
    """The JSON body decoded straight into the decoder's type; an absent body counts as `{}`.

    Raises what the parser does, and `Invalid` naming the field where the body does not fit the type.
    """
    sent = request._request  # noqa: SLF001  DRF's way to Django's
    body = sent.body
    if not body:
        return _decoded(b"{}", decoder)
    if sent.content_type != JsonParser.media_type:
        raise UnsupportedMediaType(sent.content_type or "(none)")
    _check_charset(sent)
    _refuse_nul(body)
    return _decoded(body, decoder)


def _check_charset(request: HttpRequest) -> None:
    charset = (request.content_params or {}).get("charset", "utf-8")
    if charset.lower() not in {"utf-8", "utf8", "us-ascii"}:
        raise UnsupportedMediaType(f"{request.content_type}; charset={charset}")


def _object(body: bytes) -> dict[str, Any]:
    value = _decoded(body, _anything)
    if not isinstance(value, dict):
        raise invalid("", "not_an_object", "The body must be a JSON object.")
    _refuse_nul(body)
    return value


def _decoded(body: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        return _fitting(body, decoder)
    except msgspec.ValidationError as mismatch:
        # The decoder stopped at the first thing amiss. Whether the rest is JSON at all comes before what it says.
        with suppress(msgspec.ValidationError):
            _fitting(body, _anything)
        raise from_msgspec(mismatch) from None


def _fitting(body: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """The body; msgspec's ValidationError where it does not fit, `MalformedJson` where it is no JSON."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        raise
    except RecursionError:
        raise MalformedJson("The body is nested too deeply.") from None
    except msgspec.DecodeError as broken:
        raise MalformedJson(f"{broken}.") from None


def _refuse_nul(body: bytes) -> None:
    # PostgreSQL has no NUL in text. An unescaped one is no JSON anyway, so only the escape needs looking for; that the
    # escape's letters may also stand after an escaped backslash is left to the walk.
    if b"\\u0000" in body:
        field = _field_with_nul(_decoded(body, _anything))
        if field is not None:
            raise invalid(field, "nul_character", "NUL characters cannot be stored.")


def _field_with_nul(body: object) -> str | None:
    # A body may be nested deeper than functions can call each other.
    levels: list[tuple[Iterator[tuple[object, object]], str]] = [(iter([("", body)]), "")]
    while levels:
        items, path = levels[-1]
        for name, value in items:
            if isinstance(value, str) and "\0" in value:
                return _below(path, name)
            if isinstance(value, dict | list):
                here = _below(path, name)
                if isinstance(value, dict) and any("\0" in key for key in value):
                    return here
                inner: Iterable[tuple[object, object]] = value.items() if isinstance(value, dict) else enumerate(value)
                levels.append((iter(inner), here))
                break
        else:
            levels.pop()
    return None


def _below(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


_PLACE = re.compile(r" - at `\$?([^`]*)`$")
_NAMED_FIELD = re.compile(r"Object (missing required|contains unknown) field `([^`]*)`")
_LONGEST_DETAIL = 200


def from_msgspec(mismatch: msgspec.ValidationError) -> Invalid:
    """msgspec's complaint as the refusal of one field, with its dotted path."""
    text = str(mismatch)
    place = _PLACE.search(text)
    path = _dotted(place[1]) if place else ""
    text = text[: place.start()] if place else text
    code = "invalid"
    if named := _NAMED_FIELD.match(text):
        path = f"{path}.{named[2]}" if path else named[2]
        code = "required" if named[1].startswith("missing") else "unknown_field"
    elif text.startswith(("Invalid enum value", "Invalid value")):
        code = "invalid_choice"
    elif text.startswith("Expected") and (">" in text or "<" in text):
        code = "out_of_range"
    elif text.startswith("Expected"):
        code = "wrong_type"
    return invalid(path, code, f"{text[:_LONGEST_DETAIL]}.")


def _dotted(path: str) -> str:
    # `.players[2].name` is `players.2.name`; `[...]` stands for some key of a mapping.
    return path.replace("[...]", "").replace("[", ".").replace("]", "").lstrip(".")
