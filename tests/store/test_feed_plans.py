"""A small tenant's feed costs what it holds, however much the others play: every read goes by an index of its own."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from matches import event_store, outbox
from matches.partitions import lowest_id
from tests.tables import House, open_table

MANY = 30_000
LIMIT = 40


@pytest.fixture
def small(cast: House, other_house: House) -> UUID:
    """A tenant with one match among the many events of another."""
    table = open_table(cast)
    _fill(other_house.tenant_id)
    table.play(10)
    return cast.tenant_id


def _fill(tenant_id: UUID) -> None:
    first = lowest_id(datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)).int
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO matches_storedevent (stream_id, version, command_ix, schema_version, recorded_at, command_id,"
            " type, actor_kind, prev_hash, hash, body, tenant_id)"
            " SELECT (lpad(to_hex(%s), 12, '0') || lpad(to_hex(n / 300), 20, '0'))::uuid, n %% 300 + 1, 0, 1, now(),"
            " gen_random_uuid(), 'passed', 'player', '', '', '{}', %s FROM generate_series(0, %s - 1) n",
            [first >> 80, tenant_id, MANY],
        )
        cursor.execute(
            "INSERT INTO matches_outbox (xid, tenant_id, match_id, version, kind, details, recorded_at)"
            " SELECT pg_current_xact_id(), %s, gen_random_uuid(), 1, 'player.absent', '{}', now()"
            " FROM generate_series(1, %s)",
            [tenant_id, MANY],
        )
        cursor.execute("ANALYZE matches_storedevent, matches_outbox")


READS = {
    "feed": (event_store._FEED_OF_TENANT, ["uuid", "text", "bigint", "bigint"], 1),
    "outline": (outbox._HAPPENINGS, ["uuid", "text", "bigint", "uuid", "text", "bigint", "bigint"], 2),
    "is there more": (outbox._BEHIND, ["uuid[]", "text[]", "bigint[]"], 0),
}


def _values(name: str, tenant_id: UUID) -> list[Any]:
    place: list[Any] = [str(tenant_id), "0", 0]
    match name:
        case "feed":
            return [*place, LIMIT]
        case "outline":
            return [*place, *place, LIMIT]
        case _:
            return [[str(tenant_id)] * 5, ["0"] * 5, [0] * 5]


def _plan(name: str, tenant_id: UUID, mode: str) -> dict[str, Any]:
    """The plan of a read as it was carried out, with the server's plan for these values or for any."""
    sql, types, _ = READS[name]
    for number in range(len(types)):
        sql = sql.replace("%s", f"${number + 1}", 1)
    values = ", ".join(["%s"] * len(types))
    with connection.cursor() as cursor:
        cursor.execute(f"SET plan_cache_mode = {mode}")
        cursor.execute(f"PREPARE read ({', '.join(types)}) AS {sql}")
        try:
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE read ({values})", _values(name, tenant_id))
            [[found]] = cursor.fetchall()
        finally:
            cursor.execute("DEALLOCATE read")
            cursor.execute("RESET plan_cache_mode")
    parsed = json.loads(found) if isinstance(found, str) else found
    plan: dict[str, Any] = parsed[0]["Plan"]
    return plan


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


def _rows_looked_at(plan: dict[str, Any]) -> float:
    """How many rows were read from tables and indexes, those thrown away included."""
    looked_at = 0.0
    for node in _nodes(plan):
        if "Relation Name" in node:
            rows = (
                node["Actual Rows"]
                + node.get("Rows Removed by Filter", 0)
                + node.get("Rows Removed by Index Recheck", 0)
            )
            looked_at += rows * node["Actual Loops"]
    return looked_at


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("name", READS)
def test_a_read_looks_at_no_more_than_it_gives(small: UUID, name: str, mode: str) -> None:
    plan = _plan(name, small, mode)
    used = {node.get("Index Name", "") for node in _nodes(plan)}
    assert any("feed_of_tenant" in index or "tenant_id_xid_pos" in index for index in used), used
    assert _rows_looked_at(plan) <= 2 * LIMIT


def test_without_the_index_it_looks_at_everything(small: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX matches_storedevent_feed_of_tenant")
    try:
        assert _rows_looked_at(_plan("feed", small, "force_custom_plan")) > MANY
    finally:
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE INDEX matches_storedevent_feed_of_tenant ON matches_storedevent (tenant_id, xid, pos)"
            )
