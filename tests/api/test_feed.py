"""`GET /events`: what happens in all matches of a tenant, at least once, each match in its order, nothing skipped."""

import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from matches import event_store, names, services
from matches.engine import rules_for
from tarneeb_service.access.services import players_for
from tests.api.callers import NOBODY, House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import CAST, OMAR, SALMA, holdings_with
from tests.concurrently import held_open, together
from tests.tables import House as Players
from tests.tables import Table, open_table

Feed = list[dict[str, Any]]


class Reader:
    """A backend that reads the feed and keeps its cursor."""

    def __init__(self, house: House, limit: int = 50) -> None:
        self.house = house
        self.limit = limit
        self.cursor: str | None = None
        self.events: Feed = []

    def poll(self) -> dict[str, Any]:
        """One page."""
        onward = "" if self.cursor is None else f"&cursor={self.cursor}"
        page: dict[str, Any] = self.house.backend.get(f"events?limit={self.limit}{onward}").ok()
        assert set(page) == {"events", "next_cursor", "more"}
        assert len(page["events"]) <= self.limit
        self.cursor = page["next_cursor"]
        self.events += page["events"]
        return page

    def read(self, count: int) -> Feed:
        """Poll until so many events have come; they must be no more."""
        while len(self.events) < count:
            if not self.poll()["events"]:
                time.sleep(0.005)
        assert len(self.events) == count
        return self.events

    def versions(self, match: str) -> list[int]:
        """The versions of a match, in the order in which they came."""
        return [event["version"] for event in self.events if event["match"] == match]


def test_the_feed_is_what_the_matches_tell_the_tenant(north: House) -> None:
    games = [Game(north) for _ in range(3)]
    for text in ("7", "8", "pass"):
        for game in games:
            game.call(text)
    reader = Reader(north, limit=7)
    reader.read(30)
    for game in games:
        own = north.backend.get(f"{game.path}/events").ok()["events"]
        of_feed = [event for event in reader.events if event["match"] == game.id]
        assert of_feed == [{"match": game.id, **event} for event in own]


def test_a_page_says_whether_there_is_more_and_where_to_go_on(north: House) -> None:
    reader = Reader(north, limit=4)
    first = reader.poll()
    assert (first["events"], first["more"]) == ([], False)
    again = reader.poll()
    assert again["next_cursor"] == first["next_cursor"]
    game = Game(north)
    Reader(north).read(7)
    page = reader.poll()
    assert (len(page["events"]), page["more"]) == (4, True)
    page = reader.poll()
    assert (len(page["events"]), page["more"]) == (3, False)
    assert reader.versions(game.id) == list(range(1, 8))
    # The same cursor gives the same events: at least once.
    cursor = reader.cursor
    game.call("7")
    reader.read(8)
    reader.cursor = cursor
    reader.read(9)
    assert reader.events[-1] == reader.events[-2]


def test_another_tenants_events_are_never_in_it(north: House, south: House) -> None:
    ours, theirs = Game(north), Game(south)
    for text in ("7", "8"):
        ours.call(text)
        theirs.call(text)
    for house, game in ((north, ours), (south, theirs)):
        reader = Reader(house)
        reader.read(9)
        assert {event["match"] for event in reader.events} == {game.id}
    # Not with the other's cursor either.
    foreign = Reader(south)
    foreign.read(9)
    reader = Reader(north)
    reader.cursor = foreign.cursor
    for _ in range(3):
        reader.poll()
    assert all(event["match"] == ours.id for event in reader.events)


def test_private_matches_are_in_it_and_delays_are_not(north: House) -> None:
    for room in ({"visibility": "private"}, {"spectator_delay_seconds": 3600}):
        Game(north, **room).call("7")
    assert len(Reader(north).read(16)) == 16


def test_no_card_is_in_it_before_it_lies_on_the_table(north: House, chance: Chance) -> None:
    chance.holdings = holdings_with("AC KC", "AD KD", "AH KH", "AS KS")
    game = Game(north).call("8", "pass", "pass", "pass").name("C").play("AC")
    events = Reader(north).read(13)
    [dealt] = [event for event in events if event["type"] == "hand_dealt"]
    assert dealt["data"] == {"hand": 1, "deal": 1, "dealer": 3}
    assert [event["data"] for event in events if event["type"] == "card_played"] == [{"seat": 0, "card": "AC"}]
    assert game.version == 13


# Nothing skipped


def test_an_open_transaction_holds_the_feed_back_and_nothing_is_skipped(north: House) -> None:
    """A move that commits late is in the feed before a move that committed while it was open."""
    early, late = Game(north), Game(north)
    reader = Reader(north)
    reader.read(14)
    late_table = _table(late, north)
    with held_open(late_table.step):
        early.call("7")
        for _ in range(5):
            assert reader.poll()["events"] == []
    reader.read(16)
    assert [event["match"] for event in reader.events[14:]] == [late.id, early.id]


