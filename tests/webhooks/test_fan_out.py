"""From the log to the queues: every event once, none before something older could still be committed."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from random import Random
from uuid import UUID

import pytest
from django.db import connection, transaction

from matches import outbox, services
from matches.engine import rules_for, turn_of
from matches.engine.events import BidPlaced, CardPlayed, Doubled, HandDealt, Passed, TrumpNamed
from matches.engine.variants import VARIANTS
from matches.webhooks import enqueue, fan_out, queue
from matches.webhooks import services as webhooks
from matches.webhooks.kinds import KINDS, Kind, kind_of
from matches.webhooks.presence import tell
from tests.concurrently import held_open, together
from tests.tables import House, Table, folded, house, open_table, stored_rows
from tests.webhooks.hooks import later, wait_for_feed

NOWHERE = "http://127.0.0.1:9/"
Queued = list[tuple[UUID, int, str]]


@pytest.fixture
def cast(transactional_db: None) -> House:
    """The tenant of most tests, with its players."""
    return house("a mobile backend")


def hook(at: House, kinds: tuple[Kind, ...] = KINDS, url: str = NOWHERE) -> UUID:
    """A webhook of a tenant; its id."""
    return webhooks.create_webhook(tenant_id=at.tenant_id, url=url, events=kinds)[0]


def queued(webhook_id: UUID) -> Queued:
    """Match, version and kind of every delivery, in the order in which they were queued."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT match_id, version, kind FROM webhooks_delivery WHERE webhook_id = %s ORDER BY queued", [webhook_id]
        )
        return [(match_id, version, kind) for match_id, version, kind in cursor.fetchall()]


def read_all() -> None:
    """Read on until every webhook has read everything that the feed shows, and that is everything."""
    wait_for_feed()
    while fan_out.fan_out():
        pass


def happenings(tenant_id: UUID, limit: int) -> Iterator[outbox.Happening]:
    """A tenant's feed in outline, in pages of this size."""
    place = (0, 0)
    while page := outbox.happenings(tenant_id=tenant_id, after=place, limit=limit):
        yield from page
        place = page[-1].position


# Which event is told as what


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_turn_starts_where_the_engine_says_that_somebody_is_to_act(cast: House, variant: str) -> None:
    random = Random(variant)
    tables = [open_table(cast, rules_for(variant)) for _ in range(2)]
    for table in tables:
        table.play(160, random)
    wait_for_feed()
    told = {(each.match_id, each.version): each for each in happenings(cast.tenant_id, 1000)}
    opened = 0
    for table in tables:
        for version in range(1, table.version + 1):
            state = folded(table.match_id, version)
            happening = told[table.match_id, version]
            assert happening.opens_turn == (turn_of(state) is not None), (version, happening.type)
            opened += happening.opens_turn
            assert (kind_of(happening) == "turn.started") == happening.opens_turn
    assert opened > 200
    assert {each.type for each in told.values() if each.opens_turn} <= TURN_EVENTS


TURN_EVENTS = {"hand_dealt", "bid_placed", "passed", "doubled", "trump_named", "card_played"}


def test_the_events_that_open_turns_are_those_of_calls_and_plays() -> None:
    from matches.codec import SCHEMAS

    assert {SCHEMAS[kind][0] for kind in (HandDealt, BidPlaced, Passed, Doubled, TrumpNamed, CardPlayed)} == TURN_EVENTS
    assert set(outbox._TURN_OPENERS) == TURN_EVENTS


def test_a_thrown_in_hand_opens_one_turn_and_not_two(cast: House) -> None:
    from matches.engine.commands import Pass

    webhook_id = hook(cast)
    table = open_table(cast)
    for _ in range(4):
        table.act(Pass())
    read_all()
    types = [row.type for row in stored_rows(table.match_id)]
    assert types[-3:] == ["passed", "hand_thrown_in", "hand_dealt"]
    assert [version for _, version, _ in queued(webhook_id)] == [6, 7, 8, 9, 10, 13]


def test_other_happenings_are_told_as_what_they_are(cast: House) -> None:
    webhook_id = hook(cast)
    table = open_table(cast)
    services.substitute_player(match_id=table.match_id, tenant_id=cast.tenant_id, seat=0, player=cast.salma)
    services.void_match(match_id=table.match_id, tenant_id=cast.tenant_id, reason="collusion")
    read_all()
    assert [kind for _, _, kind in queued(webhook_id)] == ["match.started", "turn.started", "match.voided"]


