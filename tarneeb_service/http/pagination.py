"""Cursor pages. A cursor is opaque to clients and holds nothing secret: the sort values of the last row sent.

It is not signed: whatever a client makes of it can only ask for another place in the same list.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from tarneeb_service.http.errors import invalid
from tarneeb_service.http.rendering import encode_json

T = TypeVar("T")

LONGEST_CURSOR = 512


def encode_cursor(place: object) -> str:
    """A place in a list, such as `(created_at, id)`, as text for `cursor=`."""
    return urlsafe_b64encode(encode_json(place)).rstrip(b"=").decode()


def decode_cursor(text: str, place: type[T]) -> T:
    """The place that `encode_cursor` was given, of the type `place`, for instance a NamedTuple.

    Raises `Invalid` on the field `cursor` for anything else.
    """
    unknown = invalid("cursor", "invalid", "Use a cursor as it was given, or leave it out to begin anew.")
    if len(text) > LONGEST_CURSOR:
        raise unknown
    try:
        raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        decoded = msgspec.json.decode(raw, type=place)
    except (ValueError, RecursionError):
        raise unknown from None
    if b"\\u0000" in raw:
        raise unknown
    return decoded


def whole_number(query: Mapping[str, str], name: str, *, default: int, lowest: int, highest: int) -> int:
    """The query parameter `name` as a whole number, `lowest` to `highest`; `default` if absent. Raises `Invalid`."""
    text = query.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) <= 19):
        raise invalid(name, "invalid", "This must be a whole number.")
    number = int(text)
    if not lowest <= number <= highest:
        raise invalid(name, "out_of_range", f"This must be {lowest} to {highest}.")
    return number


def page_limit(query: Mapping[str, str], *, default: int = 50, highest: int = 200) -> int:
    """How many rows a page may have: `limit=`, 1 to `highest`. Raises `Invalid`."""
    return whole_number(query, "limit", default=default, lowest=1, highest=highest)
