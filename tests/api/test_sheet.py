"""`GET /matches/{id}/sheet`: the paper sheet and the signed ledger."""

from uuid import uuid4

import pytest

from tests.api.callers import Caller, House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import OMAR, SALMA


def test_an_empty_sheet(north: House) -> None:
    for match in (north.open_match([]), north.open_match()):
        answer = north.backend.get(f"matches/{match['id']}/sheet")
        assert answer.ok() == {
            "teams": [{"line": 0, "debt": 0, "signed": 0}, {"line": 0, "debt": 0, "signed": 0}],
            "rows": [],
            "version": match["version"],
        }
        assert answer.etag == f'"{match["version"]}"'


def test_hands_and_the_rows_they_make(north: House, chance: Chance) -> None:
    """amal makes kaboot in clubs; then basim bids 8 in hearts, which carla holds, and pays from what he has not."""
    game = Game(north, target=41, variant="egyptian")
    game.call("7C", "pass", "pass", "pass", "pass").play_out(hands=1)
    assert game.turn == 1
    game.call("8H", "double", "pass", "pass", "pass").play_out(hands=2)
    sheet = north.player(SALMA).get(f"{game.path}/sheet").ok()
    assert sheet == {
        "teams": [{"line": 29, "debt": 0, "signed": 29}, {"line": 0, "debt": 16, "signed": -16}],
        "rows": [
            {
                "hand": 1,
                "declarer_team": 0,
                "bid": 7,
                "won": 13,
                "doubled": False,
                "points": [16, 0],
                "entries": [16, 0],
                "lines": [16, 0],
                "debts": [0, 0],
            },
            {
                "hand": 2,
                "declarer_team": 1,
                "bid": 8,
                "won": 0,
                "doubled": True,
                "points": [13, -16],
                "entries": [13, 0],
                "lines": [29, 0],
                "debts": [0, 16],
            },
        ],
        "version": game.version,
    }
    assert north.backend.see(game.id)["totals"] == [29, -16]


def test_a_hand_thrown_in_leaves_no_row(north: House, chance: Chance) -> None:
    game = Game(north).call("pass", "pass", "pass", "pass")
    assert north.backend.get(f"{game.path}/sheet").ok()["rows"] == []


def test_who_may_see_it(north: House, south: House) -> None:
    game, private = Game(north), Game(north, visibility="private")
    for caller in (*north.four, north.player(SALMA), north.backend, north.moderator()):
        caller.get(f"{game.path}/sheet").ok()
    for caller in (north.player("dina"), north.backend, north.moderator()):
        caller.get(f"{private.path}/sheet").ok()
    Caller(None).get(f"{game.path}/sheet").problem(401, "not_authenticated")
    north.with_scopes("play").get(f"{game.path}/sheet").problem(403, "forbidden")
    south.backend.get(f"{game.path}/sheet").problem(404, "not_found")
    north.player(OMAR).get(f"{private.path}/sheet").problem(404, "not_found")
    north.backend.get(f"matches/{uuid4()}/sheet").problem(404, "not_found")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_sheet_is_only_read(north: House, method: str) -> None:
    game = Game(north)
    north.backend.ask(method, f"{game.path}/sheet").problem(405, "method_not_allowed")
