"""What arrives: everything wanted, signed, each match in its order, whatever receivers do."""

import threading
from collections import defaultdict
from typing import Any

import jsonschema_rs
import pytest
from django.db import connection
from standardwebhooks import WebhookVerificationError

from matches.webhooks import pump
from tests.api.callers import House
from tests.api.contract import document
from tests.api.games import Game
from tests.webhooks.hooks import HOUR, deliver_until, hook, later, read_until_queued, waiting
from tests.webhooks.receiver import Receiver, hangs_up, never_ends, says, says_nothing_until


def all_sent(receiver: Receiver, count: int) -> None:
    """Deliver until the receiver has got so many, and nothing is left."""
    deliver_until(lambda: len(receiver.received) >= count and waiting() == 0)
    assert len(receiver.received) == count


def all_events(game: Game) -> list[dict[str, Any]]:
    """Every event of the match: a long one has more than a page."""
    events: list[dict[str, Any]] = []
    while True:
        page = game.house.backend.get(f"{game.path}/events?limit=1000&after={len(events)}").ok()["events"]
        if not page:
            return events
        events += page


def expected(game: Game) -> list[tuple[str, int, str]]:
    """What a webhook that wants everything is told of this match, worked out from its events."""
    events = all_events(game)
    told = []
    for event, following in zip(events, [*events[1:], None], strict=True):
        kind = {
            "match_started": "match.started",
            "hand_scored": "hand.scored",
            "match_won": "match.completed",
            "match_abandoned": "match.abandoned",
            "match_voided": "match.voided",
            "hand_dealt": "turn.started",
            "bid_placed": "turn.started",
            "passed": "turn.started",
            "doubled": "turn.started",
            "trump_named": "turn.started",
            "card_played": "turn.started",
        }.get(event["type"])
        if kind == "turn.started" and following and following["type"] in {"hand_scored", "hand_thrown_in"}:
            kind = None
        if kind is not None:
            told.append((game.id, event["version"], kind))
    return told


@pytest.mark.slow
def test_a_whole_match_is_told_in_order_once_each(north: House, receiver: Receiver) -> None:
    made = hook(north, receiver)
    game = Game(north, target=31).play_out()
    told = expected(game)
    assert len(told) > 100
    all_sent(receiver, len(told))
    assert receiver.seen() == told
    assert {kind for _, _, kind in told} == {"match.started", "turn.started", "hand.scored", "match.completed"}
    assert len({received.id for received in receiver.received}) == len(told)
    assert made.statuses() == {"delivered": len(told)}


def test_what_a_message_says(north: House, receiver: Receiver) -> None:
    made = hook(north, receiver)
    game = Game(north, turn_seconds=30)
    game.call("8", "pass", "pass", "pass").name("H")
    all_sent(receiver, 7)
    for received in receiver.received:
        message = received.verified(made.secret)
        event = north.backend.get(f"{game.path}/events?after={received.version - 1}&limit=1").ok()["events"][0]
        assert message["timestamp"] == event["recorded_at"]
        schema = {"$ref": "#/components/schemas/HookMessage", "components": document()["components"]}
        jsonschema_rs.Draft202012Validator(schema, validate_formats=True).validate(message)
        assert message["data"]["event"] == event
        assert message["data"]["details"] is None
        assert message["data"]["match"] == game.id
    seen = north.backend.see(game.id)
    last = receiver.received[-1].data
    for same in ("version", "status", "variant", "totals", "result"):
        assert last[same] == seen[same], same
    assert last["hand"] == seen["hand"]["number"]
    assert last["target"] == seen["rules"]["target"]
    players = [seat["player"] for seat in seen["seats"]]
    assert last["seats"] == [{"seat": n, "player": player, "team": n % 2} for n, player in enumerate(players)]
    turn = seen["turn"]
    assert last["turn"] == {
        "seat": turn["seat"], "player": players[turn["seat"]], "since": turn["since"], "deadline": turn["deadline"],
    }  # fmt: skip
    assert last["turn"]["deadline"] is not None


@pytest.mark.slow
def test_the_end_of_a_match(north: House, receiver: Receiver) -> None:
    hook(north, receiver, ["match.completed", "hand.scored"])
    game = Game(north, target=31).play_out()
    scored = len([each for each in expected(game) if each[2] == "hand.scored"])
    all_sent(receiver, scored + 1)
    last = receiver.received[-1]
    assert last.type == "match.completed"
    assert last.data["result"] == north.backend.see(game.id)["result"]
    assert (last.data["turn"], last.data["status"]) == (None, "completed")
    sheet = north.backend.get(f"{game.path}/sheet").ok()["rows"]
    assert [received.data["event"]["data"]["points"] for received in receiver.received[:-1]] == [
        row["points"] for row in sheet
    ]


