"""Cursors and limits."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import pytest

from tarneeb_service.http.errors import Invalid
from tarneeb_service.http.pagination import decode_cursor, encode_cursor, page_limit, whole_number


class Place(NamedTuple):
    """Where a page ended."""

    created_at: datetime
    id: UUID


class Name(NamedTuple):
    """A place in a list sorted by name."""

    name: str


PLACE = Place(datetime(2026, 1, 2, tzinfo=UTC), UUID(int=7))


def test_a_cursor_brings_back_the_place() -> None:
    text = encode_cursor(PLACE)
    assert text.isascii()
    assert not set(text) & set("+/=")
    assert decode_cursor(text, Place) == PLACE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "garbage",
        "أمل",
        "!!!!",
        encode_cursor(PLACE)[:-3],
        encode_cursor(["2026-01-02", 7]),
        encode_cursor({"at": 7}),
        encode_cursor(None),
        urlsafe_b64encode(b"[" * 300).decode(),
        urlsafe_b64encode(b"\xff\xfe").decode(),
        "A" * 100_000,
    ],
)
def test_garbage_is_invalid_on_the_field_cursor(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        decode_cursor(text, Place)
    assert [error.field for error in refused.value.errors] == ["cursor"]


def test_a_cursor_carries_no_nul_into_the_database() -> None:
    with pytest.raises(Invalid):
        decode_cursor(encode_cursor(["a\0b"]), Name)


@pytest.mark.parametrize(("text", "limit"), [(None, 50), ("1", 1), ("200", 200), ("007", 7)])
def test_limits_within_bounds_are_taken(text: str | None, limit: int) -> None:
    assert page_limit({} if text is None else {"limit": text}) == limit


@pytest.mark.parametrize("text", ["0", "201", "-1", "", "ten", "1.0", " 1", "+1", "1_0", "٣", "²", "9" * 5000])
def test_other_limits_are_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        page_limit({"limit": text})
    assert [error.field for error in refused.value.errors] == ["limit"]


def test_negative_numbers_can_be_asked_for_where_they_are_allowed() -> None:
    assert whole_number({"n": "-3"}, "n", default=0, lowest=-5, highest=5) == -3
    with pytest.raises(Invalid):
        whole_number({"n": "-6"}, "n", default=0, lowest=-5, highest=5)
