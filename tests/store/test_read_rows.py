"""Read rows say what the log says, live and rebuilt."""

from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from matches import projections, services
from matches.codec import EVENT_NAMES
from matches.engine import evolve, turn_of
from matches.engine.commands import Double, Pass, PlaceBid
from matches.engine.events import HandDealt
from matches.engine.room import Room
from matches.engine.state import Over, State, Waiting
from matches.rebuild import rebuild_read_rows
from tests.concurrently import together, until_blocked
from tests.store.evening import Evening
from tests.tables import (
    House,
    Table,
    events_of,
    folded,
    open_table,
    read_rows,
    stored_rows,
)


def expected_row(table: Table, next_match: UUID | None) -> dict[str, Any]:
    """Every column of a match's row, worked out from its log and from nothing else."""
    rows, events = stored_rows(table.match_id), events_of(table.match_id)
    state: State | None = None
    ended_at = None
    for row, event in zip(rows, events, strict=True):
        state = evolve(state, event)
        if isinstance(state, Over) and ended_at is None:
            ended_at = row.recorded_at
    assert state is not None
    room, seat, last = state.table.room, turn_of(state), rows[-1].recorded_at
    over = state if isinstance(state, Over) else None
    clocked = seat is not None and room.turn_seconds is not None
    return {
        "id": table.match_id,
        "tenant_id": table.tenant_id,
        "version": len(rows),
        "status": over.status if over else "waiting" if isinstance(state, Waiting) else "playing",
        "variant": state.table.rules.variant,
        "target": state.table.rules.target,
        "visibility": room.visibility,
        "turn_seconds": room.turn_seconds,
        "spectator_delay_seconds": room.spectator_delay_seconds,
        "hand": max((event.hand for event in events if isinstance(event, HandDealt)), default=0),
        "total_0": state.table.totals[0],
        "total_1": state.table.totals[1],
        "winner": over.winner if over else None,
        "reason": over.reason if over else None,
        "turn_seat": seat,
        "turn_since": None if seat is None else last,
        "deadline": last + timedelta(seconds=room.turn_seconds or 0) if clocked else None,
        "created_at": rows[0].recorded_at,
        "updated_at": last,
        "ended_at": ended_at,
        "previous_match": None if state.table.previous_match is None else UUID(state.table.previous_match),
        "next_match": next_match,
    }


def expected_seats(table: Table) -> list[dict[str, Any]]:
    """The rows of the taken seats."""
    players = folded(table.match_id).table.players
    return [
        {"match_id": table.match_id, "seat": seat, "player": UUID(player)}
        for seat, player in enumerate(players)
        if player is not None
    ]


def check_rows(tables: list[Table], followers: dict[UUID, UUID]) -> dict[str, list[dict[str, Any]]]:
    """Assert that all read rows are as expected; the rows."""
    rows = read_rows()
    by_id = sorted(tables, key=lambda table: table.match_id)
    for row, table in zip(rows["matches_match"], by_id, strict=True):
        assert row == expected_row(table, followers.get(table.match_id))
    assert rows["matches_matchseat"] == [row for table in by_id for row in expected_seats(table)]
    return rows


def left_and_abandoned(at: House) -> Table:
    """A match in which a seat was left, another player replaced, and that came to no end."""
    table = open_table(at, players=[at.amal, at.basim, at.carla, None])
    match_id, tenant_id = table.match_id, table.tenant_id
    services.leave_seat(match_id=match_id, tenant_id=tenant_id, seat=0, player=at.amal)
    for seat, player in ((3, at.dina), (0, at.omar)):
        table.took(services.take_seat(match_id=match_id, tenant_id=tenant_id, seat=seat, player=player))
        table.seated[seat] = player
    table.play(5)
    services.substitute_player(match_id=match_id, tenant_id=tenant_id, seat=0, player=at.salma)
    table.took(services.abandon_match(match_id=match_id, tenant_id=tenant_id, reason="انقطع الاتصال"))
    return table


def doubled_and_thrown_in(at: House) -> Table:
    """A match whose first deal nobody wanted and whose second is doubled."""
    table = open_table(at, "egyptian")
    for action in (Pass(), Pass(), Pass(), Pass(), PlaceBid(7, "S"), Double()):
        table.act(action)
    return table


@pytest.mark.slow
def test_an_evening_of_everything_is_rebuilt_to_the_same_rows(cast: House) -> None:
    evening = Evening(cast, seed=20)
    completed, adjusted, voided = ended = [open_table(cast, room=Room(turn_seconds=30)) for _ in range(3)]
    for table in ended:
        table.play_out()
        assert folded(table.match_id) == table.state
    evening.adjust(adjusted)
    evening.adjust(adjusted)
    evening.open(completed)
    voided.took(services.void_match(match_id=voided.match_id, tenant_id=voided.tenant_id, reason="two accounts"))
    ended += [left_and_abandoned(cast), doubled_and_thrown_in(cast)]
    for _ in range(200):
        evening.happen()
    tables = [*ended, *evening.tables]
    rows = check_rows(tables, evening.followers)

    # The evening had everything in it.
    assert {(row["status"], row["reason"]) for row in rows["matches_match"]} >= {
        ("playing", None),
        ("completed", "target"),
        ("completed", "score_adjusted"),
        ("abandoned", "انقطع الاتصال"),
        ("voided", "two accounts"),
    }
    happened = {row.type for table in tables for row in stored_rows(table.match_id)}
    assert happened == set(EVENT_NAMES)
    assert any(row["next_match"] for row in rows["matches_match"])

    assert rebuild_read_rows() == len(tables)
    assert read_rows() == rows
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM matches_matchseat WHERE seat = 2; UPDATE matches_match SET hand = 99, winner = 1")
    out = StringIO()
    call_command("rebuild_read_rows", stdout=out, no_color=True)
    assert out.getvalue() == f"{len(tables)} matches rebuilt from their events\n"
    assert read_rows() == rows


