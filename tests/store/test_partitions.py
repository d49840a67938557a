"""The months of the log."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection
from django.db.backends.utils import CursorWrapper
from uuid_utils.compat import uuid7

from matches import partitions, services
from matches.partitions import ensure_partitions, lowest_id, missing_partitions, month_start, partition_name
from tests.concurrently import held_open, together
from tests.tables import (
    House,
    Table,
    open_table,
    stored_rows,
)

FAR = datetime(2091, 11, 15, 12, tzinfo=UTC)
FAR_MONTHS = ["matches_storedevent_2091_11", "matches_storedevent_2091_12", "matches_storedevent_2092_01"]


def attached() -> list[str]:
    """The partitions that the log has."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
            " WHERE i.inhparent = 'matches_storedevent'::regclass ORDER BY 1"
        )
        return [name for (name,) in cursor.fetchall()]


def tables() -> list[str]:
    """Every table that looks like a partition, attached or not."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE tablename ~ '^matches_storedevent_' ORDER BY 1")
        return [name for (name,) in cursor.fetchall()]


@pytest.fixture
def far_months(transactional_db: None) -> Iterator[None]:
    """The partitions of months long from now that a test makes are dropped after it."""
    before = tables()
    yield
    with connection.cursor() as cursor:
        for name in tables():
            if name not in before:
                cursor.execute(f"DROP TABLE {name}")


def id_at(moment: datetime, rest: int = 0x7000_8000_0000_0000_0000) -> UUID:
    """The stream id of this millisecond with these other bits."""
    micros = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return UUID(int=((micros // 1000) << 80) | rest)


def place_of(table: Table) -> str:
    """The partition in which the events of a match lie."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT tableoid::regclass::text FROM matches_storedevent WHERE stream_id = %s", [table.match_id]
        )
        [(name,)] = cursor.fetchall()
        return str(name)


# Months and names


@pytest.mark.parametrize(
    ("moment", "months", "start"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), 0, datetime(2026, 1, 1, tzinfo=UTC)),
        (datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC), 1, datetime(2026, 2, 1, tzinfo=UTC)),
        (datetime(2026, 12, 31, tzinfo=UTC), 1, datetime(2027, 1, 1, tzinfo=UTC)),
        (datetime(2026, 5, 5, tzinfo=UTC), 20, datetime(2028, 1, 1, tzinfo=UTC)),
        # What is May already in Damascus is April in UTC.
        (datetime(2026, 5, 1, 1, tzinfo=timezone(timedelta(hours=3))), 0, datetime(2026, 4, 1, tzinfo=UTC)),
    ],
)
def test_months_begin_in_utc(moment: datetime, months: int, start: datetime) -> None:
    assert month_start(moment, months) == start
    assert partition_name(month_start(moment, months)) == f"matches_storedevent_{start.year}_{start.month:02}"


def test_the_lowest_id_of_a_moment_is_below_every_uuid7_of_it() -> None:
    start = datetime(2026, 3, 1, tzinfo=UTC)
    assert lowest_id(start) < id_at(start, 0x7000_8000_0000_0000_0000)
    assert lowest_id(start) > id_at(start - timedelta(microseconds=1), 0x7FFF_BFFF_FFFF_FFFF_FFFF)
    before, made, after = datetime.now(UTC), uuid7(), datetime.now(UTC) + timedelta(milliseconds=1)
    assert lowest_id(before) <= made < lowest_id(after + timedelta(milliseconds=1))


# In the database


def test_a_year_of_partitions_is_there_from_the_start(transactional_db: None) -> None:
    now = datetime.now(UTC)
    expected = [partition_name(month_start(now, months)) for months in range(12)]
    assert set(attached()) >= set(expected)
    assert missing_partitions(now) == []


def test_partitions_are_made_once(far_months: None) -> None:
    assert missing_partitions(FAR, 2) == FAR_MONTHS
    assert ensure_partitions(FAR, 2) == FAR_MONTHS
    assert ensure_partitions(FAR, 2) == []
    assert ensure_partitions(FAR + timedelta(days=31), 1) == []
    assert set(FAR_MONTHS) <= set(attached())
    assert missing_partitions(FAR, 2) == []
    assert missing_partitions(FAR, 3) == ["matches_storedevent_2092_02"]


def test_several_workers_make_each_partition_once(far_months: None) -> None:
    made = together(*[partial(ensure_partitions, FAR, 2)] * 6)
    assert sorted(name for names in made for name in names) == FAR_MONTHS
    assert set(FAR_MONTHS) <= set(attached())


def test_a_worker_that_dies_half_way_leaves_no_half_of_a_partition(
    far_months: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = CursorWrapper.execute

    def stop_before_attaching(cursor: CursorWrapper, sql: str, params: Any = None) -> Any:
        if "ATTACH" in str(sql):
            raise KeyboardInterrupt
        return execute(cursor, sql, params)

    with monkeypatch.context() as patched:
        patched.setattr(CursorWrapper, "execute", stop_before_attaching)
        with pytest.raises(KeyboardInterrupt):
            ensure_partitions(FAR, 2)
    assert tables() == attached()
    assert ensure_partitions(FAR, 2) == FAR_MONTHS
    assert tables() == attached()


def test_partitions_are_made_while_play_goes_on(table: Table, far_months: None) -> None:
    """A writer in the middle of its transaction is not waited for, nor does it wait."""
    with held_open(table.step):
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '20s'")
        try:
            assert ensure_partitions(FAR, 2) == FAR_MONTHS
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
        other = open_table(House(table.tenant_id, *[UUID(int=n) for n in range(6)]))
    assert len(stored_rows(other.match_id)) == 7


@pytest.mark.parametrize(
    ("stream_id", "place"),
    [
        (id_at(datetime(2091, 11, 1, tzinfo=UTC)), 0),
        (lowest_id(datetime(2091, 11, 1, tzinfo=UTC)), 0),
        (id_at(datetime(2091, 11, 30, 23, 59, 59, 999000, tzinfo=UTC), 0x7FFF_BFFF_FFFF_FFFF_FFFF), 0),
        (lowest_id(datetime(2091, 12, 1, tzinfo=UTC)), 1),
        (UUID(int=lowest_id(datetime(2092, 2, 1, tzinfo=UTC)).int - 1), 2),
    ],
)
def test_a_stream_lies_in_the_month_of_its_id(
    cast: House, far_months: None, stream_id: UUID, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_partitions(FAR, 2)
    monkeypatch.setattr(services, "uuid7", lambda: stream_id)
    table = open_table(cast)
    table.play(3)
    assert place_of(table) == FAR_MONTHS[place]


def test_a_stream_of_a_month_without_partition_says_so(cast: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "uuid7", lambda: id_at(FAR))
    with pytest.raises(IntegrityError, match='no partition of relation "matches_storedevent" found for row'):
        open_table(cast)
    assert not stored_rows(id_at(FAR))
    monkeypatch.undo()
    assert open_table(cast).version == 7


def test_partitions_have_the_keys_of_the_log(far_months: None) -> None:
    ensure_partitions(FAR, 0)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass", [FAR_MONTHS[0]]
        )
        definitions = " ".join(definition for (definition,) in cursor.fetchall())
    for key in ("(stream_id, version)", "(stream_id, command_id, command_ix)", "(xid, pos)"):
        assert key in definitions
    assert definitions.count("UNIQUE") == 2


def test_the_log_is_named_once(transactional_db: None) -> None:
    assert all(name.startswith(f"{partitions.PARENT}_") for name in attached())