def test_an_abandoned_match(north: House, receiver: Receiver) -> None:
    hook(north, receiver, ["match.abandoned"])
    game = Game(north)
    north.backend.post(f"{game.path}/abandon", {"reason": "the lights went out"}).ok()
    all_sent(receiver, 1)
    assert receiver.received[0].data["event"]["data"] == {"reason": "the lights went out"}
    assert receiver.received[0].data["result"]["reason"] == "the lights went out"


@pytest.mark.parametrize("wanted", [["match.started"], ["hand.scored", "match.abandoned"], ["player.absent"]])
def test_only_what_is_wanted_is_sent(north: House, receiver: Receiver, wanted: list[str]) -> None:
    made = hook(north, receiver, wanted)
    everything = hook(north, receiver.url + "/all")
    game = Game(north).call("8", "pass", "pass", "pass")
    north.backend.post(f"{game.path}/abandon", {"reason": "done"}).ok()
    told = expected(game)
    deliver_until(lambda: everything.statuses() == {"delivered": len(told)})
    assert [delivery["type"] for delivery in made.log()] == [kind for _, _, kind in told if kind in wanted]


def test_nothing_of_the_time_before_the_webhook_and_nothing_of_other_tenants(
    north: House, south: House, receiver: Receiver
) -> None:
    before = Game(north)
    before.call("8")
    hook(north, receiver)
    foreign = Game(south)
    game = Game(north)
    before.call("9")
    foreign.call("8")
    all_sent(receiver, 3)
    assert sorted(receiver.seen()) == sorted([*expected(game), *expected(before)[-1:]])


def test_every_webhook_of_a_tenant_is_told(north: House, receiver: Receiver) -> None:
    hooks = [hook(north, f"{receiver.url}/{number}") for number in range(3)]
    game = Game(north)
    all_sent(receiver, 6)
    for number, made in enumerate(hooks):
        own = [each for each in receiver.received if each.path == f"/hook/{number}"]
        assert [(each.match, each.version, each.type) for each in own] == expected(game)
        for each in own:
            each.verified(made.secret)
            with pytest.raises(WebhookVerificationError):
                each.verified(hooks[number - 1].secret)


# Order


def test_a_matchs_next_delivery_waits_for_the_one_before_and_no_other_match_does(
    north: House, receiver: Receiver
) -> None:
    hook(north, receiver)
    stuck, free = Game(north), Game(north)
    receiver.choose = lambda received: says(500) if received.match == stuck.id and received.version == 7 else None
    for _ in range(3):
        stuck.call("pass")
        free.call("pass")
    deliver_until(lambda: len([each for each in receiver.received if each.match == free.id]) == 5)
    seen = [each for each in receiver.seen() if each[0] == stuck.id]
    assert seen == expected(stuck)[:2]
    assert [each for each in receiver.seen() if each[0] == free.id] == expected(free)

    receiver.choose = lambda _: None
    later(HOUR)
    all_sent(receiver, 5 + 6)
    seen = [each for each in receiver.seen() if each[0] == stuck.id]
    assert seen == [*expected(stuck)[:2], *expected(stuck)[1:]]


def test_a_retry_is_the_same_message_under_the_same_id(north: House, receiver: Receiver) -> None:
    made = hook(north, receiver, ["match.started"])
    receiver.next_answers.extend([says(500), hangs_up, says(302, Location="/elsewhere")])
    Game(north)
    for attempts in (1, 2, 3, 4):
        deliver_until(lambda count=attempts: len(receiver.received) == count)  # type: ignore[misc]  # mypy does not infer a default
        later(HOUR)
    assert len({received.id for received in receiver.received}) == 1
    assert len({received.body for received in receiver.received}) == 1
    [delivery] = made.log()
    assert delivery["id"] == receiver.received[0].id
    assert (delivery["status"], delivery["attempts"], delivery["response_status"]) == ("delivered", 4, 200)
    for received in receiver.received:
        received.verified(made.secret)


