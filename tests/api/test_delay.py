"""`spectator_delay_seconds`: who only watches sees the match as it stood so long ago; nobody else waits."""

from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from matches import state_cache
from tests.api.callers import House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import OMAR, SALMA

BID_8 = {"type": "bid", "tricks": 8}


def made_older(game: Game, seconds: int, *, upto: int) -> None:
    """Move the first `upto` events, and the match if those are all, so far into the past."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE matches_storedevent SET recorded_at = recorded_at - make_interval(secs => %s)"
            " WHERE stream_id = %s AND version <= %s",
            [seconds, game.id, upto],
        )
        if upto >= game.version:
            cursor.execute(
                "UPDATE matches_match SET updated_at = updated_at - make_interval(secs => %s) WHERE id = %s",
                [seconds, game.id],
            )
    state_cache.clear()


def versions(page: dict[str, Any]) -> list[int]:
    """The versions of the events of a page."""
    return [event["version"] for event in page["events"]]


@pytest.fixture
def game(north: House, chance: Chance) -> Game:
    """A match of which spectators may know its events up to version 8: amal's pass, and not yet basim's 9."""
    game = Game(north, spectator_delay_seconds=60, turn_seconds=30).call("pass", "9", "pass")
    made_older(game, 61, upto=8)
    return game


def test_a_spectator_sees_the_match_of_then(north: House, game: Game) -> None:
    answer = north.player(SALMA).get(game.path)
    seen = answer.ok()
    assert (seen["version"], answer.etag, seen["you"]) == (8, '"8"', None)
    assert seen["hand"]["calls"] == [{"seat": 0, "type": "pass"}]
    assert seen["hand"]["highest_bid"] is None
    assert seen["turn"]["seat"] == 1
    events = north.player(SALMA).get(f"{game.path}/events").ok()["events"]
    assert seen["turn"]["since"] == events[-1]["recorded_at"]
    since, deadline = (datetime.fromisoformat(seen["turn"][name]) for name in ("since", "deadline"))
    assert (deadline - since).total_seconds() == 30
    assert seen["turn"]["seconds_left"] == 0.0


def test_nothing_that_a_spectator_asks_for_tells_more(north: House, game: Game) -> None:
    salma = north.player(SALMA)
    assert versions(salma.get(f"{game.path}/events").ok()) == list(range(1, 9))
    assert salma.get(f"{game.path}/events?after=7").ok()["version"] == 8
    assert versions(salma.get(f"{game.path}/events?after=8").ok()) == []
    assert salma.get(f"{game.path}/sheet").ok()["version"] == 8
    assert salma.get(game.path, headers={"If-None-Match": '"8"'}).status == 304
    assert salma.get(game.path, headers={"If-None-Match": '"10"'}).status == 200
    (listed,) = salma.get("matches").ok()["matches"]
    assert (listed["version"], listed["turn"]) == (None, None)
    refusals = [
        salma.act(game.id, BID_8),
        salma.act(game.id, BID_8, if_match=8),
        salma.act(game.id, BID_8, if_match=10),
        salma.put(f"{game.path}/seats/0"),
        salma.put(f"{game.path}/seats/0", if_match=8),
        salma.put(f"{game.path}/seats/0", if_match=10),
        salma.delete(f"{game.path}/seats/1"),
        salma.delete(f"{game.path}/seats/1", if_match=8),
    ]
    codes = [answer.json["code"] for answer in refusals]
    assert codes == ["not_seated"] * 3 + ["match_full"] * 3 + ["not_seated"] * 2
    for answer in refusals:
        assert set(answer.json) == {"type", "title", "status", "detail", "code"}


def test_nobody_else_waits(north: House, game: Game) -> None:
    for caller in (*north.four, north.backend, north.moderator()):
        assert caller.see(game.id)["version"] == 10
        assert caller.get(f"{game.path}/events").ok()["version"] == 10
        assert caller.get(f"{game.path}/sheet").ok()["version"] == 10


def test_a_match_younger_than_the_delay_has_only_been_opened(north: House) -> None:
    game = Game(north, spectator_delay_seconds=3600)
    seen = north.player(SALMA).see(game.id)
    assert (seen["version"], seen["status"], seen["hand"]) == (1, "waiting", None)
    assert [seat["player"] for seat in seen["seats"]] == [None] * 4


def test_a_result_is_kept_back_too(north: House) -> None:
    game = Game(north, spectator_delay_seconds=60)
    north.backend.post(f"{game.path}/abandon", {"reason": "rain"}).ok()
    made_older(game, 61, upto=7)
    seen = north.player(OMAR).see(game.id)
    assert (seen["status"], seen["result"], seen["version"]) == ("playing", None, 7)
    north.player(OMAR).put(f"{game.path}/seats/0").problem(409, "match_full")
    game.version = 8
    made_older(game, 61, upto=8)
    seen = north.player(OMAR).see(game.id)
    assert (seen["status"], seen["version"]) == ("abandoned", 8)


def test_a_scored_hand_comes_with_its_delay(north: House, chance: Chance) -> None:
    game = Game(north, spectator_delay_seconds=60).call("7", "pass", "pass", "pass").name("C").play_out(hands=1)
    made_older(game, 61, upto=game.version - 2)
    sheet = north.player(SALMA).get(f"{game.path}/sheet").ok()
    assert (sheet["rows"], sheet["version"]) == ([], game.version - 2)
    assert north.player(SALMA).see(game.id)["totals"] == [0, 0]
    made_older(game, 61, upto=game.version)
    assert len(north.player(SALMA).get(f"{game.path}/sheet").ok()["rows"]) == 1
    assert north.player(SALMA).see(game.id)["totals"] == [16, 0]


def test_who_was_replaced_is_a_spectator_like_others(north: House, game: Game) -> None:
    north.backend.put(f"{game.path}/seats/0/substitute", {"player": "omar"}).ok()
    assert north.player("amal").see(game.id)["version"] == 8
    assert north.player("omar").see(game.id)["version"] == 11
