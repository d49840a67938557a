"""Requests that meet: real transactions in threads, one event for each thing that was done."""

from collections import Counter
from functools import partial
from typing import Any

import pytest

from matches import services
from matches.event_store import Outcome
from tests.api.callers import Answer, House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import CAST
from tests.concurrently import together
from tests.tables import (
    check_chain,
)

ROUNDS = 5
BID_8 = {"type": "bid", "tricks": 8}


def test_twins_with_one_key_act_once_and_get_one_answer(north: House, chance: Chance) -> None:
    amal = north.player("amal")
    for number in range(ROUNDS):
        game = Game(north)
        twin = partial(amal.act, game.id, BID_8, key=f"k-{number}")
        answers: list[Answer] = together(*[twin] * 6)
        assert {answer.status for answer in answers} == {201}
        assert len({answer.body for answer in answers}) == 1
        assert Counter(answer.replayed for answer in answers) == {False: 1, True: 5}
        assert len(check_chain(game.uuid)) == 8


def test_twins_that_open_a_match_open_one(north: House) -> None:
    body = {"players": list(CAST)}
    answers: list[Answer] = together(*[lambda: north.backend.post("matches", body, key="open")] * 6)
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1
    assert len(north.backend.get("matches").ok()["matches"]) == 1


@pytest.mark.parametrize("players", [[], list(CAST)])
def test_a_key_that_is_used_for_an_action_while_it_opens_a_match(
    north: House, chance: Chance, monkeypatch: pytest.MonkeyPatch, players: list[str]
) -> None:
    game, amal = Game(north), north.player("amal")
    open_match = services.create_match

    def overtaken(**given: Any) -> Outcome:
        if not acted:
            acted.extend(together(partial(amal.act, game.id, BID_8, key="twice")))
        return open_match(**given)

    acted: list[Answer] = []
    monkeypatch.setattr(services, "create_match", overtaken)
    opened = amal.post("matches", {"players": players}, key="twice")

    assert [answer.status for answer in acted] == [201]
    opened.problem(422, "idempotency_key_reused")
    assert len(north.backend.get("matches").ok()["matches"]) == 1


def test_two_devices_of_one_player_act_once(north: House, chance: Chance) -> None:
    """Each device has its own key. The second finds that the turn has moved on."""
    amal = north.player("amal")
    for number in range(ROUNDS):
        game = Game(north)
        answers = together(
            partial(amal.act, game.id, BID_8, key=f"phone {number}"),
            partial(amal.act, game.id, {"type": "bid", "tricks": 9}, key=f"tablet {number}"),
            partial(amal.act, game.id, {"type": "pass"}),
        )
        accepted = [answer for answer in answers if answer.status == 201]
        refused = [answer for answer in answers if answer.status != 201]
        assert len(accepted) == 1
        for answer in refused:
            assert answer.json["code"] in {"not_your_turn", "already_passed"}, answer.body
        rows = check_chain(game.uuid)
        assert len(rows) == 8
        assert accepted[0].json["receipt"]["hash"] == rows[-1].hash.hex()


def test_two_devices_that_count_on_a_version(north: House, chance: Chance) -> None:
    game = Game(north)
    amal = north.player("amal")
    answers = together(*[partial(amal.act, game.id, BID_8, if_match=7)] * 4)
    assert sorted(answer.status for answer in answers) == [201, 412, 412, 412]
    assert {a.json["current_version"] for a in answers if a.status == 412} == {8}


def test_four_players_out_of_turn_at_once(north: House, chance: Chance) -> None:
    """Everybody passes, whoever's turn it is, until they may: each passes once, in the order of the table."""
    game = Game(north)

    def insist(seat: int) -> list[Answer]:
        answers = []
        for _ in range(400):
            answers.append(north.four[seat].act(game.id, {"type": "pass"}))
            if answers[-1].status == 201:
                break
        return answers

    by_seat: list[list[Answer]] = together(*[partial(insist, seat) for seat in range(4)])
    for seat, answers in enumerate(by_seat):
        assert answers[-1].status == 201, f"seat {seat}: {answers[-1].body!r}"
        assert {answer.json["code"] for answer in answers[:-1]} <= {"not_your_turn"}
    rows = check_chain(game.uuid)
    assert [(row.type, row.seat) for row in rows[7:]] == [
        ("passed", 0),
        ("passed", 1),
        ("passed", 2),
        ("passed", 3),
        ("hand_thrown_in", None),
        ("hand_dealt", None),
    ]


