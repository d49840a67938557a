"""`PUT` and `DELETE /matches/{id}/seats/{seat}`: sit down, get up; the fourth starts the match."""

from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest

from tests.api.callers import Caller, House, stored
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import CAST, OMAR, SALMA


def opened(house: House, players: list[str | None], **body: Any) -> str:
    """The address of a new match, below /api/v1/."""
    return f"matches/{house.open_match(players, **body)['id']}"


def seated(match: dict[str, Any]) -> list[str | None]:
    """Who sits where."""
    return [seat["player"] for seat in match["seats"]]


# Sitting down


def test_a_player_takes_a_seat_and_sees_the_match_from_there(north: House) -> None:
    match = opened(north, [])
    answer = north.player("basim").put(f"{match}/seats/1", {"player": "basim"})
    seen = answer.ok()
    assert seated(seen) == [None, "basim", None, None]
    assert seen["you"] == {"seat": 1, "holding": [], "legal_actions": []}
    assert (seen["status"], seen["version"], answer.etag) == ("waiting", 2, '"2"')
    assert north.player("basim").get(match).ok() | {"server_now": seen["server_now"]} == seen


def test_a_player_need_not_say_who_they_are(north: House) -> None:
    match = opened(north, [])
    assert seated(north.player("basim").put(f"{match}/seats/3", {}).ok()) == [None, None, None, "basim"]
    assert seated(north.player("amal").put(f"{match}/seats/0").ok()) == ["amal", None, None, "basim"]
    assert seated(north.player("dina").put(f"{match}/seats/1", {"player": None}).ok())[1] == "dina"


def test_the_fourth_starts_the_match(north: House, chance: Chance) -> None:
    match = opened(north, ["amal", "basim", "carla", None])
    seen = north.player("dina").put(f"{match}/seats/3", {"player": "dina"}).ok()
    assert (seen["status"], seen["version"], seen["turn"]["seat"]) == ("playing", 7, 0)
    assert (seen["you"]["seat"], len(seen["you"]["holding"])) == (3, 13)
    types = [event["type"] for event in north.backend.get(f"{match}/events?after=4").ok()["events"]]
    assert types == ["seat_taken", "match_started", "hand_dealt"]


def test_the_tenant_seats_its_players(north: House) -> None:
    match = opened(north, [])
    seen = north.backend.put(f"{match}/seats/2", {"player": "carla"}).ok()
    assert (seated(seen), seen["you"]) == ([None, None, "carla", None], None)
    (event,) = north.backend.get(f"{match}/events?after=1").ok()["events"]
    assert (event["by"], event["seat"], event["data"]["player"]) == ("tenant", 2, "carla")


def test_what_a_player_adds_to_the_shuffle_is_kept_as_its_digest_only(north: House) -> None:
    match = opened(north, [])
    text = "أي نص كان"
    north.player("amal").put(f"{match}/seats/0", {"entropy": text}).ok()
    answer = north.player("amal").get(f"{match}/events")
    assert answer.ok()["events"][1]["data"] == {
        "seat": 0,
        "player": "amal",
        "entropy": sha256(text.encode()).hexdigest(),
    }
    assert text.encode() not in answer.body


def test_a_player_speaks_for_nobody_else(north: House) -> None:
    match = opened(north, [])
    before = stored()
    north.player(OMAR).put(f"{match}/seats/0", {"player": "amal"}).problem(403, "forbidden")
    assert stored() == before


def test_the_tenant_must_say_whom_it_means(north: House) -> None:
    match = opened(north, [])
    before = stored()
    for body in ({}, {"player": None}):
        assert north.backend.put(f"{match}/seats/0", body).fields() == {"player": "required"}
    assert stored() == before


def test_a_seat_that_is_taken(north: House) -> None:
    match = opened(north, ["amal"])
    before = stored()
    assert north.player("basim").put(f"{match}/seats/0").problem(409, "seat_taken")["seat"] == 0
    assert stored() == before


@pytest.mark.parametrize("seat", [0, 2])
def test_a_player_who_sits_already(north: House, seat: int) -> None:
    match = opened(north, ["amal"])
    before = stored()
    assert north.player("amal").put(f"{match}/seats/{seat}").problem(409, "already_seated")["seat"] == 0
    assert stored() == before


def test_a_match_that_is_full(north: House) -> None:
    match = opened(north, list(CAST))
    before = stored()
    north.player(SALMA).put(f"{match}/seats/0").problem(409, "match_full")
    assert stored() == before


def test_a_match_that_is_over(north: House) -> None:
    match = opened(north, ["amal"])
    north.backend.post(f"{match}/abandon", {"reason": "rain"}).ok()
    before = stored()
    north.player(SALMA).put(f"{match}/seats/1").problem(409, "match_over")
    north.player("amal").delete(f"{match}/seats/0").problem(409, "match_over")
    assert stored() == before


