"""What an append stores, and what it does not."""

import json
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from matches import event_store, projections, services
from matches.engine import rules_for, turn_of
from matches.engine.commands import Pass, PlaceBid, PlayCard
from matches.engine.errors import AlreadySeated, BidOutOfRange, InvalidRules, NotSeated, NotYourTurn, RuleViolation
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.models import DealSecret, Match, Stream
from matches.refusals import CommandReused, ConcurrentAppend, StreamNotFound, VersionMismatch
from matches.services import Origin
from tests.tables import House, Table, check_chain, everything_about, folded, open_table, stored_rows, taken_back


def test_a_new_match_is_stored_from_version_one_in_one_command(cast: House) -> None:
    table = open_table(cast)
    rows = check_chain(table.match_id)
    assert [(row.version, row.type, row.actor_kind, row.seat) for row in rows] == [
        (1, "match_created", "tenant", None),
        (2, "seat_taken", "tenant", None),
        (3, "seat_taken", "tenant", None),
        (4, "seat_taken", "tenant", None),
        (5, "seat_taken", "tenant", None),
        (6, "match_started", "system", None),
        (7, "hand_dealt", "system", None),
    ]
    assert [row.command_ix for row in rows] == list(range(7))
    assert len({(row.command_id, row.xid, row.recorded_at) for row in rows}) == 1
    assert table.version == 7


def test_a_whole_match_is_one_chain(table: Table) -> None:
    table.play_out()
    rows = check_chain(table.match_id)
    assert folded(table.match_id) == table.state
    assert len(rows) == table.version
    assert {row.type for row in rows} >= {
        "bid_placed",
        "passed",
        "trump_named",
        "card_played",
        "hand_scored",
        "match_won",
    }
    positions = [(row.xid, row.pos) for row in rows]
    assert positions == sorted(set(positions))
    for outcome in table.outcomes:
        stored = rows[outcome.events[0].version - 1 : outcome.version]
        assert [row.hash for row in stored] == [entry.hash for entry in outcome.events]
        assert {row.command_id for row in stored} == {outcome.events[0].command_id}
        assert [row.command_ix for row in stored] == list(range(len(stored)))
        # What follows from a card by the rules alone is nobody's act.
        assert [row.actor_kind for row in stored[1:]] == ["system"] * (len(stored) - 1) or stored[0].version == 1


def test_stored_bodies_are_the_events_and_nothing_of_the_players(table: Table) -> None:
    table.play(60)
    for row in stored_rows(table.match_id):
        assert not {"amal", "basim", "carla", "dina"} & set(_strings(json.loads(row.body)))


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _strings(inner)]
    return []


# A command that was given before


def test_a_command_given_again_tells_what_it_did_and_stores_nothing(table: Table) -> None:
    origin = Origin(uuid4(), b"d" * 32)
    table.play(30)
    seat = turn_of(table.state)
    assert seat is not None
    before = table.version
    first = table.step(origin=origin, expected=frozenset({before}))
    action = PlayCard("AS")
    for _ in range(2):
        stored = everything_about(table.match_id)
        # Not even the action is looked at, nor whose turn it is by now, nor the version that was expected then.
        again = services.submit_action(
            match_id=table.match_id,
            tenant_id=table.tenant_id,
            player=table.seated[seat],
            command=action,
            origin=origin,
            expected=frozenset({before}),
        )
        assert again == first
        assert everything_about(table.match_id) == stored
        table.play(100)


def test_a_command_of_several_events_is_told_whole(table: Table) -> None:
    """The card that ends a hand, with the score and the next deal."""
    table.finish_hand()
    first = table.outcomes[-1]
    origin = Origin(first.events[0].command_id)
    assert [event.type for event in stored_rows(table.match_id)[first.events[0].version - 1 :]] == [
        "card_played",
        "hand_scored",
        "hand_dealt",
    ]
    table.play(5)
    again = services.submit_action(
        match_id=table.match_id, tenant_id=table.tenant_id, player=table.seated[0], command=Pass(), origin=origin
    )
    assert again == first
    assert folded(table.match_id, upto=first.version) == again.state


@pytest.mark.parametrize("digest", [b"e" * 32, None])
def test_a_command_id_cannot_carry_another_request(table: Table, digest: bytes | None) -> None:
    command_id = uuid4()
    table.step(origin=Origin(command_id, b"d" * 32))
    stored = everything_about(table.match_id)
    with pytest.raises(CommandReused):
        table.step(origin=Origin(command_id, digest))
    assert everything_about(table.match_id) == stored


def test_one_id_may_be_used_in_two_matches(cast: House) -> None:
    origin = Origin(uuid4(), b"d" * 32)
    for _ in range(2):
        table = open_table(cast)
        assert table.step(origin=origin).version == 8


# Expected versions


def test_a_stale_version_is_refused_with_the_current_one(table: Table) -> None:
    table.play(3)
    stored = everything_about(table.match_id)
    for expected in ({9}, {11}, {1, 9, 11}, set[int]()):
        with pytest.raises(VersionMismatch) as refused:
            table.step(expected=frozenset(expected))
        assert refused.value.current == 10
        assert everything_about(table.match_id) == stored
    assert table.step(expected=frozenset({3, 10})).version == 11


# Refusals and rollbacks


