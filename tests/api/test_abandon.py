"""`POST /matches/{id}/abandon`: the tenant ends a match without a winner."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.callers import Caller, House, stored
from tests.api.games import Game


def test_the_tenant_abandons_a_match(north: House) -> None:
    game = Game(north, turn_seconds=30)
    answer = north.backend.post(f"{game.path}/abandon", {"reason": "the table broke up"})
    match = answer.ok()
    assert (match["status"], match["turn"], match["you"]) == ("abandoned", None, None)
    assert match["result"] == {"winner": None, "reason": "the table broke up", "totals": [0, 0]}
    assert (match["version"], answer.etag) == (8, '"8"')
    assert north.backend.see(game.id) | {"server_now": match["server_now"]} == match
    (event,) = north.backend.get(f"{game.path}/events?after=7").ok()["events"]
    assert (event["type"], event["by"], event["seat"], event["data"]) == (
        "match_abandoned",
        "tenant",
        None,
        {"reason": "the table broke up"},
    )


def test_the_cards_of_an_abandoned_hand_stay_with_their_players(north: House) -> None:
    game = Game(north)
    north.backend.post(f"{game.path}/abandon", {"reason": "rain"}).ok()
    seen = [caller.see(game.id)["you"] for caller in north.four]
    assert all(you["legal_actions"] == [] for you in seen)
    assert len({card for you in seen for card in you["holding"]}) == 52
    assert north.backend.see(game.id)["you"] is None


def test_a_match_that_waits_can_be_abandoned(north: House) -> None:
    match = north.open_match(["amal"])
    assert north.backend.post(f"matches/{match['id']}/abandon", {"reason": "nobody came"}).ok()["status"] == "abandoned"


def test_only_once(north: House) -> None:
    game = Game(north)
    north.backend.post(f"{game.path}/abandon", {"reason": "rain"}).ok()
    before = stored()
    north.backend.post(f"{game.path}/abandon", {"reason": "more rain"}).problem(409, "match_over")
    assert stored() == before


def test_on_condition_of_a_version(north: House) -> None:
    game = Game(north)
    before = stored()
    refused = north.backend.post(f"{game.path}/abandon", {"reason": "rain"}, if_match=6)
    assert refused.problem(412, "version_mismatch")["current_version"] == 7
    assert stored() == before
    assert north.backend.post(f"{game.path}/abandon", {"reason": "rain"}, if_match=7).ok()["version"] == 8


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (None, {"reason": "required"}),
        ({}, {"reason": "required"}),
        ({"reason": None}, {"reason": "wrong_type"}),
        ({"reason": ""}, {"reason": "out_of_range"}),
        ({"reason": "x" * 501}, {"reason": "out_of_range"}),
        ({"reason": ["rain"]}, {"reason": "wrong_type"}),
        ({"reason": "rain", "winner": 0}, {"winner": "unknown_field"}),
    ],
)
def test_a_body_that_does_not_fit(north: House, body: dict[str, Any] | None, fields: dict[str, str]) -> None:
    game = Game(north)
    before = stored()
    assert north.backend.post(f"{game.path}/abandon", body).fields() == fields
    assert stored() == before


def test_a_reason_in_arabic_and_with_every_kind_of_character(north: House) -> None:
    game = Game(north)
    reason = 'انقطع الاتصال 😀 "\\ \u2028\x7f\n' + "x" * 400
    assert north.backend.post(f"{game.path}/abandon", {"reason": reason}).ok()["result"]["reason"] == reason
    assert north.player("amal").see(game.id)["result"]["reason"] == reason


def test_only_the_tenant_may(north: House, south: House) -> None:
    game = Game(north)
    before = stored()
    body = {"reason": "I am losing"}
    expected: list[tuple[Caller, int, str]] = [
        (north.player("amal"), 403, "forbidden"),
        (north.moderator(), 403, "forbidden"),
        (north.with_scopes("play", "read"), 403, "forbidden"),
        (Caller(None), 401, "not_authenticated"),
        (south.backend, 404, "not_found"),
    ]
    for caller, status, code in expected:
        caller.post(f"{game.path}/abandon", body).problem(status, code)
    north.backend.post(f"matches/{uuid4()}/abandon", body).problem(404, "not_found")
    assert stored() == before
