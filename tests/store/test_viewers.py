"""Who may know of a match, and how late."""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import connection

from matches import lists, selectors, services
from matches.engine.room import Room
from matches.lists import Wanted
from matches.refusals import StreamNotFound
from matches.selectors import Viewer
from matches.services import Origin
from tests.tables import House, Table, folded, open_table

DELAY = 600
ALL = Wanted()


def _reads(match_id: UUID, viewer: Viewer) -> list[Callable[[], object]]:
    return [
        lambda: selectors.match_seen(match_id=match_id, viewer=viewer),
        lambda: selectors.events_seen(match_id=match_id, viewer=viewer, after=0, limit=200),
        lambda: selectors.sheet_seen(match_id=match_id, viewer=viewer),
        lambda: selectors.command_seen(match_id=match_id, viewer=viewer, command_id=uuid4()),
    ]


def _listed(viewer: Viewer, wanted: Wanted = ALL) -> list[UUID]:
    return [match.id for match in lists.matches_seen(viewer=viewer, wanted=wanted, limit=50)]


def _may_know(match_id: UUID, viewer: Viewer) -> bool:
    """Whether every way in tells of the match, or none does."""
    told = []
    for read in _reads(match_id, viewer):
        try:
            read()
            told.append(True)
        except StreamNotFound:
            told.append(False)
    told.append(match_id in _listed(viewer))
    assert len(set(told)) == 1, told
    return told[0]