@pytest.mark.parametrize("seat", ["4", "99", "9" * 30, "9" * 5000, "-1", "one", "1.0", "%D9%A1", "0x1", ""])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_match_has_four_seats(north: House, seat: str, method: str) -> None:
    match = opened(north, ["amal"])
    before = stored()
    body = {"player": "basim"} if method == "PUT" else None
    north.backend.ask(method, f"{match}/seats/{seat}", body).problem(404, "not_found")
    assert stored() == before


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"player": 7}, {"player": "wrong_type"}),
        ({"player": ""}, {"player": "out_of_range"}),
        ({"player": "x" * 65}, {"player": "out_of_range"}),
        ({"player": "a\tb"}, {"player": "unprintable"}),
        ({"player": "basim", "entropy": ""}, {"entropy": "out_of_range"}),
        ({"player": "basim", "entropy": "x" * 1025}, {"entropy": "out_of_range"}),
        ({"player": "basim", "entropy": 5}, {"entropy": "wrong_type"}),
        ({"player": "basim", "seat": 2}, {"seat": "unknown_field"}),
        ({"name": "basim"}, {"name": "unknown_field"}),
    ],
)
def test_a_body_that_does_not_fit(north: House, body: dict[str, Any], fields: dict[str, str]) -> None:
    match = opened(north, [])
    before = stored()
    assert north.backend.put(f"{match}/seats/1", body).fields() == fields
    assert stored() == before


# Getting up


def test_a_player_leaves_before_the_start(north: House) -> None:
    match = opened(north, ["amal", "basim"])
    answer = north.player("basim").delete(f"{match}/seats/1")
    seen = answer.ok()
    assert (seated(seen), seen["you"], answer.etag) == (["amal", None, None, None], None, '"4"')
    (event,) = north.backend.get(f"{match}/events?after=3").ok()["events"]
    assert (event["type"], event["by"], event["data"]) == ("seat_left", "player", {"seat": 1, "player": "basim"})


def test_a_seat_that_was_left_can_be_taken(north: House) -> None:
    match = opened(north, ["amal"])
    north.player("amal").delete(f"{match}/seats/0").ok()
    assert seated(north.player("basim").put(f"{match}/seats/0").ok())[0] == "basim"
    assert seated(north.player("amal").put(f"{match}/seats/1").ok())[:2] == ["basim", "amal"]


def test_who_left_a_private_match_is_told_so_and_then_knows_it_no_more(north: House) -> None:
    match = opened(north, ["amal", "basim"], visibility="private")
    assert north.player("basim").delete(f"{match}/seats/1").ok()["you"] is None
    north.player("basim").get(match).problem(404, "not_found")


def test_the_tenant_may_free_any_seat(north: House) -> None:
    match = opened(north, ["amal", "basim"])
    assert seated(north.backend.delete(f"{match}/seats/1").ok()) == ["amal", None, None, None]


def test_an_empty_seat_cannot_be_left(north: House) -> None:
    match = opened(north, ["amal"])
    before = stored()
    assert north.backend.delete(f"{match}/seats/2").problem(409, "seat_empty")["seat"] == 2
    assert stored() == before


def test_somebody_elses_seat_cannot_be_left(north: House) -> None:
    match = opened(north, ["amal", "basim"])
    before = stored()
    north.player("basim").delete(f"{match}/seats/0").problem(403, "forbidden")
    north.player("basim").delete(f"{match}/seats/3").problem(403, "forbidden")
    north.player(OMAR).delete(f"{match}/seats/0").problem(403, "not_seated")
    assert stored() == before


def test_after_the_start_nobody_leaves(north: House) -> None:
    game = Game(north)
    before = stored()
    for caller in (north.player("amal"), north.backend):
        assert caller.delete(f"{game.path}/seats/0").problem(409, "wrong_phase")["phase"] == "auction"
    assert stored() == before


# Who may


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_who_may_not(north: House, south: House, method: str) -> None:
    match = opened(north, ["amal"])
    before = stored()
    expected: list[tuple[Caller, int, str]] = [
        (north.moderator(), 403, "forbidden"),
        (north.with_scopes("read", "manage", player="basim"), 403, "forbidden"),
        (Caller(None), 401, "not_authenticated"),
        (south.player("basim"), 404, "not_found"),
        (south.player("amal"), 404, "not_found"),
    ]
    for caller, status, code in expected:
        caller.ask(method, f"{match}/seats/1").problem(status, code)
    body = {"player": "basim"} if method == "PUT" else None
    south.backend.ask(method, f"{match}/seats/0", body).problem(404, "not_found")
    north.backend.ask(method, f"matches/{uuid4()}/seats/0", body).problem(404, "not_found")
    assert stored() == before


def test_a_private_match_that_has_started_is_not_there_for_strangers(north: House) -> None:
    game = Game(north, visibility="private")
    before = stored()
    north.player(OMAR).put(f"{game.path}/seats/0").problem(404, "not_found")
    north.player(OMAR).delete(f"{game.path}/seats/0").problem(404, "not_found")
    north.player(OMAR).put(f"{game.path}/seats/0", if_match=1).problem(404, "not_found")
    assert stored() == before


def test_whoever_was_told_of_a_private_match_may_sit_down_while_it_waits(north: House) -> None:
    match = opened(north, ["amal"], visibility="private")
    north.player("basim").get(match).problem(404, "not_found")
    assert north.player("basim").put(f"{match}/seats/1").ok()["you"]["seat"] == 1
    north.player("basim").get(match).ok()