def test_rows_follow_every_kind_of_move(cast: House) -> None:
    """From the empty table to the second hand, after each command."""
    table = open_table(cast, "egyptian", room=Room(turn_seconds=7), players=[cast.amal])
    for seat, player in ((1, cast.omar), (2, cast.carla), (3, cast.dina)):
        check_rows([table], {})
        table.took(services.take_seat(match_id=table.match_id, tenant_id=table.tenant_id, seat=seat, player=player))
        table.seated[seat] = player
        if seat == 1:
            table.took(
                services.leave_seat(match_id=table.match_id, tenant_id=table.tenant_id, seat=1, player=cast.omar)
            )
            check_rows([table], {})
            table.took(
                services.take_seat(match_id=table.match_id, tenant_id=table.tenant_id, seat=1, player=cast.basim)
            )
            table.seated[1] = cast.basim
    while table.state.table.hand < 2:
        check_rows([table], {})
        table.step()
    check_rows([table], {})


def test_the_first_of_several_followers_is_the_next_match(cast: House, other_house: House) -> None:
    first = open_table(cast, players=[])
    foreign = open_table(other_house, players=[], previous_match=first.match_id)
    followers = [open_table(cast, players=[], previous_match=first.match_id) for _ in range(3)]
    tables = [first, foreign, *followers]
    rows = check_rows(tables, {first.match_id: followers[0].match_id})
    rebuild_read_rows()
    assert read_rows() == rows


def test_a_follower_that_comes_first_in_the_rebuild_is_linked_too(cast: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes may give out ids of one millisecond in the other order."""
    first, second = (open_table(cast, players=[]) for _ in range(2))
    ids = iter([second.match_id, first.match_id])
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM matches_dealsecret; DELETE FROM matches_matchseat; DELETE FROM matches_match")
        cursor.execute("DELETE FROM matches_storedevent; DELETE FROM matches_stream")
    with monkeypatch.context() as patched:
        patched.setattr(services, "uuid7", lambda: next(ids))
        earlier = open_table(cast, players=[])
        later = open_table(cast, players=[], previous_match=earlier.match_id)
    assert later.match_id < earlier.match_id
    rows = check_rows([earlier, later], {earlier.match_id: later.match_id})
    rebuild_read_rows()
    assert read_rows() == rows


@pytest.mark.slow
def test_a_rebuild_and_players_do_not_get_in_each_others_way(cast: House) -> None:
    tables = [open_table(cast) for _ in range(3)]

    def rebuild() -> None:
        for _ in range(5):
            assert rebuild_read_rows() >= 3

    def sit_down() -> None:
        tables.extend(open_table(cast) for _ in range(5))

    together(rebuild, sit_down, *[partial(table.play, 25) for table in tables[:3]])
    check_rows(tables, {})


def test_what_is_appended_during_a_rebuild_is_not_lost_from_the_rows(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A move that comes when the match's new row is made but not committed waits, and then moves the new row."""
    with ExitStack() as after:
        link = projections.link_matches

        def move_meanwhile() -> None:
            after.enter_context(until_blocked(table.step))
            link()

        monkeypatch.setattr(projections, "link_matches", move_meanwhile)
        rebuild_read_rows()
    assert table.version == 8
    check_rows([table], {})


def test_a_rebuild_that_fails_changes_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.play(20)
    rows = read_rows()

    class Interrupted(Exception):
        pass

    def interrupted(**_: object) -> None:
        raise Interrupted

    monkeypatch.setattr(projections, "project", interrupted)
    with pytest.raises(Interrupted):
        rebuild_read_rows()
    assert read_rows() == rows


def test_a_match_abandoned_while_it_waits_is_rebuilt(cast: House) -> None:
    table = open_table(cast, players=[cast.amal, None, cast.carla])
    services.abandon_match(match_id=table.match_id, tenant_id=cast.tenant_id, reason="nobody came")
    rows = check_rows([table], {})
    rebuild_read_rows()
    assert read_rows() == rows


def test_readers_see_the_old_rows_until_the_new_are_whole(table: Table) -> None:
    def count() -> int:
        return len(read_rows()["matches_match"])

    with transaction.atomic():
        rebuild_read_rows()
        assert together(count) == [1]


@pytest.mark.parametrize("times", [1, 2])
def test_a_seat_that_was_taken_and_left_is_rebuilt_empty(cast: House, times: int) -> None:
    table = open_table(cast, players=[cast.amal, cast.basim, None, None])
    for _ in range(times):
        services.take_seat(match_id=table.match_id, tenant_id=cast.tenant_id, seat=2, player=cast.salma)
        services.leave_seat(match_id=table.match_id, tenant_id=cast.tenant_id, seat=2, player=cast.salma)
    rows = read_rows()
    assert [(row["seat"], row["player"]) for row in rows["matches_matchseat"]] == [(0, cast.amal), (1, cast.basim)]
    rebuild_read_rows()
    assert read_rows() == rows


def test_a_seat_that_was_left_and_taken_is_rebuilt_with_who_took_it(cast: House) -> None:
    table = open_table(cast, players=[cast.amal, cast.basim, None, None])
    services.leave_seat(match_id=table.match_id, tenant_id=cast.tenant_id, seat=0, player=cast.amal)
    services.take_seat(match_id=table.match_id, tenant_id=cast.tenant_id, seat=0, player=cast.salma)
    rows = read_rows()
    assert [(row["seat"], row["player"]) for row in rows["matches_matchseat"]] == [(0, cast.salma), (1, cast.basim)]
    rebuild_read_rows()
    assert read_rows() == rows