# Everything once


def test_pages_of_any_size_are_the_whole_feed(cast: House) -> None:
    tables = [open_table(cast) for _ in range(3)]
    for table in tables:
        table.play(20)
        outbox.put(tenant_id=cast.tenant_id, match_id=table.match_id, kind="player.absent", details={"seat": 1})
    wait_for_feed()
    whole = list(happenings(cast.tenant_id, 1000))
    assert len(whole) == sum(table.version + 1 for table in tables)
    assert [each.position for each in whole] == sorted(each.position for each in whole)
    for limit in (1, 2, 7, 50):
        assert list(happenings(cast.tenant_id, limit)) == whole


def test_every_event_is_queued_once_however_many_read_on_at_once(cast: House) -> None:
    ids = [hook(cast, url=f"{NOWHERE}{number}") for number in range(3)]
    tables = [open_table(cast) for _ in range(4)]
    moves = 30

    def play(table: Table) -> None:
        table.play(moves)

    def read() -> None:
        for _ in range(25):
            fan_out.fan_out()

    together(*[partial(play, table) for table in tables], *[read] * 3)
    read_all()
    for webhook_id in ids:
        found = queued(webhook_id)
        assert Counter(found).most_common(1)[0][1] == 1
        for table in tables:
            versions = [version for match_id, version, _ in found if match_id == table.match_id]
            assert versions == sorted(versions)
            assert len(versions) == 2 + moves


def test_reading_on_and_storing_are_one(cast: House, monkeypatch: pytest.MonkeyPatch) -> None:
    webhook_id = hook(cast)
    open_table(cast)
    wait_for_feed()
    add = queue.add

    def add_and_break(*given: object) -> None:
        add(*given)  # type: ignore[arg-type]  # passed on
        raise RuntimeError("the worker dies here")

    with monkeypatch.context() as patched:
        patched.setattr(queue, "add", add_and_break)
        with pytest.raises(RuntimeError):
            fan_out.fan_out()
    assert queued(webhook_id) == []
    read_all()
    assert len(queued(webhook_id)) == 2


def test_what_commits_late_is_waited_for_and_not_lost(cast: House) -> None:
    webhook_id = hook(cast)
    early, late = open_table(cast), open_table(cast)
    read_all()
    before = queued(webhook_id)
    with held_open(late.step):
        early.step()
        for _ in range(3):
            assert fan_out.fan_out() == 0
    read_all()
    assert queued(webhook_id)[len(before) :] == [
        (late.match_id, 8, "turn.started"),
        (early.match_id, 8, "turn.started"),
    ]


def test_what_is_rolled_back_is_never_queued(cast: House) -> None:
    webhook_id = hook(cast)
    table = open_table(cast)
    read_all()
    with transaction.atomic():
        table.step()
        transaction.set_rollback(True)
    read_all()
    assert [version for _, version, _ in queued(webhook_id)] == [6, 7]


def test_a_webhook_begins_with_what_is_recorded_after_it_was_made(cast: House) -> None:
    early, late = open_table(cast), open_table(cast)
    with held_open(late.step):
        webhook_id = hook(cast)
    early.step()
    read_all()
    # What was under way when it was made may come along; what was over does not.
    assert queued(webhook_id) == [(late.match_id, 8, "turn.started"), (early.match_id, 8, "turn.started")]


def test_a_webhook_that_has_too_much_waiting_leaves_the_rest_in_the_log(
    cast: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fan_out, "MOST_WAITING", 10)
    monkeypatch.setattr(fan_out, "READ_AT_ONCE", 4)
    webhook_id, other = hook(cast), hook(cast, ("match.started",))
    table = open_table(cast)
    table.play(30)
    read_all()
    assert 10 <= len(queued(webhook_id)) < 14
    assert len(queued(other)) == 1
    with connection.cursor() as cursor:
        cursor.execute("UPDATE webhooks_delivery SET status = 'delivered'")
    read_all()
    assert 20 <= len(queued(webhook_id)) < 28
    assert [version for _, version, _ in queued(webhook_id)] == list(range(6, 6 + len(queued(webhook_id))))


def test_another_tenants_events_are_never_queued(cast: House) -> None:
    other = house("another mobile backend")
    ours, theirs = hook(cast), hook(other)
    tables = [open_table(cast), open_table(other)]
    for table in tables:
        table.play(5)
        enqueue(tenant_id=table.tenant_id, match_id=table.match_id, kind="player.absent", data={"seat": 0})
    read_all()
    for webhook_id, table in zip((ours, theirs), tables, strict=True):
        found = queued(webhook_id)
        assert {match_id for match_id, _, _ in found} == {table.match_id}
        assert len(found) == 2 + 5 + 1


