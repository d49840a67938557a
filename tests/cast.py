"""The cast, the same in every test, and matches for them to play at the engine's own door.

Four sit: amal, basim, carla, dina, in seats 0 to 3. salma watches, omar is a stranger, huda is a moderator.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar, cast

import pytest

from matches.engine import decide, evolve
from matches.engine.cards import DECK, SUITS, Card, Suit, Trump, cards_in
from matches.engine.commands import (
    SYSTEM,
    Actor,
    Command,
    CreateMatch,
    Deal,
    Double,
    NameTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayerAction,
    StartMatch,
    TakeSeat,
)
from matches.engine.errors import RuleViolation
from matches.engine.events import Event, Holdings
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.seats import Seat
from matches.engine.state import Auction, NamingTrump, Play, State, turn_of
from matches.engine.variants import rules_for

CAST = ("amal", "basim", "carla", "dina")
SALMA, OMAR, HUDA = "salma", "omar", "huda"

TENANT = Actor("tenant")
MODERATOR = Actor("moderator")

ANCHOR = "5a" * 32
SALT = "7e" * 16

Violation = TypeVar("Violation", bound=RuleViolation)


def player(seat: Seat | None) -> Actor:
    """The player in `seat`, or somebody who holds none."""
    return Actor("player", seat)


def clock(seat: Seat) -> Actor:
    """The clock, playing for `seat`."""
    return Actor("clock", seat)


def cards(text: str) -> tuple[Card, ...]:
    """`"AS KS"` as cards."""
    known = set(DECK)
    named = text.split()
    assert set(named) <= known, f"not cards: {sorted(set(named) - set(known))}"
    return tuple(cast("Card", name) for name in named)


def call(text: str) -> PlayerAction:
    """`"pass"`, `"double"`, `"9"` or, where suits are bid, `"9H"`."""
    if text == "pass":
        return Pass()
    if text == "double":
        return Double()
    digits = text.rstrip("CDHSNT")
    return PlaceBid(int(digits), cast("Trump", text[len(digits) :]) if digits != text else None)


def seats_from(dealer: Seat, rules: Rules) -> list[Seat]:
    """The seats in the order in which they are dealt to and speak, the dealer last (R-TAB-2)."""
    step = 1 if rules.direction == "counterclockwise" else -1
    return [(dealer + step * place) % 4 for place in (1, 2, 3, 4)]


def shuffled(seed: int) -> tuple[Card, ...]:
    """Some order of the deck, always the same for one seed."""
    return tuple(Random(seed).sample(DECK, 52))


def deck_for(holdings: Sequence[Sequence[Card]], dealer: Seat, rules: Rules) -> tuple[Card, ...]:
    """The deck that deals each seat these cards in this order (R-DEAL-2, read backwards)."""
    order = seats_from(dealer, rules)
    if rules.deal_style == "one_go":
        return tuple(card for seat in order for card in holdings[seat])
    return tuple(holdings[seat][turn] for turn in range(13) for seat in order)


def holdings_with(*wanted: str) -> Holdings:
    """Holdings that include the cards wanted for seat 0, 1, …; the rest is shared out in the deck's order."""
    dealt: list[list[Card]] = [list(cards(text)) for text in (*wanted, "", "", "", "")[:4]]
    spoken_for = {card for holding in dealt for card in holding}
    rest = (card for card in DECK if card not in spoken_for)
    for holding in dealt:
        while len(holding) < 13:
            holding.append(next(rest))
    return cast("Holdings", tuple(tuple(holding) for holding in dealt))


def whole_suits(order: Iterable[Suit] = SUITS) -> Holdings:
    """Each seat holds all of one suit, by default seat 0 clubs, 1 diamonds, 2 hearts, 3 spades.

    Whoever holds the trump suit takes every trick; with no trumps the declarer does.
    """
    return cast("Holdings", tuple(tuple(card for card in DECK if card[1] == suit) for suit in order))


