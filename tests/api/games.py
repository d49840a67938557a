"""Matches played over the API."""

from typing import Any
from uuid import UUID

import msgspec

from matches.engine.commands import PlayerAction
from tests.api.callers import Answer, Caller, House
from tests.cast import call


def body_of(action: PlayerAction) -> dict[str, Any]:
    """An action of the engine as the API takes it."""
    body: dict[str, Any] = msgspec.to_builtins(action)
    return body


class Game:
    """A match of the four, and whose turn it is."""

    def __init__(self, house: House, **body: Any) -> None:
        self.house = house
        opened = house.open_match(**body)
        self.id: str = opened["id"]
        self.version: int = opened["version"]
        self.turn: int | None = opened["turn"]["seat"]

    @property
    def uuid(self) -> UUID:
        """The id of the match."""
        return UUID(self.id)

    @property
    def path(self) -> str:
        """Its address below /api/v1/."""
        return f"matches/{self.id}"

    @property
    def next_up(self) -> Caller:
        """The player whose turn it is."""
        assert self.turn is not None, "nobody is to act"
        return self.house.four[self.turn]

    def act(self, action: dict[str, Any], **given: Any) -> Answer:
        """The player whose turn it is does this, which must be accepted."""
        answer = self.next_up.act(self.id, action, **given)
        match = answer.ok(201)["match"]
        self.version = match["version"]
        self.turn = match["turn"] and match["turn"]["seat"]
        return answer

    def call(self, *texts: str) -> "Game":
        """Calls by whoever's turn it is: `"9"`, `"9H"`, `"pass"`, `"double"`."""
        for text in texts:
            self.act(body_of(call(text)))
        return self

    def name(self, trump: str) -> "Game":
        """The declarer names the trump."""
        self.act({"type": "name_trump", "trump": trump})
        return self

    def play(self, text: str) -> "Game":
        """Cards by whoever's turn it is."""
        for card in text.split():
            self.act({"type": "play", "card": card})
        return self

    def legal(self) -> list[dict[str, Any]]:
        """What the player whose turn it is may do."""
        actions: list[dict[str, Any]] = self.next_up.see(self.id)["you"]["legal_actions"]
        return actions

    def play_out(self, hands: int | None = None) -> "Game":
        """The first legal action, again and again, until so many hands are scored, or to the end of the match.

        The first legal call is a bid until somebody holds one; then all pass.
        """
        while self.turn is not None:
            seen = self.next_up.see(self.id)
            if hands is not None and seen["hand"]["number"] > hands:
                break
            actions = seen["you"]["legal_actions"]
            passing = {"type": "pass"} in actions and seen["hand"]["highest_bid"] is not None
            self.act({"type": "pass"} if passing else actions[0])
        return self