def test_a_transaction_that_is_rolled_back_leaves_no_hole(north: House) -> None:
    game = Game(north)
    reader = Reader(north)
    reader.read(7)
    with transaction.atomic():
        _table(game, north).step()
        transaction.set_rollback(True)
    game.call("7")
    reader.read(8)
    assert reader.versions(game.id) == list(range(1, 9))


def _table(game: Game, house: House) -> Table:
    """The match as the services know it."""
    with transaction.atomic():
        state = event_store.open_stream(game.uuid, tenant_id=house.tenant.id).state
    assert state is not None
    return Table(game.uuid, house.tenant.id, state, [UUID(str(player)) for player in state.table.players])


@pytest.fixture
def busy(north: House) -> list[Table]:
    """Matches of the tenant, to be played through the services."""
    known = players_for(tenant_id=north.tenant.id, external_ids=(*CAST, SALMA, OMAR))
    at = Players(north.tenant.id, *(known[name].ref for name in (*CAST, SALMA, OMAR)))
    # Long ones, so that none ends while the readers read.
    return [open_table(at, rules_for("classic", target=301)) for _ in range(6)]


@pytest.mark.slow
def test_thousands_of_events_with_writers_at_work(north: House, busy: list[Table]) -> None:
    for table in busy:
        table.play(250)
    done: list[int] = []

    def write(table: Table) -> None:
        try:
            for _ in range(120):
                if not table.over:
                    table.step()
        finally:
            done.append(1)

    def read(limit: int) -> Reader:
        reader = Reader(north, limit)
        while len(done) < len(busy) or reader.poll()["more"]:
            reader.poll()
        return reader

    jobs: list[Callable[[], object]] = [partial(write, table) for table in busy]
    results = together(*jobs, partial(read, 37), partial(read, 1000))
    expected = sum(table.version for table in busy)
    assert expected > 2000
    for reader in results[len(busy) :]:
        assert isinstance(reader, Reader)
        reader.read(expected)
        for table in busy:
            assert reader.versions(str(table.match_id)) == list(range(1, table.version + 1))


# Who may, and what cannot be read


def test_the_tenant_alone_reads_it(north: House) -> None:
    Game(north)
    NOBODY.get("events").problem(401, "not_authenticated")
    for caller in (north.player("amal"), north.moderator()):
        assert caller.get("events").problem(403, "forbidden")["required_kind"] == "tenant"
    assert north.with_scopes("play").get("events").problem(403, "forbidden")["required_scope"] == "read"
    north.with_scopes("read").get("events").ok()


def encoded(text: str) -> str:
    """As a cursor is."""
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "garbage",
        "=" * 10,
        "ك",
        "a" * 600,
        encoded("null"),
        encoded("[]"),
        encoded("[1]"),
        encoded("[1,2,3]"),
        encoded("[-1,0]"),
        encoded("[0,-1]"),
        encoded('["1","2"]'),
        encoded("[1.5,2]"),
        encoded("[true,false]"),
        encoded(f"[{2**63},0]"),
        encoded(f"[0,{2**63}]"),
        encoded(f"[{10**40},0]"),
        encoded('{"xid":1,"pos":2}'),
        encoded("[1,2"),
    ],
)
def test_a_cursor_that_is_none(north: House, cursor: str) -> None:
    assert north.backend.get(f"events?cursor={cursor}").fields() == {"cursor": "invalid"}


def test_a_cursor_of_the_far_future_finds_nothing_and_stays(north: House) -> None:
    Game(north)
    cursor = encoded(f"[{2**63 - 1},{2**63 - 1}]")
    page = north.backend.get(f"events?cursor={cursor}").ok()
    assert page == {"events": [], "next_cursor": cursor, "more": False}


@pytest.mark.parametrize(
    ("limit", "code"),
    [("0", "out_of_range"), ("1001", "out_of_range"), ("-1", "out_of_range"), ("x", "invalid"), ("", "invalid")],
)
def test_a_limit_that_is_none(north: House, limit: str, code: str) -> None:
    assert north.backend.get(f"events?limit={limit}").fields() == {"limit": code}


def test_the_feed_is_not_kept_by_caches(north: House) -> None:
    assert north.backend.get("events").headers["Cache-Control"] == "private, no-cache"


def test_all_names_of_a_page_are_asked_for_at_once(north: House, django_assert_max_num_queries: Any) -> None:
    for number in range(4):
        north.open_match([f"p{number}{seat}" for seat in range(4)])
    Reader(north).read(28)
    names.forget()
    with django_assert_max_num_queries(4):
        assert len(north.backend.get("events").ok()["events"]) == 28


def test_who_replaced_whom_is_told_by_the_tenants_own_ids(north: House) -> None:
    game = Game(north)
    north.backend.put(f"{game.path}/seats/1/substitute", {"player": "salma"}).ok()
    event = Reader(north).read(8)[-1]
    assert (event["type"], event["data"]) == ("player_replaced", {"seat": 1, "player": "salma", "replaced": "basim"})
    services.void_match(match_id=game.uuid, tenant_id=north.tenant.id, reason="a test")
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM matches_storedevent WHERE tenant_id <> %s", [north.tenant.id])
        assert cursor.fetchone() == (0,)