def test_a_redelivered_message_comes_behind_what_waits(north: House, receiver: Receiver) -> None:
    made = hook(north, receiver)
    game = Game(north)
    all_sent(receiver, 2)
    first = made.log()[0]
    receiver.next_answers.append(says(500))
    game.call("8")
    game.call("pass")
    deliver_until(lambda: len(receiver.received) == 3)
    again = north.backend.post(f"{made.path}/deliveries/{first['id']}/redeliver").ok(202)
    assert (again["status"], again["attempts"], again["next_try_at"]) == ("waiting", 0, None)
    later(HOUR)
    all_sent(receiver, 6)
    versions = [version for _, version, _ in receiver.seen()]
    assert versions == [6, 7, 8, 8, 9, 6]
    assert receiver.received[-1].id == first["id"]
    assert receiver.received[-1].body == receiver.received[0].body


# Slow and endless receivers


def test_a_slow_receiver_keeps_no_other_waiting(north: House, south: House, receiver: Receiver) -> None:
    """Sixty deliveries to one that does not answer, one to another: it arrives while the sixty are under way."""
    released, slow = threading.Event(), Receiver()
    slow.behaviour = says_nothing_until(released)
    try:
        hook(north, slow, ["match.started"])
        for _ in range(20):
            Game(north)
        read_until_queued(20)
        pumping = threading.Thread(target=_pump_in_thread)
        pumping.start()
        slow.wait_for(8)
        hook(south, receiver, ["match.started"])
        Game(south)
        receiver.wait_for(1)
        assert len(slow.received) == 8
    finally:
        released.set()
        pumping.join()
        slow.close()


def _pump_in_thread() -> None:
    try:
        pump.pump(seconds=120)
    finally:
        connection.close()


def test_an_endless_receiver_has_got_its_message(north: House, receiver: Receiver) -> None:
    receiver.behaviour = never_ends(200)
    made = hook(north, receiver, ["match.started"])
    Game(north)
    deliver_until(lambda: made.statuses() == {"delivered": 1})
    assert made.log()[0]["response_body"] == "x" * 1024


# Messages cannot be told apart by what must not be known


def test_no_message_names_a_card_that_is_not_on_the_table(north: House, receiver: Receiver) -> None:
    hook(north, receiver)
    game = Game(north, target=31).play_out(hands=1)
    all_sent(receiver, len(expected(game)))
    played: set[str] = set()
    for received in receiver.received:
        event = received.data["event"]
        if event["type"] == "hand_dealt":
            played = set()
        if event["type"] == "card_played":
            played.add(event["data"]["card"])
        assert cards_named(received.json) <= played, received.body


def cards_named(value: Any) -> set[str]:
    """Every card that is named anywhere in this JSON."""
    if isinstance(value, str):
        return {value} if len(value) == 2 and value[0] in "AKQJT98765432" and value[1] in "CDHS" else set()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*(cards_named(each) for each in inner))


def test_an_erased_players_name_is_in_no_later_attempt(north: House, receiver: Receiver) -> None:
    from matches import names
    from tarneeb_service.access import services as access

    hook(north, receiver, ["match.started"])
    receiver.next_answers.append(says(500))
    Game(north)
    deliver_until(lambda: len(receiver.received) == 1)
    ref = access.known_player(tenant_id=north.tenant.id, external_id="amal")
    assert ref is not None
    access.erase_player(ref=ref)
    names.forget()
    later(HOUR)
    all_sent(receiver, 2)
    first, second = (received.body for received in receiver.received)
    assert b"amal" in first
    assert b"amal" not in second
    with connection.cursor() as cursor:
        cursor.execute("SELECT d::text FROM webhooks_delivery d")
        assert "amal" not in str(cursor.fetchall())


def test_each_match_of_many_played_at_once_is_told_in_its_own_order(north: House, receiver: Receiver) -> None:
    hook(north, receiver)
    games = [Game(north) for _ in range(12)]
    for text in ("7", "8", "9", "pass"):
        for game in games:
            game.call(text)
    fails = iter(range(10_000))
    receiver.choose = lambda _: says(500) if next(fails) % 5 == 0 else None
    while waiting() or len({each.id for each in receiver.received}) < 12 * 6:
        pump.pump()
        later(HOUR)
    by_match: dict[str, list[int]] = defaultdict(list)
    for match, version, _ in receiver.seen():
        if version not in by_match[match]:
            by_match[match].append(version)
        # Only the last one may come again: what follows it has not been sent yet.
        assert by_match[match][-1] == version
    assert all(versions == [6, 7, 8, 9, 10, 11] for versions in by_match.values())
    assert len(by_match) == 12
