"""Who sends what: nobody twice at once, nothing lost with whoever dies, no receiver more than its share."""

import threading
from collections import Counter
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import connection
from pytest_django import Settings

from matches.webhooks import claims, fan_out, payloads, pump, sending
from matches.webhooks.attempts import Attempt
from matches.webhooks.claims import Claimed
from tests.api.callers import House
from tests.api.games import Game
from tests.concurrently import held_open, together
from tests.webhooks.hooks import (
    DAY,
    FAILED,
    HOUR,
    SUCCEEDED,
    claimed_until,
    deliver_until,
    hook,
    later,
    read_until_queued,
    wait_for_feed,
    waiting,
)
from tests.webhooks.receiver import Receiver, says_nothing_until

NOWHERE = "http://127.0.0.1:9/"


def test_of_each_queue_the_first_is_taken_and_no_other(north: House) -> None:
    hook(north, NOWHERE)
    games = [Game(north) for _ in range(3)]
    read_until_queued(6)
    found = claimed_until(3)
    assert sorted((str(claimed.match_id), claimed.version) for claimed in found) == sorted((g.id, 6) for g in games)
    assert claims.claim(9) == []
    claims.settle(found[1], SUCCEEDED)
    [following] = claims.claim(9)
    assert (following.match_id, following.version) == (found[1].match_id, 7)


def test_several_that_ask_at_once_share_what_is_due(north: House) -> None:
    for number in range(3):
        hook(north, f"{NOWHERE}{number}", ["match.started"])
    for _ in range(8):
        Game(north)
    read_until_queued(24)
    found = [claimed for share in together(*[lambda: claims.claim(7)] * 4) for claimed in share]
    found += claims.claim(24)
    assert Counter(claimed.id for claimed in found).most_common(1)[0][1] == 1
    assert len(found) == 24


def test_no_webhook_has_more_under_way_than_its_share(north: House) -> None:
    hook(north, NOWHERE, ["match.started"])
    for _ in range(claims.MOST_AT_ONCE + 5):
        Game(north)
    read_until_queued(claims.MOST_AT_ONCE + 5)
    found = claimed_until(claims.MOST_AT_ONCE)
    assert (len(found), claims.claim(99)) == (claims.MOST_AT_ONCE, [])
    claims.settle(found[0], SUCCEEDED)
    assert len(claims.claim(99)) == 1


def test_one_that_fails_has_one_under_way_until_it_works_again(north: House) -> None:
    hook(north, NOWHERE, ["match.started"])
    for _ in range(6):
        Game(north)
    read_until_queued(6)
    for claimed in claimed_until(6):
        claims.settle(claimed, FAILED)
    later(HOUR)
    [only] = claims.claim(99)
    assert claims.claim(99) == []
    claims.settle(only, SUCCEEDED)
    assert len(claims.claim(99)) == 5


def test_a_delivery_whose_sender_died_is_due_again(north: House, receiver: Receiver, settings: Settings) -> None:
    made = hook(north, receiver, ["match.started"])
    Game(north)
    read_until_queued(1)
    [lost] = claimed_until(1)
    later(settings.WEBHOOK_TOTAL_SECONDS)
    assert claims.claim(9) == []
    later(claims.LEASE_MARGIN_SECONDS)
    deliver_until(lambda: waiting() == 0)
    [delivery] = made.log()
    assert (delivery["attempts"], delivery["status"], delivery["id"]) == (2, "delivered", str(lost.id))


@pytest.mark.parametrize("late", [SUCCEEDED, FAILED])
def test_what_a_sender_finds_out_after_its_time_counts_for_nothing(north: House, late: Attempt) -> None:
    made = hook(north, NOWHERE)
    Game(north)
    read_until_queued(2)
    [lost] = claimed_until(1)
    later(HOUR)
    [again] = claims.claim(9)
    assert again.id == lost.id
    claims.settle(lost, late)
    assert claims.claim(9) == []
    first, second = made.log()
    assert (first["status"], first["error"], second["next_try_at"]) == ("waiting", None, None)
    claims.settle(again, SUCCEEDED)
    claims.settle(lost, late)
    assert [delivery["status"] for delivery in made.log()] == ["delivered", "waiting"]


def test_a_webhook_deleted_while_a_delivery_is_under_way(north: House) -> None:
    made = hook(north, NOWHERE)
    Game(north)
    read_until_queued(2)
    [claimed] = claimed_until(1)
    north.backend.delete(made.path)
    claims.settle(claimed, SUCCEEDED)
    assert waiting() == 0


# What is added to a queue just as it runs empty: either sees what the other did


@pytest.fixture
def last_of_queue(north: House) -> Claimed:
    """The only delivery of a queue, under way, and the next event of the match in the feed already."""
    hook(north, NOWHERE, ["match.started", "match.abandoned"])
    game = Game(north)
    read_until_queued(1)
    [claimed] = claimed_until(1)
    north.backend.post(f"{game.path}/abandon", {"reason": "done"}).ok()
    wait_for_feed()
    return claimed


def add_while_settling(last: Claimed) -> None:
    """The next is read from the feed between the settling of the last and its commit, if anything lets it."""
    with held_open(lambda: claims.settle(last, SUCCEEDED)):
        fan_out.fan_out()


