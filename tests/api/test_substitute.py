"""`PUT /matches/{id}/seats/{seat}/substitute`: somebody else in a seat of a match being played."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.callers import Caller, House, stored
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import CAST, SALMA


def test_the_substitute_takes_over_seat_cards_and_turn(north: House, chance: Chance) -> None:
    game = Game(north)
    before = north.player("amal").see(game.id)
    answer = north.backend.put(f"{game.path}/seats/0/substitute", {"player": SALMA})
    match = answer.ok()
    assert [seat["player"] for seat in match["seats"]] == [SALMA, *CAST[1:]]
    assert (match["version"], answer.etag, match["you"]) == (8, '"8"', None)
    seen = north.player(SALMA).see(game.id)
    assert (seen["you"], seen["hand"]) == (before["you"], before["hand"])
    assert north.player("amal").see(game.id)["you"] is None
    north.player("amal").act(game.id, {"type": "pass"}).problem(403, "not_seated")
    north.player(SALMA).act(game.id, {"type": "pass"}).ok(201)
    (event,) = north.backend.get(f"{game.path}/events?after=7&limit=1").ok()["events"]
    assert (event["type"], event["by"], event["seat"], event["data"]) == (
        "player_replaced",
        "tenant",
        0,
        {"seat": 0, "player": SALMA, "replaced": "amal"},
    )


def test_who_was_replaced_no_longer_knows_of_a_private_match(north: House) -> None:
    game = Game(north, visibility="private")
    north.backend.put(f"{game.path}/seats/2/substitute", {"player": SALMA}).ok()
    north.player("carla").get(game.path).problem(404, "not_found")
    assert north.player(SALMA).see(game.id)["you"]["seat"] == 2


def test_a_player_can_come_back(north: House) -> None:
    game = Game(north)
    north.backend.put(f"{game.path}/seats/1/substitute", {"player": SALMA}).ok()
    north.backend.put(f"{game.path}/seats/1/substitute", {"player": "basim"}).ok()
    assert north.player("basim").see(game.id)["you"]["seat"] == 1


def test_nobody_sits_twice(north: House) -> None:
    game = Game(north)
    before = stored()
    for name, seat in (("amal", 0), ("carla", 2)):
        problem = north.backend.put(f"{game.path}/seats/0/substitute", {"player": name}).problem(409, "already_seated")
        assert problem["seat"] == seat
    assert stored() == before


def test_only_while_the_match_is_played(north: House) -> None:
    waiting = north.open_match(["amal", "basim"])
    over = Game(north)
    north.backend.post(f"{over.path}/abandon", {"reason": "rain"}).ok()
    before = stored()
    for seat in (0, 3):
        path = f"matches/{waiting['id']}/seats/{seat}/substitute"
        north.backend.put(path, {"player": SALMA}).problem(409, "match_not_started")
    north.backend.put(f"{over.path}/seats/0/substitute", {"player": SALMA}).problem(409, "match_over")
    assert stored() == before


def test_on_condition_of_a_version(north: House) -> None:
    game = Game(north)
    path = f"{game.path}/seats/0/substitute"
    before = stored()
    problem = north.backend.put(path, {"player": SALMA}, if_match=3).problem(412, "version_mismatch")
    assert problem["current_version"] == 7
    assert stored() == before
    north.backend.put(path, {"player": SALMA}, if_match=7).ok()


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (None, {"player": "required"}),
        ({"player": None}, {"player": "wrong_type"}),
        ({"player": 3}, {"player": "wrong_type"}),
        ({"player": ""}, {"player": "out_of_range"}),
        ({"player": "x" * 65}, {"player": "out_of_range"}),
        ({"player": "sal\u200bma"}, {"player": "unprintable"}),
        ({"player": SALMA, "cards": ["AS"]}, {"cards": "unknown_field"}),
    ],
)
def test_a_body_that_does_not_fit(north: House, body: dict[str, Any] | None, fields: dict[str, str]) -> None:
    game = Game(north)
    before = stored()
    assert north.backend.put(f"{game.path}/seats/0/substitute", body).fields() == fields
    assert stored() == before


@pytest.mark.parametrize("seat", ["4", "-1", "first", "9" * 40])
def test_a_match_has_four_seats(north: House, seat: str) -> None:
    game = Game(north)
    before = stored()
    north.backend.put(f"{game.path}/seats/{seat}/substitute", {"player": SALMA}).problem(404, "not_found")
    assert stored() == before


def test_only_the_tenant_may(north: House, south: House) -> None:
    game = Game(north)
    before = stored()
    expected: list[tuple[Caller, int, str]] = [
        (north.player("amal"), 403, "forbidden"),
        (north.player(SALMA), 403, "forbidden"),
        (north.moderator(), 403, "forbidden"),
        (north.with_scopes("play", "read"), 403, "forbidden"),
        (Caller(None), 401, "not_authenticated"),
        (south.backend, 404, "not_found"),
    ]
    for caller, status, code in expected:
        caller.put(f"{game.path}/seats/0/substitute", {"player": SALMA}).problem(status, code)
    north.backend.put(f"matches/{uuid4()}/seats/0/substitute", {"player": SALMA}).problem(404, "not_found")
    assert stored() == before