# What is no event of the match


def test_what_was_put_beside_the_log_stands_behind_what_was_committed_before(cast: House) -> None:
    webhook_id = hook(cast)
    table = open_table(cast)
    random, count = Random(7), 0
    for _ in range(15):
        table.step()
        if random.random() < 0.5:
            assert enqueue(tenant_id=cast.tenant_id, match_id=table.match_id, kind="player.absent", data={"seat": 2})
            count += 1
    read_all()
    found = [(version, kind) for _, version, kind in queued(webhook_id)]
    assert len(found) == 17 + count
    versions = [version for version, _ in found]
    assert versions == sorted(versions)
    for (version, _), (following, kind) in pairwise(found):
        if kind == "player.absent":
            assert following == version


def test_a_transaction_that_wrote_before_the_match_went_on_keeps_the_order(cast: House) -> None:
    """Its own id is older than that of the event which it was told after."""
    webhook_id = hook(cast)
    table = open_table(cast)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("UPDATE access_tenant SET name = name || '.' WHERE id = %s", [cast.tenant_id])
        together(table.step)
        enqueue(tenant_id=cast.tenant_id, match_id=table.match_id, kind="player.absent", data={"seat": 2})
    read_all()
    assert [(version, kind) for _, version, kind in queued(webhook_id)][-2:] == [
        (8, "turn.started"),
        (8, "player.absent"),
    ]


def test_nothing_is_put_where_nobody_wants_to_know(cast: House) -> None:
    table = open_table(cast)
    asked = {"tenant_id": cast.tenant_id, "match_id": table.match_id, "kind": "player.absent", "data": {"seat": 1}}
    assert not enqueue(**asked)  # type: ignore[arg-type]  # passed on
    webhook_id = hook(cast, ("match.started", "player.returned"))
    assert not enqueue(**asked)  # type: ignore[arg-type]  # passed on
    assert enqueue(**(asked | {"kind": "player.returned"}))  # type: ignore[arg-type]  # passed on
    # A match of another tenant is none.
    other = open_table(house("another mobile backend"))
    assert not enqueue(**(asked | {"kind": "player.returned", "match_id": other.match_id}))  # type: ignore[arg-type]  # passed on
    read_all()
    assert [kind for _, _, kind in queued(webhook_id)] == ["player.returned"]


def test_what_is_put_in_a_transaction_that_fails_is_not_sent(cast: House) -> None:
    webhook_id = hook(cast)
    table = open_table(cast)
    with transaction.atomic():
        enqueue(tenant_id=cast.tenant_id, match_id=table.match_id, kind="player.absent", data={"seat": 2})
        transaction.set_rollback(True)
    read_all()
    assert [kind for _, _, kind in queued(webhook_id)] == ["match.started", "turn.started"]


def test_presence_is_told_but_for_the_first_sign_of_life(cast: House) -> None:
    webhook_id = hook(cast, ("player.absent", "player.returned"))
    table = open_table(cast)

    class Change:
        def __init__(self, kind: str) -> None:
            self.match_id, self.tenant_id, self.player, self.seat = table.match_id, cast.tenant_id, cast.carla, 2
            self.kind = kind

    for kind in ("connected", "absent", "returned"):
        tell(Change(kind), signal=None, sender=None)
    read_all()
    assert queued(webhook_id) == [(table.match_id, 7, "player.absent"), (table.match_id, 7, "player.returned")]


def test_what_is_past_its_time_is_purged(cast: House) -> None:
    from datetime import timedelta

    webhook_id = hook(cast)
    table = open_table(cast)
    enqueue(tenant_id=cast.tenant_id, match_id=table.match_id, kind="player.absent", data={"seat": 2})
    read_all()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE webhooks_delivery SET status = 'delivered' WHERE version = 6")
    later(3600)
    assert queue.purge(older_than=timedelta(hours=2), batch=1) == 0
    assert outbox.purge(older_than=timedelta(hours=2), batch=1) == 0
    later(3600)
    assert queue.purge(older_than=timedelta(hours=2), batch=1) == 1
    # What waits is kept, however old.
    assert [version for _, version, _ in queued(webhook_id)] == [7, 7]
    assert outbox.purge(older_than=timedelta(0), batch=1) == 1
