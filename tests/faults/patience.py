"""Players who do not give up: what is not answered is asked after, and sent again under its key until it is."""

import threading
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import quote

from tests.cast import CAST
from tests.e2e.serving import Answer, Client, Unanswered

PATIENCE_SECONDS = 180
PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Acknowledged:
    """One action, its key, and the answer that said it was accepted."""

    player: str
    key: str
    action: dict[str, Any]
    answer: Answer

    @property
    def version(self) -> int:
        """The version that the answer told of."""
        version: int = self.answer.json["version"]
        return version


@dataclass
class PatientTable:
    """A match played over HTTP while servers die. All that it was told is kept, to be held against what is there."""

    client: Client
    name: str
    random: Random
    path: str = ""
    turn: int | None = None
    acknowledged: list[Acknowledged] = field(default_factory=list)
    lost: int = 0
    """Requests that were not answered, or only with 503."""
    applied_unseen: int = 0
    """How many actions a look-up then found to have been carried out."""

    def open(self) -> None:
        """Open the match of the four."""
        body = {"players": list(CAST), "target": 31}
        answer = self.patiently("POST", "/api/v1/matches", body, key=f"{self.name} opens")
        assert answer.status == 201, answer.body
        self.path = f"/api/v1/matches/{answer.json['id']}"
        self.turn = answer.json["turn"]["seat"]

    def play_to_the_end(self) -> None:
        """Until somebody has won."""
        while self.turn is not None:
            self.step()

    def step(self) -> None:
        """One action, whatever it takes."""
        assert self.turn is not None
        player = CAST[self.turn]
        seen = self.patiently("GET", self.path, player=player).json
        action = self.choose(seen)
        key = f"{self.name} {seen['version']}"
        answer = self.settle(player, key, action)
        assert answer.status == 201, answer.body
        assert answer.json["version"] > seen["version"]
        self.acknowledged.append(Acknowledged(player, key, action, answer))
        turn = answer.json["match"]["turn"]
        self.turn = turn and turn["seat"]

    def choose(self, seen: dict[str, Any]) -> dict[str, Any]:
        """A legal action by chance; seven is bid and then all pass."""
        legal: list[dict[str, Any]] = seen["you"]["legal_actions"]
        if {"type": "pass"} in legal:
            return legal[0] if seen["hand"]["highest_bid"] is None else {"type": "pass"}
        return self.random.choice(legal)

    def settle(self, player: str, key: str, action: dict[str, Any]) -> Answer:
        """Send an action until it is answered. After each loss it is looked up: it was carried out, or it was not."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        found: Answer | None = None
        while True:
            answer = self.once("POST", f"{self.path}/actions", action, player=player, key=key)
            if answer is not None:
                assert found is None or answer.body == found.body, "what was carried out is answered otherwise"
                return answer
            assert time.monotonic() < deadline, "nobody answers any more"
            told = self.patiently("GET", f"{self.path}/actions/{quote(key)}", player=player)
            assert told.status in {201, 404}, told.body
            assert found is None or told.status == 201, "what was carried out is not there any more"
            if told.status == 201 and found is None:
                self.applied_unseen += 1
                found = told

    def patiently(self, method: str, path: str, body: dict[str, Any] | None = None, **given: Any) -> Answer:
        """A request that may be sent as often as it takes."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (answer := self.once(method, path, body, **given)) is None:
            assert time.monotonic() < deadline, "nobody answers any more"
            time.sleep(PAUSE_SECONDS)
        return answer

    def once(self, method: str, path: str, body: dict[str, Any] | None = None, **given: Any) -> Answer | None:
        """One request; None where it was not answered, or told to come again."""
        try:
            answer = self.client.ask(method, path, body, **given)
        except Unanswered:
            self.lost += 1
            return None
        if answer.status == 503:
            assert answer.json["code"] == "unavailable"
            assert int(answer.headers["Retry-After"]) >= 1
            self.lost += 1
            return None
        assert answer.status < 500, f"{method} {path}: {answer.status} {answer.body!r}"
        return answer


class Progress:
    """Lets somebody wait until the tables have come further."""

    def __init__(self, tables: list[PatientTable]) -> None:
        self.tables = tables
        self.broken = threading.Event()

    @property
    def count(self) -> int:
        """How many actions have been acknowledged, in all."""
        return sum(len(table.acknowledged) for table in self.tables)

    def wait_for(self, more: int) -> None:
        """Come back after so many more acknowledged actions."""
        goal = self.count + more
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.count < goal and any(table.turn is not None for table in self.tables):
            assert time.monotonic() < deadline, f"{self.count} of {goal} actions"
            assert not self.broken.is_set(), "a table has broken up"
            time.sleep(PAUSE_SECONDS)

    def run(self, table: PatientTable) -> None:
        """Play a table to its end, and say so if it breaks up."""
        try:
            table.play_to_the_end()
        except BaseException:
            self.broken.set()
            raise
