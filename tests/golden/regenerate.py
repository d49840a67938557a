"""Write the golden files anew.

`python -m tests.golden.regenerate views` records what is made of the streams as they are: run it when the shape of a
view was meant to change, and say so in the commit. `python -m tests.golden.regenerate streams` plays new matches over
the old ones: logs in production do not change, so there is hardly ever a reason to.
"""

import hashlib
import sys
from collections.abc import Callable
from random import Random

from matches.engine import VARIANTS, autoplay, decide, evolve, legal_actions, rules_for, turn_of
from matches.engine.commands import (
    SYSTEM,
    AbandonMatch,
    Actor,
    AdjustScore,
    Command,
    CreateMatch,
    Deal,
    LeaveSeat,
    Pass,
    PlayerAction,
    ReplacePlayer,
    StartMatch,
    TakeSeat,
    VoidMatch,
)
from matches.engine.dealing import anchor_of, first_dealer, nth_secret, salt_for, shuffled_deck
from matches.engine.events import Event
from matches.engine.room import Room
from matches.engine.state import Auction, Dealing, Over, Play, State
from tests.cast import CAST, MODERATOR, OMAR, SALMA, TENANT, player
from tests.golden import records

BOLD_HANDS = 0.3


def seed_of(name: str) -> bytes:
    """The seed of the match's chain of secrets."""
    return hashlib.sha256(f"golden {name}".encode()).digest()


class Recording:
    """A match played by a fixed seed through `decide`, with everything in it that can happen in its variant."""

    def __init__(self, name: str, variant: str) -> None:
        self.name, self.seed = name, seed_of(name)
        self.random = Random(f"golden {name}")
        self.events: list[Event] = []
        self.state: State | None = None
        self.bold = False
        room = Room(turn_seconds=30, visibility="public", spectator_delay_seconds=60)
        self.give(TENANT, CreateMatch(rules_for(variant), room, anchor_of(self.seed), "an-earlier-match"))

    def now(self) -> State:
        assert self.state is not None
        return self.state

    def give(self, actor: Actor, command: Command) -> None:
        for event in decide(self.state, actor, command):
            self.state = evolve(self.state, event)
            self.events.append(event)

    def sit_down(self) -> None:
        """salma sits for a while where basim will; carla adds nothing to the shuffle."""
        self.give(player(None), TakeSeat(1, SALMA, "5e" * 32))
        self.give(player(1), LeaveSeat(1))
        for seat in (2, 0, 1, 3):
            self.give(TENANT, TakeSeat(seat, CAST[seat], None if seat == 2 else f"{seat}e" * 32))
        entropies = self.now().table.entropies
        self.give(SYSTEM, StartMatch(first_dealer(nth_secret(self.seed, 0), match=self.name, entropies=entropies)))

    def deal(self) -> None:
        table = self.now().table
        k = table.deals + 1
        secret = nth_secret(self.seed, k)
        deck = shuffled_deck(secret, match=self.name, deal=k, entropies=table.entropies)
        self.give(SYSTEM, Deal(deck, salt_for(secret, match=self.name, deal=k)))
        self.bold = self.random.random() < BOLD_HANDS

    def act(self) -> None:
        state = self.now()
        seat = turn_of(state)
        assert seat is not None
        options = legal_actions(state, seat)
        if self.throwing_in(options):
            self.give(player(seat), Pass())
        elif self.bold or (isinstance(state, Play) and self.random.random() < 0.5):
            self.give(player(seat), self.random.choice(options))
        else:
            self.give(Actor("clock", seat), autoplay(state))

    def throwing_in(self, options: tuple[PlayerAction, ...]) -> bool:
        """The first deal of a match is thrown in wherever everybody may pass."""
        state = self.now()
        return isinstance(state, Auction) and state.table.deals == 1 and state.highest is None and Pass() in options

    def play_on(self, until: Callable[[State], bool]) -> None:
        while not until(self.now()):
            if isinstance(self.state, Dealing):
                self.deal()
            else:
                self.act()

    def play(self) -> list[Event]:
        """From the first seat to the last word."""
        self.sit_down()
        self.play_on(lambda state: isinstance(state, Play) and state.table.hand == 2)
        self.give(TENANT, ReplacePlayer(2, OMAR))
        if self.name == "abandoned":
            self.play_on(lambda state: isinstance(state, Play) and len(state.plays) == 2)
            self.give(TENANT, AbandonMatch("nobody came back"))
        self.play_on(lambda state: isinstance(state, Over))
        if self.name == "eram":
            self.give(MODERATOR, AdjustScore((-5, 2), "a card was seen"))
        if self.name == "lebanese":
            self.give(MODERATOR, VoidMatch("signals between partners"))
        return self.events


def main() -> None:
    """What to write is the one argument."""
    wanted = sys.argv[1:]
    if wanted == ["streams"]:
        for name in (*VARIANTS, "abandoned"):
            variant = "classic" if name == "abandoned" else name
            records.write_lines(name, Recording(name, variant).play())
    elif wanted != ["views"]:
        sys.exit(__doc__)
    for name in records.names():
        records.write_summary(name, [records.from_line(line) for line in records.read_lines(name)])


if __name__ == "__main__":
    main()
