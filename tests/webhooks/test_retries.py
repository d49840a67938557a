"""Failing receivers: tried again with growing pauses for a day, then disabled, and enabled again by an update."""

import logging

import pytest

from matches.webhooks import claims
from matches.webhooks.attempts import Attempt, delay_before_next
from tests.api.callers import House
from tests.api.games import Game
from tests.webhooks.hooks import (
    DAY,
    FAILED,
    HOUR,
    SUCCEEDED,
    Hook,
    claimed_until,
    deliver_until,
    hook,
    later,
    pump_all,
    read_until_queued,
    seconds_to_next_try,
    waiting,
)
from tests.webhooks.receiver import Receiver, says


@pytest.fixture
def made(north: House, receiver: Receiver) -> Hook:
    """A webhook that wants to hear of starts."""
    return hook(north, receiver, ["match.started"])


def attempts(receiver: Receiver, count: int) -> None:
    """Deliver until the receiver has seen so many attempts."""
    deliver_until(lambda: len(receiver.received) >= count)
    assert len(receiver.received) == count


def fail_for_a_day(receiver: Receiver) -> None:
    """Let the receiver fail, hour after hour, until everything has been tried for a day."""
    receiver.behaviour = says(500, b"out of order")
    attempts(receiver, len(receiver.received) + 1)
    for _ in range(24):
        later(HOUR)
        pump_all()


# Pauses


def test_pauses_grow_from_seconds_to_hours_and_fill_a_day() -> None:
    longest = [delay_before_next(n, None).total_seconds() / 0.8 for n in range(1, 30)]
    shortest = [pause * 0.8 / 1.2 for pause in longest]
    assert all(4 <= first <= 7.5 for first in (shortest[0] * 1.2, longest[0] * 0.8))
    assert all(pause <= 7200 * 1.5 for pause in longest)
    total = sum(min(5 * 3**n, 7200) for n in range(19))
    assert DAY < total < 1.1 * DAY


def test_pauses_differ_so_that_not_all_come_back_at_once() -> None:
    pauses = {delay_before_next(6, None).total_seconds() for _ in range(50)}
    assert len(pauses) > 10
    assert all(0.8 * 1215 <= pause <= 1.2 * 1215 for pause in pauses)


@pytest.mark.parametrize(("wish", "least", "most"), [(600.0, 600, 600), (1.0, 4, 6), (10**8, 3600, 3600)])
def test_a_receivers_wish_lengthens_a_pause_within_reason(wish: float, least: float, most: float) -> None:
    assert least <= delay_before_next(1, wish).total_seconds() <= most


def test_each_failure_is_written_down_and_tried_again(made: Hook, receiver: Receiver) -> None:
    receiver.behaviour = says(503, b"later, please", Retry_After="900")
    Game(made.house)
    attempts(receiver, 1)
    [delivery] = made.log()
    assert (delivery["status"], delivery["attempts"]) == ("waiting", 1)
    assert (delivery["error"], delivery["response_status"]) == ("refused", 503)
    assert delivery["response_body"] == "later, please"
    assert 800 < seconds_to_next_try(delivery) <= 900
    seen = made.seen()
    assert (seen["enabled"], seen["waiting"], seen["last_success_at"]) == (True, 1, None)
    assert seen["failing_since"] == seen["last_failure_at"] is not None

    later(HOUR)
    receiver.behaviour = says(200, b"thank you")
    attempts(receiver, 2)
    [delivery] = made.log()
    assert (delivery["status"], delivery["attempts"], delivery["error"]) == ("delivered", 2, None)
    assert delivery["response_body"] == "thank you"
    seen = made.seen()
    assert (seen["failing_since"], seen["waiting"]) == (None, 0)
    assert seen["last_success_at"] is not None


# After a day


def test_after_a_day_without_any_success_a_webhook_is_disabled_and_says_so(
    made: Hook, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "matches.webhooks")
    Game(made.house)
    fail_for_a_day(receiver)
    deliver_until(lambda: not made.seen()["enabled"])
    tries = len(receiver.received)
    assert tries > 10
    seen = made.seen()
    assert seen["disabled"]["reason"] == "failing"
    assert [each["disabled"] for each in made.house.backend.get("webhooks").ok()["webhooks"]] == [seen["disabled"]]
    assert f"webhook {made.id} disabled: failing" in caplog.text
    [delivery] = made.log()
    assert (delivery["status"], delivery["attempts"], delivery["next_try_at"]) == ("failed", tries, None)

    # Nothing is sent any more, and nothing is queued.
    Game(made.house)
    later(DAY)
    pump_all()
    assert (len(receiver.received), waiting()) == (tries, 0)


def test_the_last_try_is_made_a_day_after_the_first(made: Hook, receiver: Receiver) -> None:
    receiver.behaviour = says(500)
    Game(made.house)
    attempts(receiver, 1)
    later(DAY - 600)
    attempts(receiver, 2)
    assert 0 < seconds_to_next_try(made.log()[0]) <= 600
    later(600)
    attempts(receiver, 3)
    assert made.log()[0]["status"] == "failed"


