"""The examples in the OpenAPI document are what the service answers, but for ids, times and hashes.

After a change that is meant, `REWRITE_EXAMPLES=1 pytest tests/api/test_examples.py` writes them anew.
"""

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from matches.api.openapi import EXAMPLES
from matches.webhooks import claims
from matches.webhooks.attempts import Attempt
from tests.api.callers import Answer, Caller, House
from tests.api.conftest import Chance
from tests.api.contract import document
from tests.api.games import Game
from tests.cast import CAST, SALMA, holdings_with
from tests.webhooks.hooks import claimed_until, read_until_queued, wait_for_feed

HOLDINGS = (
    "AC KC QC JC 2H 3H 4H 5H 6D 7D 8D 9D TD",
    "2D 3D 4D 5D TC 9C 8C 7C 6C 6H 7H 8H 9H",
    "AH KH QH JH TH AS KS QS JS TS AD KD QD",
    "3S 4S 2S 5S 6S 7S 8S 9S JD 2C 3C 4C 5C",
)
SETTLED = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "0198c0de-5a1d-7f00-8000-7a2e9eb0ca4d"),
    (r"\d{4}-\d\d-\d\dT(\d\d):\d\d:\d\d\.\d{6}Z", "2026-01-31T18:30:00.123456Z"),
    (r"\b[0-9a-f]{64}\b", "5e" * 32),
    (r'"seconds_left": [0-9.]+', '"seconds_left": 21.4'),
    (r"whsec_[A-Za-z0-9+/=]+", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="),
    (r'"next_cursor": "[^"]+"', '"next_cursor": "IjAxOThjMGRlLTVhMWQtN2YwMC04MDAwLTdhMmU5ZWIwY2E0ZCI"'),
)


def settled(value: Any) -> Any:
    """The same with ids, times and hashes that are always the same."""
    text = json.dumps(value, ensure_ascii=False)
    for pattern, instead in SETTLED:
        text = re.sub(pattern, instead, text)
    return json.loads(text)


class Told:
    """Requests and answers by the name of their operation."""

    def __init__(self) -> None:
        self.examples: dict[str, dict[str, Any]] = {}

    def keep(self, name: str, answer: Answer, request: object = None) -> None:
        """Keep an answer, which must be a success, as the example."""
        assert answer.status in {200, 201, 202}, answer.body
        self.examples[name] = {"request": request, "answer": settled(answer.json)}


@pytest.fixture
def told(north: House, chance: Chance) -> dict[str, dict[str, Any]]:
    """An example of every operation, from one short evening."""
    chance.holdings = holdings_with(*HOLDINGS)
    told, amal = Told(), north.player("amal")

    body: dict[str, Any] = {"variant": "classic", "target": 41, "turn_seconds": 30, "players": ["amal", "basim", None]}
    opened = north.backend.post("matches", body)
    told.keep("create_match", opened, body)
    seats = f"matches/{opened.json['id']}/seats"
    body = {"player": "carla", "entropy": "any text"}
    told.keep("take_seat", north.player("carla").put(f"{seats}/2", body), body)
    told.keep("leave_seat", north.player("carla").delete(f"{seats}/2"))

    game = Game(north, turn_seconds=30)
    body = {"type": "bid", "tricks": 9}
    game.call("pass", "8")
    told.keep("submit_action", game.act(body, key="k-1"), body)
    told.keep("look_up_action", north.player("carla").get(f"{game.path}/actions/k-1"))
    told.keep("list_events", amal.get(f"{game.path}/events?after=6"))
    game.call("pass", "pass").name("H").play("AH 3S 2H 6H KH 4S")
    told.keep("get_match", amal.get(game.path))
    told.keep("stream_match", streamed(amal, game))
    body = {"player": SALMA}
    told.keep("substitute_player", north.backend.put(f"{game.path}/seats/3/substitute", body), body)
    body = {"reason": "the table broke up"}
    told.keep("abandon_match", north.backend.post(f"{game.path}/abandon", body), body)
    told.keep("list_matches", north.backend.get("matches?limit=1"))

    played = Game(north).call("pass", "8", "9", "pass", "pass").name("S").play_out(hands=1)
    told.keep("get_sheet", amal.get(f"{played.path}/sheet"))
    tell_of_webhooks(told, north)
    return told.examples


def streamed(caller: Caller, game: Game) -> Answer:
    """The beginning of a stream that goes on after the last event but one."""
    response = Client().get(
        f"/api/v1/{game.path}/stream",
        headers={"Authorization": f"Bearer {caller.token}", "X-Player": "amal", "Last-Event-ID": str(game.version - 1)},
    )
    pieces: Iterator[bytes] = iter(response)
    text = next(pieces) + next(pieces)
    response.close()
    return Answer(response.status_code, response.headers, json.dumps(text.decode()).encode())


def tell_of_webhooks(told: Told, north: House) -> None:
    """The examples of webhooks and of the feed."""
    body: dict[str, Any] = {"url": "https://backend.example/tarneeb", "events": ["match.started", "match.completed"]}
    made = north.backend.post("webhooks", body)
    told.keep("create_webhook", made, body)
    path = f"webhooks/{made.json['id']}"
    game = Game(north, turn_seconds=30)
    read_until_queued(1)
    [claimed] = claimed_until(1)
    claims.settle(claimed, Attempt(None, 200, "thank you", None, 48))
    told.keep("list_webhooks", north.backend.get("webhooks"))
    told.keep("get_webhook", north.backend.get(path))
    told.keep("list_deliveries", north.backend.get(f"{path}/deliveries"))
    told.keep("redeliver", north.backend.post(f"{path}/deliveries/{claimed.id}/redeliver"))
    told.keep("rotate_webhook_secret", north.backend.post(f"{path}/secret"))
    body = body | {"events": ["turn.started"]}
    told.keep("replace_webhook", north.backend.put(path, body), body)
    body = {"enabled": False}
    told.keep("change_webhook", north.backend.ask("PATCH", path, body), body)

    wait_for_feed()
    feed = north.backend.get("events?limit=1000")
    events = [event for event in feed.json["events"] if event["match"] == game.id]
    shown = {"events": events[4:], "next_cursor": feed.json["next_cursor"], "more": feed.json["more"]}
    told.keep("read_feed", Answer(200, feed.headers, json.dumps(shown).encode()))


def test_every_example_is_what_the_service_answers(told: dict[str, dict[str, Any]]) -> None:
    if os.environ.get("REWRITE_EXAMPLES"):
        for name, example in told.items():
            text = json.dumps(example, ensure_ascii=False, indent=1)
            (EXAMPLES / f"{name}.json").write_text(text + "\n")
    kept = {path.stem: json.loads(path.read_text()) for path in EXAMPLES.glob("*.json")}
    assert set(kept) == set(told)
    for name, example in told.items():
        assert kept[name] == example, name


def test_every_operation_has_an_example() -> None:
    operations = {operation["operationId"] for item in document()["paths"].values() for operation in item.values()}
    assert operations - {"delete_webhook"} == {path.stem for path in EXAMPLES.glob("*.json")}


def test_the_cast_of_the_examples_is_the_cast() -> None:
    text = "".join(path.read_text() for path in EXAMPLES.glob("*.json"))
    assert all(f'"{name}"' in text for name in CAST)
