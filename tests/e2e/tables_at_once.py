"""One match played over HTTP to its end, with everything that clients do wrong in between, all of it checked."""

import re
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from matches.engine.cards import DECK, RANKS
from matches.engine.events import CardPlayed, Event, HandDealt
from tests.cast import CAST, OMAR, SALMA
from tests.e2e.serving import Answer, Client

CARD = re.compile(rb'"([2-9TJQKA][CDHS])"')
DECK_AND_CALLS: list[dict[str, Any]] = [
    *({"type": "play", "card": card} for card in DECK),
    *({"type": "bid", "tricks": tricks} for tricks in (6, 7, 13, 14)),
    {"type": "pass"},
    {"type": "double"},
    {"type": "name_trump", "trump": "NT"},
]
WATCHERS = (0, 1, 2, 3, None)
"""The seats, and None for a spectator."""


class Sight(NamedTuple):
    """The cards that one answer named to one viewer, when the match stood at this version."""

    version: int
    seat: int | None
    cards: frozenset[str]
    what: str


@dataclass
class LiveTable:
    """A match in play. `name` makes its keys its own; `wild` is how often a client misbehaves, of 1."""

    client: Client
    name: str
    settings: dict[str, Any]
    random: Random
    wild: float = 0.25
    path: str = ""
    version: int = 0
    turn: int | None = None
    bid: bool = False
    favoured: int = 0
    legal: list[dict[str, Any]] = field(default_factory=list)
    holding: list[str] = field(default_factory=list)
    sights: list[Sight] = field(default_factory=list)
    kept: list[tuple[str, str, dict[str, Any], Answer]] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)

    @property
    def id(self) -> UUID:
        """The id of the match."""
        return UUID(self.path.rpartition("/")[2])

    @property
    def private(self) -> bool:
        """Whether spectators have no business here."""
        return bool(self.settings.get("visibility") == "private")

    def play_to_the_end(self) -> None:
        """Open it, play it, and send some of its actions again when it is over."""
        self.favoured = self.random.randrange(2)
        self.open()
        while self.turn is not None:
            self.step()
        for player, key, action, first in self.random.sample(self.kept, min(10, len(self.kept))):
            self.again(player, key, action, first)

    def open(self) -> None:
        """Open the match, twice with the same key."""
        body = {"players": list(CAST), "target": 31, **self.settings}
        first = self.ask("POST", "/api/v1/matches", body, key=f"{self.name} opens")
        assert first.status == 201, first.body
        again = self.ask("POST", "/api/v1/matches", body, key=f"{self.name} opens")
        assert (again.status, again.body) == (201, first.body)
        self.path = f"/api/v1/matches/{first.json['id']}"
        self.follow(first.json)
        self.everybody_looks()

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, **given: Any) -> Answer:
        """One request; no answer may be a server's error."""
        answer = self.client.ask(method, path, body, **given)
        assert answer.status < 500, f"{method} {path} {body}: {answer.status} {answer.body!r}"
        return answer

    def follow(self, match: dict[str, Any]) -> None:
        """Take in where the match stands."""
        self.version = match["version"]
        self.turn = match["turn"] and match["turn"]["seat"]
        self.bid = match["hand"] is not None and match["hand"]["highest_bid"] is not None

    def everybody_looks(self, but: int | None = -1) -> None:
        """Each seat and a spectator look at the match; `but` has seen it already."""
        for seat in WATCHERS:
            if seat == but:
                continue
            answer = self.ask("GET", self.path, player=SALMA if seat is None else CAST[seat])
            if seat is None and self.private:
                assert answer.status == 404
                continue
            assert answer.status == 200
            assert answer.headers["ETag"] == f'"{self.version}"'
            self.see(seat, answer.body, "view")
            if seat is not None and seat == self.turn:
                match = answer.json
                self.legal, self.holding = match["you"]["legal_actions"], match["you"]["holding"]

    def see(self, seat: int | None, body: bytes, what: str) -> None:
        """Remember which cards were named."""
        named = frozenset(card.decode() for card in CARD.findall(body))
        self.sights.append(Sight(self.version, seat, named, what))

    def step(self) -> None:
        """One action, and before it perhaps something that must be refused."""
        turn = self.turn
        assert turn is not None
        assert self.legal
        if self.random.random() < self.wild:
            self.misbehave(turn)
        action = self.choose(turn)
        player, key = CAST[turn], f"{self.name} {self.version}"
        condition = self.version if self.random.random() < 0.2 else None
        answer = self.ask("POST", f"{self.path}/actions", action, player=player, key=key, if_match=condition)
        assert answer.status == 201, f"{action}: {answer.body!r}"
        told = answer.json
        assert [event["version"] for event in told["events"]] == list(range(self.version + 1, told["version"] + 1))
        if condition is None:
            self.kept.append((player, key, action, answer))
        self.follow(told["match"])
        self.see(turn, answer.body, "answer")
        if self.random.random() < 0.1 and condition is None:
            self.again(player, key, action, answer)
        self.everybody_looks(but=turn if turn != self.turn else -1)

    def choose(self, turn: int) -> dict[str, Any]:
        """A legal action, by chance; chance favours one team a little, so that the match comes to its end."""
        at_random = self.random.choice(self.legal)
        favoured = turn % 2 == self.favoured
        if at_random["type"] == "name_trump":
            return max(self.legal, key=lambda action: sum(card[1] == action["trump"] for card in self.holding))
        if at_random["type"] == "play":
            if self.random.random() < 0.4:
                return at_random
            return (max if favoured else min)(self.legal, key=lambda action: RANKS.index(action["card"][0]))
        if self.random.random() < 0.02:
            return at_random
        passes = {"type": "pass"} in self.legal
        return self.legal[0] if not passes or (favoured and not self.bid) else {"type": "pass"}

    def again(self, player: str, key: str, action: dict[str, Any], first: Answer) -> None:
        """The same once more: the first answer, byte for byte, however far the match has come."""
        again = self.ask("POST", f"{self.path}/actions", action, player=player, key=key)
        assert (again.status, again.body) == (first.status, first.body)
        assert again.headers["Idempotency-Replayed"] == "true"

    def misbehave(self, turn: int) -> None:
        """Something that must be refused, and must not bring the match on."""
        kind = self.random.choice([self._out_of_turn, self._stale, self._illegal, self._stranger, self._other_body])
        answer = kind(turn)
        if answer is None:
            return
        code = answer.json["code"]
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert not CARD.findall(answer.body) or code in {"card_not_in_holding", "must_follow_suit"}, answer.body
        self.refusals[code] = self.refusals.get(code, 0) + 1

    def _out_of_turn(self, turn: int) -> Answer:
        seat = self.random.choice([seat for seat in range(4) if seat != turn])
        answer = self._act(CAST[seat], self.random.choice(self.legal))
        assert answer.json["code"] in {"not_your_turn", "already_passed"}, answer.body
        return answer

    def _stale(self, turn: int) -> Answer:
        answer = self._act(CAST[turn], self.legal[0], if_match=self.version - self.random.randint(1, 5))
        assert (answer.status, answer.json["current_version"]) == (412, self.version)
        return answer

    def _stranger(self, _turn: int) -> Answer:
        answer = self._act(OMAR, self.legal[0])
        assert answer.status == (404 if self.private else 403)
        return answer

    def _illegal(self, turn: int) -> Answer:
        action = self.random.choice([action for action in DECK_AND_CALLS if action not in self.legal])
        answer = self._act(CAST[turn], action)
        assert answer.status in {409, 422}, answer.body
        return answer

    def _other_body(self, _turn: int) -> Answer | None:
        if not self.kept:
            return None
        player, key, action, _ = self.random.choice(self.kept)
        answer = self._act(player, {**action, "type": "pass"} if action["type"] != "pass" else {"type": "double"}, key)
        assert (answer.status, answer.json["code"]) == (422, "idempotency_key_reused")
        return answer

    def _act(self, player: str, action: dict[str, Any], key: str | None = None, **given: Any) -> Answer:
        return self.ask("POST", f"{self.path}/actions", action, player=player, key=key, **given)


def check_sights(table: LiveTable, events: list[Event]) -> int:
    """Assert that nobody was ever shown a card that they may not know; how many cards were shown in all.

    A viewer may know the cards dealt to them in the hand that is on the table, and those played in it so far. An answer
    to an action may tell of the hand that the action ended as well.
    """
    known: list[tuple[HandDealt | None, frozenset[str], HandDealt | None, frozenset[str]]] = [(None, frozenset()) * 2]
    for event in events:
        dealt, played, before, played_before = known[-1]
        if isinstance(event, HandDealt):
            dealt, played, before, played_before = event, frozenset(), dealt, played
        elif isinstance(event, CardPlayed):
            played |= {event.card}
        known.append((dealt, played, before, played_before))
    shown = 0
    for sight in table.sights:
        dealt, played, before, played_before = known[sight.version]
        may_know = set(played)
        if sight.seat is not None and dealt is not None:
            may_know |= set(dealt.holdings[sight.seat])
        if sight.what == "answer" and isinstance(events[sight.version - 1], HandDealt) and before is not None:
            # The action was the last of the hand before: its own card is told.
            may_know |= played_before
        assert sight.cards <= may_know, f"{sight} may know {sorted(may_know)}"
        shown += len(sight.cards)
    return shown