def test_one_message_that_a_receiver_cannot_digest_does_not_take_the_webhook_down(
    north: House, receiver: Receiver
) -> None:
    made = hook(north, receiver)
    poisoned, fine = Game(north), Game(north)
    receiver.choose = lambda received: says(500) if received.match == poisoned.id and received.version == 6 else None
    deliver_until(lambda: waiting() == 2)
    later(DAY - 1)
    fine.call("7")
    deliver_until(lambda: made.statuses()["delivered"] == 3)
    later(2)
    deliver_until(lambda: waiting() == 0)
    assert made.seen()["enabled"]
    # It is given up, and what waited for it is sent.
    assert made.statuses() == {"failed": 1, "delivered": 4}
    assert [version for match, version, _ in receiver.seen() if match == poisoned.id][-1] == 7


def test_a_receiver_that_says_gone_is_not_asked_again(made: Hook, receiver: Receiver) -> None:
    receiver.behaviour = says(410)
    Game(made.house)
    attempts(receiver, 1)
    assert made.seen()["disabled"]["reason"] == "gone"
    assert made.log()[0]["status"] == "failed"


# Enabled again


def test_an_update_enables_it_and_it_goes_on_from_where_it_stopped(north: House, receiver: Receiver) -> None:
    made = hook(north, receiver)
    game = Game(north)
    fail_for_a_day(receiver)
    deliver_until(lambda: not made.seen()["enabled"])
    game.call("7", "8")
    before = len(receiver.received)
    receiver.behaviour = says(200)
    seen = made.change(enabled=True)
    assert (seen["enabled"], seen["disabled"], seen["failing_since"]) == (True, None, None)
    deliver_until(lambda: len(receiver.received) >= before + 3 and waiting() == 0)
    # All but the one that was given up.
    assert [version for _, version, _ in receiver.seen()[before:]] == [7, 8, 9]


def test_what_waits_has_a_new_day_once_it_is_enabled(north: House, receiver: Receiver) -> None:
    made = hook(north, receiver)
    Game(north)
    fail_for_a_day(receiver)
    deliver_until(lambda: not made.seen()["enabled"])
    made.change(enabled=True)
    before = len(receiver.received)
    attempts(receiver, before + 1)
    assert made.seen()["enabled"]
    assert 4 <= seconds_to_next_try(made.log(status="waiting")[0]) <= 6


def test_a_tenant_can_stop_and_start_it(made: Hook, receiver: Receiver) -> None:
    seen = made.change(enabled=False)
    assert (seen["enabled"], seen["disabled"]["reason"]) == (False, "by_tenant")
    Game(made.house)
    later(HOUR)
    pump_all()
    assert (receiver.received, waiting()) == ([], 0)
    made.change(enabled=True)
    attempts(receiver, 1)


def test_a_delivery_under_way_when_it_was_stopped_goes_on_with_the_rest(north: House, receiver: Receiver) -> None:
    made = hook(north, receiver)
    Game(north)
    read_until_queued(2)
    [claimed] = claimed_until(1)
    made.change(enabled=False)
    claims.settle(claimed, FAILED)
    assert claims.claim(9) == []
    later(DAY)
    assert claims.claim(9) == []
    made.change(enabled=True)
    attempts(receiver, 2)
    assert [version for _, version, _ in receiver.seen()] == [6, 7]


def test_a_delivery_that_arrived_while_it_was_stopped_lets_the_next_begin_afterwards(
    north: House, receiver: Receiver
) -> None:
    made = hook(north, receiver)
    Game(north)
    read_until_queued(2)
    [claimed] = claimed_until(1)
    made.change(enabled=False)
    claims.settle(claimed, SUCCEEDED)
    assert claims.claim(9) == []
    made.change(enabled=True)
    attempts(receiver, 1)
    assert receiver.seen()[0][1] == 7


def test_a_new_address_is_tried_at_once(made: Hook, receiver: Receiver) -> None:
    receiver.behaviour = says(500)
    Game(made.house)
    attempts(receiver, 1)
    seen = made.change(url=receiver.url + "/moved")
    assert seen["failing_since"] is None
    receiver.behaviour = says(200)
    attempts(receiver, 2)
    assert receiver.received[1].path == "/hook/moved"
    assert receiver.received[0].id == receiver.received[1].id


def test_what_waits_for_its_next_try_is_tried_at_once_when_the_receiver_works_again(
    north: House, receiver: Receiver
) -> None:
    made = hook(north, receiver, ["match.started"])
    games = [Game(north) for _ in range(4)]
    read_until_queued(4)
    for _ in range(4):
        # One at a time once it fails: it takes no other's place.
        found = claims.claim(9)
        for claimed in found:
            claims.settle(claimed, Attempt("refused", 503, "", wish_seconds=3600.0))
    later(120)
    [first] = made.log()[:1]
    made.house.backend.post(f"{made.path}/deliveries/{first['id']}/redeliver").ok(202)
    deliver_until(lambda: waiting() == 0)
    assert {match for match, _, _ in receiver.seen()} == {game.id for game in games}
