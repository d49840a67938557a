"""JSON out. Times leave as RFC 3339 in UTC with six digits of a second and `Z`, always in that one form."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.utils.functional import Promise
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

_TIME_IN_ANOTHER_FORM = re.compile(rb"T\d\d:\d\d:\d\d(?!\.\d{6}Z)")


def rfc3339(moment: datetime) -> str:
    """`moment` as the API writes times. Raises TypeError for a time without a zone: it would be a guess."""
    if moment.tzinfo is None:
        raise TypeError("a time without a zone cannot be sent")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _plain(value: object) -> object:
    if isinstance(value, Promise | str):
        return str(value)
    if isinstance(value, datetime):
        return rfc3339(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON here")


def _with_times_written(value: Any) -> Any:
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, Mapping):
        return {name: _with_times_written(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_with_times_written(inner) for inner in value]
    return value


_encoder = msgspec.json.Encoder(enc_hook=_plain)


def encode_json(value: object) -> bytes:
    """`value` as JSON: plain values, structs, UUIDs, times, and lists and mappings of them.

    msgspec drops a zero fraction and keeps other zones. That is rare, so the encoded text is searched for it, and only
    then is the value walked and every time written out.
    """
    encoded = _encoder.encode(value)
    if _TIME_IN_ANOTHER_FORM.search(encoded) is None:
        return encoded
    plain = msgspec.to_builtins(value, builtin_types=(datetime,), str_keys=True, enc_hook=_plain)
    return _encoder.encode(_with_times_written(plain))


class JsonRenderer(BaseRenderer):
    """What every view answers with unless it says otherwise."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,  # noqa: ARG002  DRF's signature
        renderer_context: Mapping[str, Any] | None = None,  # noqa: ARG002  DRF's signature
    ) -> bytes:
        """The body; empty for None, as a 204 has it."""
        return b"" if data is None else encode_json(data)


_TAKES_ANYTHING = frozenset({"", "*/*", "application/json"})


class Negotiation(DefaultContentNegotiation):
    """DRF's negotiation, without the parsing for a client that takes what there is."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """The renderer and its media type. Raises NotAcceptable."""
        offered = list(renderers)
        first = offered[0]
        if isinstance(first, JsonRenderer) and request.META.get("HTTP_ACCEPT", "") in _TAKES_ANYTHING:
            return first, first.media_type
        selected: tuple[BaseRenderer, str] = super().select_renderer(request, offered, format_suffix)
        return selected
