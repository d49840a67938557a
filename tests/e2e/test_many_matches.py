"""Sixteen matches at once over a real gunicorn, to their end, in every variant, by clients that do everything wrong."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from matches.engine.state import Over
from matches.rebuild import rebuild_read_rows
from tarneeb_service.access.services import create_key, create_tenant
from tests.e2e.serving import Client, WebServer
from tests.e2e.tables_at_once import LiveTable, check_sights
from tests.tables import check_chain, events_of, folded, read_rows

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]

SETTINGS: list[dict[str, Any]] = [
    {"variant": "classic"},
    {"variant": "classic", "no_trumps": False, "visibility": "private"},
    {"variant": "classic", "direction": "clockwise", "deal_style": "one_go", "turn_seconds": 86400},
    {"variant": "eram"},
    {"variant": "eram", "direction": "clockwise"},
    {"variant": "egyptian"},
    {"variant": "egyptian", "double_defenders": True, "visibility": "public"},
    {"variant": "egyptian", "doubling": False, "no_trumps": False},
    {"variant": "clockwise"},
    {"variant": "clockwise", "dealer_must_bid": True, "visibility": "private"},
    {"variant": "one_go"},
    {"variant": "one_go", "auction": "single_round"},
    {"variant": "lebanese"},
    {"variant": "lebanese", "direction": "clockwise", "dealer_must_bid": True},
    {"variant": "forced_dealer"},
    {"variant": "forced_dealer", "target": 31, "turn_seconds": 3600},
]


@pytest.mark.slow
def test_sixteen_matches_at_once(web_server: WebServer) -> None:
    _, key = create_key(tenant=create_tenant(name="north"))
    tables = [
        LiveTable(Client(web_server.port, key), f"table {number}", settings, Random(number))
        for number, settings in enumerate(SETTINGS)
    ]
    assert len(tables) == 16
    assert {table.settings["variant"] for table in tables} == {
        "classic", "eram", "egyptian", "clockwise", "one_go", "lebanese", "forced_dealer",
    }  # fmt: skip

    with ThreadPoolExecutor(len(tables)) as pool:
        for done in [pool.submit(table.play_to_the_end) for table in tables]:
            done.result()

    refused = Counter[str]()
    for table in tables:
        rows = check_chain(table.id)
        assert [row.version for row in rows] == list(range(1, table.version + 1))
        state = folded(table.id)
        assert isinstance(state, Over)
        assert state.status == "completed"
        seen = table.client.ask("GET", table.path).json
        assert (seen["version"], seen["totals"]) == (len(rows), list(state.table.totals))
        assert seen["result"] == {"winner": state.winner, "reason": "target", "totals": list(state.table.totals)}
        assert check_sights(table, events_of(table.id)) > 1000
        assert sum(row.actor_kind == "player" for row in rows) == len({row.command_id for row in rows}) - 1
        refused.update(table.refusals)
        table.client.close()
    assert {"not_your_turn", "version_mismatch", "not_seated", "not_found", "idempotency_key_reused"} <= set(refused)

    shown = read_rows()
    assert len(shown["matches_match"]) == 16
    assert rebuild_read_rows() == 16
    assert read_rows() == shown