class EngineMatch:
    """A match played through `decide` and `evolve`, with its log.

    `seated` players sit down; with all four, the match starts unless `started` is False.
    """

    def __init__(
        self,
        rules: Rules | str = "classic",
        *,
        room: Room | None = None,
        first_dealer: Seat = 0,
        seated: int = 4,
        started: bool = True,
    ) -> None:
        self.rules = rules_for(rules) if isinstance(rules, str) else rules
        self.events: list[Event] = []
        created = decide(None, TENANT, CreateMatch(self.rules, room or Room(), ANCHOR))
        self.events.extend(created)
        state = None
        for event in created:
            state = evolve(state, event)
        assert state is not None
        self.state: State = state
        for seat in range(seated):
            self.give(TENANT, TakeSeat(seat, CAST[seat], f"{seat}{seat}" * 32))
        if seated == 4 and started:
            self.give(SYSTEM, StartMatch(first_dealer))

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Have it decided and carried out."""
        events = decide(self.state, actor, command)
        for event in events:
            self.state = evolve(self.state, event)
        self.events.extend(events)
        return events

    def refused(self, broken: type[Violation], actor: Actor, command: Command) -> Violation:
        """The error, which must be exactly of this class. Nothing must have changed."""
        before = self.state
        with pytest.raises(RuleViolation) as refusal:
            decide(self.state, actor, command)
        assert type(refusal.value) is broken, f"{type(refusal.value).__name__}: {refusal.value}"
        assert self.state is before
        return refusal.value

    @property
    def turn(self) -> Seat:
        """Whose turn it is; somebody's it must be."""
        seat = turn_of(self.state)
        assert seat is not None
        return seat

    def deal(self, holdings: Holdings | None = None, *, seed: int = 0) -> tuple[Event, ...]:
        """Deal these holdings, or a deck by its seed."""
        dealer = self.state.table.dealer
        deck = shuffled(seed) if holdings is None else deck_for(holdings, dealer, self.rules)
        return self.give(SYSTEM, Deal(deck, SALT))

    def act(self, action: PlayerAction) -> tuple[Event, ...]:
        """The player whose turn it is does this."""
        return self.give(player(self.turn), action)

    def calls(self, *texts: str) -> tuple[Event, ...]:
        """Calls by whoever's turn it is; the events of the last."""
        events: tuple[Event, ...] = ()
        for text in texts:
            events = self.act(call(text))
        return events

    def name(self, trump: Trump) -> tuple[Event, ...]:
        """The declarer names the trump."""
        return self.act(NameTrump(trump))

    def play(self, text: str) -> tuple[Event, ...]:
        """Cards by whoever's turn it is; the events of the last."""
        events: tuple[Event, ...] = ()
        for card in cards(text):
            events = self.act(PlayCard(card))
        return events

    def holding(self, seat: Seat) -> tuple[Card, ...]:
        """What `seat` still holds."""
        assert isinstance(self.state, Auction | NamingTrump | Play)
        return cards_in(self.state.holdings[seat])

    def play_out(self) -> tuple[Event, ...]:
        """Play every trick left, each seat its lowest that follows suit or its lowest; the last card's events."""
        events: tuple[Event, ...] = ()
        while isinstance(self.state, Play):
            held = self.holding(self.turn)
            led = self.state.plays[0][1] if self.state.plays else None
            following = [card for card in held if card[1] == led]
            events = self.act(PlayCard((following or list(held))[0]))
        return events

    def hand_of(self, *, declarer: Seat, bid: int, trump: Trump, holdings: Holdings | None = None) -> tuple[Event, ...]:
        """Deal, let `declarer` alone bid, name `trump`, play out; the last card's events. Ascending auctions only."""
        self.deal(holdings if holdings is not None else whole_suits())
        while isinstance(self.state, Auction):
            assert len(self.state.calls) < 8, "an auction without end"
            self.act(PlaceBid(bid) if self.turn == declarer else Pass())
        self.name(trump)
        return self.play_out()