def _refusals(table: Table, at: House) -> dict[type[RuleViolation], Callable[[], object]]:
    whose = turn_of(table.state)
    assert whose is not None

    def act(player: UUID | None, tricks: int = 7) -> object:
        return services.submit_action(
            match_id=table.match_id, tenant_id=table.tenant_id, player=player, command=PlaceBid(tricks)
        )

    return {
        NotYourTurn: lambda: act(at.four[(whose + 1) % 4]),
        NotSeated: lambda: act(at.omar),
        BidOutOfRange: lambda: act(at.four[whose], tricks=14),
        AlreadySeated: lambda: services.substitute_player(
            match_id=table.match_id, tenant_id=table.tenant_id, seat=0, player=at.carla
        ),
    }


def test_a_refused_command_stores_nothing(table: Table, cast: House) -> None:
    stored = everything_about(table.match_id)
    for broken, command in _refusals(table, cast).items():
        with pytest.raises(broken):
            command()
        assert everything_about(table.match_id) == stored
    assert table.step().version == 8


@pytest.mark.parametrize(
    ("rules", "room", "twice", "error"),
    [
        (rules_for("classic"), Room(), True, AlreadySeated),
        (rules_for("classic"), Room(turn_seconds=1), False, InvalidRules),
        (Rules("classic", doubling=True), Room(), False, InvalidRules),
    ],
)
def test_a_match_that_cannot_be_stores_nothing(
    cast: House, rules: Rules, room: Room, twice: bool, error: type[Exception]
) -> None:
    players = [cast.amal, cast.basim, cast.amal if twice else cast.carla, cast.dina]
    with pytest.raises(error):
        open_table(cast, rules, room=room, players=players)
    assert (Stream.objects.count(), Match.objects.count(), DealSecret.objects.count()) == (0, 0, 0)


def test_a_rollback_in_mid_append_leaves_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Exception):
        pass

    def interrupted(**_: object) -> None:
        raise Interrupted

    table.play(10)
    stored = everything_about(table.match_id)
    with monkeypatch.context() as during:
        during.setattr(projections, "project", interrupted)
        with pytest.raises(Interrupted):
            table.step()
    assert everything_about(table.match_id) == stored

    playing_on = Table(table.match_id, table.tenant_id, table.state, table.seated)
    taken_back(lambda: playing_on.play(5))
    assert playing_on.version == table.version + 5
    assert everything_about(table.match_id) == stored

    table.play(10)
    check_chain(table.match_id)
    assert folded(table.match_id) == table.state


def test_a_version_that_is_taken_already_is_a_concurrent_append(table: Table) -> None:
    """As if somebody had written without the lock: the key of the log holds even then."""

    @transaction.atomic
    def write_again() -> None:
        stream = event_store.open_stream(table.match_id, tenant_id=table.tenant_id)
        assert stream.state is not None
        stream.version -= 1
        pending = [event_store.Pending(table.outcomes[0].events[-1].event, services.TENANT)]
        event_store.append(stream, pending, state=stream.state, command_id=uuid4())

    stored = everything_about(table.match_id)
    with pytest.raises(ConcurrentAppend):
        write_again()
    assert everything_about(table.match_id) == stored


def test_time_never_goes_back_in_a_stream(table: Table) -> None:
    """As after a change to another database server whose clock is behind."""
    with connection.cursor() as cursor:
        for name in ("stream", "storedevent"):
            cursor.execute(f"UPDATE matches_{name} SET recorded_at = recorded_at + interval '1 hour'")
    before = stored_rows(table.match_id)[-1]
    table.play(3)
    rows = stored_rows(table.match_id)[7:]
    assert [row.recorded_at for row in rows] == [before.recorded_at] * 3
    assert rows[0].prev_hash == before.hash


# Tenants


def test_another_tenant_finds_no_stream(table: Table, other_house: House) -> None:
    stored = everything_about(table.match_id)
    waiting = open_table(House(table.tenant_id, *[uuid4()] * 6), players=[uuid4()])
    match_id, tenant_id, amal = table.match_id, other_house.tenant_id, other_house.amal

    def act(player: UUID | None) -> object:
        return services.submit_action(match_id=match_id, tenant_id=tenant_id, player=player, command=Pass())

    attempts: list[Callable[[], object]] = [
        lambda: act(table.seated[0]),
        lambda: act(None),
        lambda: services.substitute_player(match_id=match_id, tenant_id=tenant_id, seat=0, player=amal),
        lambda: services.abandon_match(match_id=match_id, tenant_id=tenant_id, reason="not mine"),
        lambda: services.void_match(match_id=match_id, tenant_id=tenant_id, reason="not mine"),
        lambda: services.adjust_score(match_id=match_id, tenant_id=tenant_id, points=(1, 1), reason="not mine"),
        lambda: services.take_seat(match_id=waiting.match_id, tenant_id=tenant_id, seat=1, player=amal),
        lambda: services.leave_seat(match_id=waiting.match_id, tenant_id=tenant_id, seat=0, player=None),
    ]
    for attempt in attempts:
        with pytest.raises(StreamNotFound):
            attempt()
    assert everything_about(table.match_id) == stored


def test_a_match_nobody_opened_is_not_found(cast: House) -> None:
    with pytest.raises(StreamNotFound):
        services.abandon_match(match_id=uuid4(), tenant_id=cast.tenant_id, reason="?")
