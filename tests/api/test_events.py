"""`GET /matches/{id}/events`: what happened, each event as this viewer may see it."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from tests.api.callers import Caller, House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import CAST, OMAR, SALMA, whole_suits


def events(caller: Caller, match: str, query: str = "") -> list[dict[str, Any]]:
    """The events of one page."""
    found: list[dict[str, Any]] = caller.get(f"matches/{match}/events{query}").ok()["events"]
    return found


def test_the_events_of_a_match_exactly_so(north: House, chance: Chance) -> None:
    game = Game(north, turn_seconds=30).call("pass", "8", "pass", "pass").name("NT").play("AD")
    page = north.player("amal").get(f"{game.path}/events").ok()
    assert (set(page), page["version"]) == ({"events", "version"}, 13)
    view = north.backend.see(game.id)
    assert [event["version"] for event in page["events"]] == list(range(1, 14))
    for event in page["events"]:
        assert set(event) == {"version", "type", "seat", "by", "recorded_at", "data"}
        assert datetime.fromisoformat(event["recorded_at"]).utcoffset() is not None
    assert [(event["type"], event["by"], event["seat"], event["data"]) for event in page["events"]] == [
        (
            "match_created",
            "tenant",
            None,
            {
                "rules": view["rules"],
                "room": {
                    "turn_seconds": 30,
                    "visibility": "tenant",
                    "auto_rematch": False,
                    "spectator_delay_seconds": 0,
                },
                "anchor": view["deal_anchor"],
                "previous_match": None,
            },
        ),
        *(
            ("seat_taken", "tenant", seat, {"seat": seat, "player": name, "entropy": None})
            for seat, name in enumerate(CAST)
        ),
        ("match_started", "system", None, {"first_dealer": 3}),
        ("hand_dealt", "system", None, {"hand": 1, "deal": 1, "dealer": 3, "holding": list(whole_suits()[0])}),
        ("passed", "player", 0, {"seat": 0}),
        ("bid_placed", "player", 1, {"seat": 1, "tricks": 8, "trump": None}),
        ("passed", "player", 2, {"seat": 2}),
        ("passed", "player", 3, {"seat": 3}),
        ("trump_named", "player", 1, {"seat": 1, "trump": "NT"}),
        ("card_played", "player", 1, {"seat": 1, "card": "AD"}),
    ]


def test_what_a_viewer_may_not_see_they_see_happen(north: House, chance: Chance) -> None:
    game = Game(north)
    open_part = {"hand": 1, "deal": 1, "dealer": 3}
    for seat, caller in enumerate(north.four):
        assert events(caller, game.id)[6]["data"] == open_part | {"holding": list(whole_suits()[seat])}
    for caller in (north.player(SALMA), north.backend, north.moderator()):
        assert events(caller, game.id)[6]["data"] == open_part


def test_moderators_see_the_deals_of_hands_that_are_over(north: House, chance: Chance) -> None:
    game = Game(north).call("pass", "pass", "pass", "pass")
    thrown_in, dealt_anew = (e["data"] for e in events(north.moderator(), game.id) if e["type"] == "hand_dealt")
    assert thrown_in["holdings"] == [list(holding) for holding in whole_suits()]
    assert "holdings" not in dealt_anew
    game.call("7", "pass", "pass", "pass").name("C").play_out(hands=1)
    assert ["holdings" in event["data"] for event in events(north.moderator(), game.id, "?after=8")].count(True) == 1
    assert not any("holdings" in event["data"] for event in events(north.backend, game.id))
    # From the middle of the log it is the same deals that are open.
    (last,) = events(north.moderator(), game.id, f"?after={game.version - 1}")
    assert (last["type"], "holdings" in last["data"]) == ("hand_dealt", False)


def test_an_answer_to_an_action_and_the_log_tell_the_same(north: House, chance: Chance) -> None:
    game = Game(north)
    told: list[dict[str, Any]] = []
    for _ in range(8):
        told += game.act(game.legal()[0]).json["events"]
    assert events(north.backend, game.id, "?after=7") == told


def test_pages_by_version(north: House) -> None:
    game = Game(north)
    assert [event["version"] for event in events(north.backend, game.id, "?after=2&limit=3")] == [3, 4, 5]
    assert [event["version"] for event in events(north.backend, game.id, "?after=5&limit=1000")] == [6, 7]
    assert events(north.backend, game.id, "?after=7") == []
    assert events(north.backend, game.id, f"?after={2**31 - 1}") == []
    assert north.backend.get(f"{game.path}/events?limit=1").ok()["version"] == 7


def test_a_page_has_two_hundred_events_unless_asked(north: House, chance: Chance) -> None:
    game = Game(north, target=501)
    for _ in range(4):
        game.play_out(hands=north.backend.see(game.id)["hand"]["number"])
    assert game.version > 220
    assert len(events(north.backend, game.id)) == 200
    assert len(events(north.backend, game.id, "?limit=1000")) == game.version


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("after=-1", "after", "out_of_range"),
        ("after=2147483648", "after", "out_of_range"),
        ("after=99999999999999999999999", "after", "invalid"),
        ("after=seven", "after", "invalid"),
        ("after=", "after", "invalid"),
        ("after=1.5", "after", "invalid"),
        ("after=%D9%A7", "after", "invalid"),
        ("limit=0", "limit", "out_of_range"),
        ("limit=1001", "limit", "out_of_range"),
        ("limit=all", "limit", "invalid"),
        ("after=%00", "query", "nul_character"),
    ],
)
def test_a_query_that_cannot_be_read(north: House, query: str, field: str, code: str) -> None:
    game = Game(north)
    assert north.backend.get(f"{game.path}/events?{query}").fields() == {field: code}


def test_who_may_not(north: House, south: House) -> None:
    game, private = Game(north), Game(north, visibility="private")
    path = f"{game.path}/events"
    Caller(None).get(path).problem(401, "not_authenticated")
    north.with_scopes("play").get(path).problem(403, "forbidden")
    south.backend.get(path).problem(404, "not_found")
    south.moderator().get(path).problem(404, "not_found")
    north.backend.get(f"matches/{uuid4()}/events").problem(404, "not_found")
    north.player(OMAR).get(f"{private.path}/events").problem(404, "not_found")
    assert events(north.player(SALMA), game.id)
    assert events(north.player("amal"), private.id)
