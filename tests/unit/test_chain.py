"""The hash of an event, held against the words of its definition."""

from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matches.chain import DOMAIN, NO_HASH, event_hash, microseconds

EVENT: dict[str, Any] = {
    "prev_hash": bytes(range(32)),
    "stream": UUID("019352ab-0000-7000-8000-000000000001"),
    "version": 12,
    "type_name": "card_played",
    "schema_version": 1,
    "actor_kind": "player",
    "seat": 3,
    "command_id": UUID("11111111-2222-4333-8444-555555555555"),
    "recorded_at": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    "body": '{"card":"AS","seat":3}',
}


def test_the_hash_is_sha_256_over_the_fields_each_after_its_length() -> None:
    fields = [
        b"tarneeb/event/1",
        bytes(range(32)),
        bytes.fromhex("019352ab000070008000000000000001"),
        b"12|card_played|1|player|3",
        bytes.fromhex("11111111222243338444555555555555"),
        b"1767323045678901",
        b'{"card":"AS","seat":3}',
    ]
    whole = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    assert event_hash(**EVENT) == sha256(whole).digest()


def test_a_missing_seat_is_the_empty_string() -> None:
    without = event_hash(**EVENT | {"actor_kind": "system", "seat": None})
    fields = [
        DOMAIN,
        EVENT["prev_hash"],
        EVENT["stream"].bytes,
        b"12|card_played|1|system|",
        EVENT["command_id"].bytes,
        b"1767323045678901",
        EVENT["body"].encode(),
    ]
    assert without == sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


OTHERS: dict[str, Any] = {
    "prev_hash": NO_HASH,
    "stream": UUID("019352ab-0000-7000-8000-000000000002"),
    "version": 13,
    "type_name": "passed",
    "schema_version": 2,
    "actor_kind": "clock",
    "seat": 0,
    "command_id": UUID("11111111-2222-4333-8444-555555555556"),
    "recorded_at": EVENT["recorded_at"] + timedelta(microseconds=1),
    "body": '{"card":"KS","seat":3}',
}


@pytest.mark.parametrize("field", EVENT)
def test_every_field_counts(field: str) -> None:
    assert event_hash(**EVENT | {field: OTHERS[field]}) != event_hash(**EVENT)
    if field == "seat":
        assert event_hash(**EVENT | {"seat": None}) != event_hash(**EVENT | {"seat": 0})


def test_one_field_cannot_run_into_the_next() -> None:
    """Without the lengths, 1 µs before `23` and 12 µs before `3` would be the same bytes."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    one = EVENT | {"recorded_at": epoch + timedelta(microseconds=1), "body": "23"}
    other = EVENT | {"recorded_at": epoch + timedelta(microseconds=12), "body": "3"}
    assert event_hash(**one) != event_hash(**other)


MOMENTS = st.datetimes(timezones=st.just(UTC))


def test_microseconds_are_exact_in_every_zone() -> None:
    @given(MOMENTS, st.integers(-14 * 60, 14 * 60))
    def exact(moment: datetime, minutes_east: int) -> None:
        counted = microseconds(moment)
        assert datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=counted) == moment
        try:
            elsewhere = moment.astimezone(timezone(timedelta(minutes=minutes_east)))
        except OverflowError:
            return
        assert microseconds(elsewhere) == counted

    exact()
    assert microseconds(datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)) == 253402300799999999