def test_four_players_of_whom_one_may_act(north: House, chance: Chance) -> None:
    for _ in range(ROUNDS):
        game = Game(north)
        answers: list[Answer] = together(*[partial(caller.act, game.id, BID_8) for caller in north.four])
        assert answers[0].status == 201
        for seat in (1, 2, 3):
            # Whoever came after amal bid 8 had the turn, or had not; 8 was no longer enough.
            code = answers[seat].json["code"]
            assert code == "not_your_turn" or (seat == 1 and code == "bid_too_low"), code
        assert len(check_chain(game.uuid)) == 8


def test_one_seat_and_many_who_want_it(north: House) -> None:
    for _ in range(ROUNDS):
        match = north.open_match([])["id"]
        answers: list[Answer] = together(*[partial(caller.put, f"matches/{match}/seats/0") for caller in north.four])
        assert sorted(answer.status for answer in answers) == [200, 409, 409, 409]
        assert {answer.json["code"] for answer in answers if answer.status == 409} == {"seat_taken"}


def test_the_last_two_seats_at_once_start_one_match(north: House) -> None:
    for _ in range(ROUNDS):
        match = north.open_match(["amal", "basim"])["id"]
        answers: list[Answer] = together(
            partial(north.player("carla").put, f"matches/{match}/seats/2"),
            partial(north.player("dina").put, f"matches/{match}/seats/3"),
        )
        assert sorted(answer.ok()["status"] for answer in answers) == ["playing", "waiting"]
        types = [event["type"] for event in north.backend.get(f"matches/{match}/events").ok()["events"]]
        assert types[-2:] == ["match_started", "hand_dealt"]
        assert Counter(types)["match_started"] == 1


@pytest.mark.parametrize(
    ("method", "address", "body"),
    [("POST", "abandon", {"reason": "rain"}), ("PUT", "seats/0/substitute", {"player": "salma"})],
)
def test_a_bid_and_the_tenants_hand_meet(
    north: House, chance: Chance, method: str, address: str, body: dict[str, Any]
) -> None:
    for _ in range(ROUNDS):
        game = Game(north)
        acted, done = together(
            partial(north.player("amal").act, game.id, BID_8),
            partial(north.backend.ask, method, f"{game.path}/{address}", body),
        )
        assert done.status == 200
        assert acted.status in {201, 409, 403}
        assert len(check_chain(game.uuid)) == 8 + (acted.status == 201)


def test_everybody_at_everything(north: House) -> None:
    """Four players send whatever is legal, twice under the same key and once more out of turn, all at once."""
    game = Game(north, target=31)

    def keep_playing(seat: int) -> Counter[int]:
        caller, statuses = north.four[seat], Counter[int]()
        for number in range(25):
            seen: dict[str, Any] = caller.see(game.id)
            actions = seen["you"]["legal_actions"] or [{"type": "pass"}]
            key = f"{seat}-{number}"
            first, again = (caller.act(game.id, actions[0], key=key) for _ in range(2))
            assert (again.status, again.body) == (first.status, first.body)
            statuses[first.status] += 1
        return statuses

    counts: list[Counter[int]] = together(*[partial(keep_playing, seat) for seat in range(4)])
    accepted = sum(count[201] for count in counts)
    assert accepted > 8
    assert set().union(*counts) <= {201, 409, 422}
    rows = check_chain(game.uuid)
    assert sum(row.actor_kind == "player" for row in rows) == accepted
    assert north.backend.see(game.id)["version"] == len(rows)