def settle_while_adding(last: Claimed) -> None:
    """The last is settled between the adding of the next and its commit, if anything lets it."""
    finished = threading.Event()

    def settle() -> None:
        try:
            claims.settle(last, SUCCEEDED)
        finally:
            finished.set()
            connection.close()

    thread = threading.Thread(target=settle)
    with held_open(lambda: fan_out.read_on(last.webhook_id)):
        thread.start()
        while not (finished.is_set() or someone_waits_for_a_lock()):
            pass
    thread.join()


def someone_waits_for_a_lock() -> bool:
    """Whether somebody in this database does."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() LIMIT 1"
        )
        return cursor.fetchone() is not None


RACES = [add_while_settling, settle_while_adding]


@pytest.mark.parametrize("race", RACES)
def test_what_is_added_as_its_queue_runs_empty_is_sent(last_of_queue: Claimed, race: Callable[[Claimed], None]) -> None:
    race(last_of_queue)
    read_until_queued(1)
    [following] = claimed_until(1)
    assert (following.match_id, following.kind) == (last_of_queue.match_id, "match.abandoned")


@pytest.mark.parametrize("race", RACES)
def test_without_the_lock_on_the_webhook_it_would_wait_for_ever(
    last_of_queue: Claimed, race: Callable[[Claimed], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "_LOCK", claims._LOCK.replace("FOR NO KEY UPDATE", ""))
    monkeypatch.setattr(fan_out, "_LOCK", fan_out._LOCK.replace("FOR NO KEY UPDATE SKIP LOCKED", ""))
    # Both write to the webhook as well, which would keep them apart a little later, and too late.
    monkeypatch.setattr(claims, "_SUCCEEDED", "SELECT %s::timestamptz, %s::uuid")
    monkeypatch.setattr(fan_out, "_MOVE", "SELECT %s::bigint, %s::bigint, %s::uuid")
    race(last_of_queue)
    assert waiting() == 1
    later(DAY)
    assert claims.claim(9) == []


# Pumps


def test_as_many_pumps_as_there_may_be(north: House, receiver: Receiver, settings: Settings) -> None:
    released = threading.Event()
    receiver.behaviour = says_nothing_until(released)
    hook(north, receiver, ["match.started"])
    Game(north)

    def work() -> int:
        while (attempts := pump.pump(seconds=120)) == 0:
            pass
        return attempts

    def second() -> int:
        receiver.wait_for(1)
        try:
            refused = pump.pump()
            settings.WEBHOOK_PUMPS = 2
            Game(north)
            while len(receiver.received) < 2:
                allowed = threading.Thread(target=_pump_and_close)
                allowed.start()
                receiver.wait_for(2)
        finally:
            released.set()
        allowed.join()
        return refused

    first, refused = together(work, second)
    assert (first >= 1, refused) == (True, 0)


def _pump_and_close() -> None:
    try:
        pump.pump(seconds=1)
    finally:
        connection.close()


def test_a_pump_that_died_is_replaced(north: House, receiver: Receiver) -> None:
    hook(north, receiver, ["match.started"])
    Game(north)
    read_until_queued(1)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO webhooks_pumpslot VALUES (0, %s, now() + interval '15 seconds')", [uuid4()])
    assert pump.pump() == 0
    later(pump.SLOT_SECONDS + 1)
    assert pump.pump() == 1


def test_a_pump_that_lost_its_slot_takes_on_nothing_more(
    north: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(north, receiver)
    Game(north)
    read_until_queued(2)
    monkeypatch.setattr(pump, "SLOT_SECONDS", 0.0)
    plain = sending.send

    def lose(*given: object) -> Attempt:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE webhooks_pumpslot SET holder = %s", [uuid4()])
        connection.close()
        return plain(*given)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(sending, "send", lose)
    assert pump.pump() == 1
    assert waiting() == 1


def test_a_message_that_cannot_be_composed_keeps_no_other_back(
    north: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = hook(north, receiver, ["match.started"])
    broken, fine = Game(north), Game(north)
    composed = payloads.composed

    def compose(**given: object) -> bytes:
        if given["match_id"] == broken.uuid:
            raise RuntimeError("a bug")
        return composed(**given)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(pump, "composed", compose)
    deliver_until(lambda: len(receiver.received) == 1)
    assert receiver.received[0].match == fine.id
    read_until_queued(1)
    [delivery] = [each for each in made.log() if each["match"] == broken.id]
    assert (delivery["status"], delivery["error"]) == ("waiting", "internal")
    assert "cannot be composed" in caplog.text


def test_a_match_that_is_no_longer_there_is_nobodys_fault(north: House, receiver: Receiver) -> None:
    made = hook(north, receiver, ["match.started"])
    Game(north)
    read_until_queued(1)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE webhooks_delivery SET match_id = %s", [UUID(int=1)])
    later(2 * DAY)
    deliver_until(lambda: waiting() == 0)
    seen = made.seen()
    assert (made.log()[0]["error"], seen["enabled"], seen["failing_since"]) == ("match_gone", True, None)
    assert receiver.received == []