def _age(match_id: UUID, seconds: int, upto: int | None = None) -> None:
    """Move what has happened, or what happened up to a version, so many seconds into the past."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE matches_storedevent SET recorded_at = recorded_at - make_interval(secs => %s)"
            " WHERE stream_id = %s AND (%s::int IS NULL OR version <= %s)",
            [seconds, match_id, upto, upto],
        )
        if upto is None:
            cursor.execute(
                "UPDATE matches_match SET updated_at = updated_at - make_interval(secs => %s) WHERE id = %s",
                [seconds, match_id],
            )


@pytest.mark.parametrize("visibility", ["private", "tenant", "public"])
def test_who_may_know_of_a_match(cast: House, other_house: House, visibility: str) -> None:
    table = open_table(cast, room=Room(visibility=visibility))  # type: ignore[arg-type]  # from a parameter
    for player in cast.four:
        assert _may_know(table.match_id, Viewer(cast.tenant_id, player))
    assert _may_know(table.match_id, Viewer(cast.tenant_id))
    assert _may_know(table.match_id, Viewer(cast.tenant_id, moderator=True))
    for stranger in (cast.salma, cast.omar):
        assert _may_know(table.match_id, Viewer(cast.tenant_id, stranger)) == (visibility != "private")
    for foreign in (None, other_house.amal, cast.amal):
        assert not _may_know(table.match_id, Viewer(other_house.tenant_id, foreign))
    assert not _may_know(table.match_id, Viewer(other_house.tenant_id, moderator=True))


def test_a_strangers_action_in_a_private_match_finds_nothing(cast: House) -> None:
    table = open_table(cast, room=Room(visibility="private"))
    with pytest.raises(StreamNotFound):
        Table(table.match_id, table.tenant_id, table.state, [cast.omar] * 4).step()


def test_who_was_replaced_no_longer_knows_of_a_private_match(cast: House) -> None:
    table = open_table(cast, room=Room(visibility="private"))
    services.substitute_player(match_id=table.match_id, tenant_id=cast.tenant_id, seat=0, player=cast.salma)
    assert _may_know(table.match_id, Viewer(cast.tenant_id, cast.salma))
    assert not _may_know(table.match_id, Viewer(cast.tenant_id, cast.amal))


# Spectators of a delayed room


@pytest.fixture
def delayed(cast: House) -> Table:
    """A match in a room that spectators see ten minutes late, twenty moves in."""
    table = open_table(cast, room=Room(turn_seconds=30, spectator_delay_seconds=DELAY))
    table.play(20)
    return table


def test_a_spectator_sees_the_match_as_it_stood_then(delayed: Table, cast: House) -> None:
    salma = Viewer(cast.tenant_id, cast.salma)
    _age(delayed.match_id, DELAY, upto=15)
    seen = selectors.match_seen(match_id=delayed.match_id, viewer=salma)
    assert seen.version == 15
    then = folded(delayed.match_id, upto=15)
    assert seen.hand is not None
    assert seen.turn is not None
    assert [seat.cards_left for seat in seen.seats] == [
        bits.bit_count()
        for bits in then.holdings  # type: ignore[union-attr]  # the cards are dealt by then
    ]
    events = selectors.events_seen(match_id=delayed.match_id, viewer=salma, after=0, limit=200)
    assert ([event.version for event in events.events], events.version) == (list(range(1, 16)), 15)
    assert seen.turn.since == events.events[-1].recorded_at
    later = selectors.events_seen(match_id=delayed.match_id, viewer=salma, after=15, limit=200)
    assert (later.events, later.version) == ([], 15)


def test_a_spectator_of_a_match_younger_than_the_delay_sees_it_being_created(delayed: Table, cast: House) -> None:
    seen = selectors.match_seen(match_id=delayed.match_id, viewer=Viewer(cast.tenant_id, cast.salma))
    assert (seen.version, seen.status, seen.hand, seen.turn) == (1, "waiting", None, None)


def test_players_tenant_and_moderators_do_not_wait(delayed: Table, cast: House) -> None:
    viewers = [Viewer(cast.tenant_id, player) for player in cast.four]
    for viewer in (*viewers, Viewer(cast.tenant_id), Viewer(cast.tenant_id, moderator=True)):
        assert selectors.match_seen(match_id=delayed.match_id, viewer=viewer).version == delayed.version
        (listed,) = lists.matches_seen(viewer=viewer, wanted=ALL, limit=9)
        assert listed.version == delayed.version


def test_the_end_and_the_score_of_a_delayed_match_come_late_too(delayed: Table, cast: House) -> None:
    salma = Viewer(cast.tenant_id, cast.salma)
    delayed.finish_hand()
    scored = delayed.version
    services.abandon_match(match_id=delayed.match_id, tenant_id=cast.tenant_id, reason="the lights went out")

    assert selectors.sheet_seen(match_id=delayed.match_id, viewer=salma).rows == []
    (listed,) = lists.matches_seen(viewer=salma, wanted=ALL, limit=9)
    assert (listed.status, listed.version, listed.result, listed.totals, listed.turn) == ("playing", *[None] * 4)
    assert listed.hand is None
    assert listed.ended_at is None

    _age(delayed.match_id, DELAY, upto=scored)
    assert len(selectors.sheet_seen(match_id=delayed.match_id, viewer=salma).rows) == 1
    assert selectors.match_seen(match_id=delayed.match_id, viewer=salma).status == "playing"

    _age(delayed.match_id, DELAY)
    seen = selectors.match_seen(match_id=delayed.match_id, viewer=salma)
    assert (seen.status, seen.version) == ("abandoned", delayed.version + 1)
    (listed,) = lists.matches_seen(viewer=salma, wanted=ALL, limit=9)
    assert (listed.status, listed.version) == ("abandoned", delayed.version + 1)


def test_no_filter_tells_a_spectator_what_the_list_holds_back(delayed: Table, cast: House) -> None:
    salma, amal = Viewer(cast.tenant_id, cast.salma), Viewer(cast.tenant_id, cast.amal)
    services.abandon_match(match_id=delayed.match_id, tenant_id=cast.tenant_id, reason="the lights went out")
    assert _listed(amal, Wanted(status="abandoned")) == [delayed.match_id]
    assert _listed(amal, Wanted(status="playing")) == []
    assert _listed(salma, Wanted(status="abandoned")) == []
    assert _listed(salma, Wanted(status="playing")) == [delayed.match_id]
    _age(delayed.match_id, DELAY)
    assert _listed(salma, Wanted(status="abandoned")) == [delayed.match_id]
    assert _listed(salma, Wanted(status="playing")) == []


# Lists and look-ups


def test_lists_are_narrowed_and_paged(cast: House, other_house: House) -> None:
    first = open_table(cast, "classic")
    second = open_table(cast, "egyptian", players=[cast.salma, cast.omar])
    third = open_table(cast, "classic", players=[cast.amal])
    theirs = open_table(other_house)
    tenant = Viewer(cast.tenant_id)
    assert _listed(tenant) == [third.match_id, second.match_id, first.match_id]
    assert _listed(Viewer(other_house.tenant_id)) == [theirs.match_id]
    assert _listed(tenant, Wanted(status="waiting")) == [third.match_id, second.match_id]
    assert _listed(tenant, Wanted(variant="egyptian")) == [second.match_id]
    assert _listed(tenant, Wanted(player=cast.amal)) == [third.match_id, first.match_id]
    assert _listed(tenant, Wanted(before=second.match_id)) == [first.match_id]
    created = selectors.events_seen(match_id=second.match_id, viewer=tenant, after=0, limit=1).events[0].recorded_at
    assert _listed(tenant, Wanted(created_after=created)) == [third.match_id]
    assert [match.id for match in lists.matches_seen(viewer=tenant, wanted=ALL, limit=2)] == [
        third.match_id,
        second.match_id,
    ]


def test_names_are_the_tenants_own(table: Table, cast: House) -> None:
    seen = selectors.match_seen(match_id=table.match_id, viewer=Viewer(cast.tenant_id))
    assert [seat.player for seat in seen.seats] == ["amal", "basim", "carla", "dina"]
    events = selectors.events_seen(match_id=table.match_id, viewer=Viewer(cast.tenant_id), after=1, limit=4).events
    assert [event.data["player"] for event in events] == ["amal", "basim", "carla", "dina"]


def test_a_command_can_be_looked_up_for_ever(table: Table, cast: House) -> None:
    origin = Origin(uuid4())
    viewer = Viewer(cast.tenant_id, cast.amal)
    assert selectors.command_seen(match_id=table.match_id, viewer=viewer, command_id=origin.command_id) is None
    outcome = table.step(origin=origin)
    answer = selectors.action_seen(outcome=outcome, viewer=viewer)
    table.play(100)
    found = selectors.command_seen(match_id=table.match_id, viewer=viewer, command_id=origin.command_id)
    assert found is not None
    assert (found.version, found.events, found.receipt) == (answer.version, answer.events, answer.receipt)
    assert answer.receipt.hash == outcome.events[-1].hash.hex()
