"""Where a match stands: one class per phase, so that no field exists that its phase cannot have.

waiting → (dealing → auction → naming trump → play → dealing)* → over. All are frozen; `evolve` makes the next one.
"""

from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct

from matches.engine.cards import Card, CardSet, Trump
from matches.engine.room import Room
from matches.engine.events import Points
from matches.engine.rules import Rules
from matches.engine.seats import Seat, Team

HoldingSets: TypeAlias = tuple[CardSet, CardSet, CardSet, CardSet]
"""The cards still held by each seat, seat 0 first."""

CallType: TypeAlias = Literal["bid", "pass", "double"]


class Table(Struct, frozen=True, gc=False):
    """What outlasts a hand. `players` and `entropies` are indexed by seat, `totals` by team.

    `hand` is the number of the hand being dealt or played, from 1 (0 before the start); `deal` the deal within that hand,
    from 1 (0 before it); `deals` all deals of the match so far, which chooses the secret of the next one.
    """

    rules: Rules
    room: Room
    anchor: str
    previous_match: str | None
    players: tuple[str | None, str | None, str | None, str | None]
    entropies: tuple[str | None, str | None, str | None, str | None]
    totals: Points
    hand: int
    deal: int
    deals: int
    dealer: Seat


class Call(Struct, frozen=True, gc=False):
    """One call of the auction, in order. `tricks` and `trump` are a bid's; `trump` only where suits are bid."""

    seat: Seat
    type: CallType
    tricks: int | None = None
    trump: Trump | None = None


class Contract(Struct, frozen=True, gc=False):
    """The winning bid with its trump."""

    declarer: Seat
    tricks: int
    trump: Trump
    doubled: bool


class Trick(Struct, frozen=True, gc=False):
    """A finished trick: the cards in the order of play, from the leader on."""

    leader: Seat
    plays: tuple[Card, Card, Card, Card]
    winner: Seat


class Waiting(Struct, frozen=True, gc=False):
    """Some seats are still empty, or the match has not been started."""

    phase: ClassVar[str] = "waiting"
    table: Table


class Dealing(Struct, frozen=True, gc=False):
    """The next thing is a deal by `table.dealer`. `scored` is the hand just played, None at the start or after a throw-in."""

    phase: ClassVar[str] = "dealing"
    table: Table
    scored: "Play | None" = None


class Auction(Struct, frozen=True, gc=False):
    """`highest` is the last bid standing; `passed` the seats out of an ascending auction; `quiet` counts the calls since that bid.

    `turn` is the seat to call. `doubled_by` is who doubled the standing bid.
    """

    phase: ClassVar[str] = "auction"
    table: Table
    holdings: HoldingSets
    calls: tuple[Call, ...]
    turn: Seat
    highest: Call | None
    doubled_by: Seat | None
    quiet: int


class NamingTrump(Struct, frozen=True, gc=False):
    """The declarer, who holds the highest bid, is to name the trump suit."""

    phase: ClassVar[str] = "naming_trump"
    table: Table
    holdings: HoldingSets
    calls: tuple[Call, ...]
    turn: Seat
    highest: Call


class Play(Struct, frozen=True, gc=False):
    """`plays` are the cards of the trick on the table, from `leader` on; `tricks_won` by team; after 52 cards `scored` is due.

    `trump_mask` and `step` repeat the contract's trump and the direction in the form in which every card needs them.
    """

    phase: ClassVar[str] = "play"
    table: Table
    holdings: HoldingSets
    calls: tuple[Call, ...]
    contract: Contract
    trump_mask: CardSet
    step: int
    turn: Seat
    leader: Seat
    plays: tuple[Card, ...]
    tricks_won: tuple[int, int]
    last_trick: Trick | None


class Over(Struct, frozen=True, gc=False):
    """The end. `last` is the phase in which it came, for the cards and tricks that were on the table."""

    phase: ClassVar[str] = "over"
    table: Table
    status: Literal["completed", "abandoned", "voided"]
    reason: str
    winner: Team | None
    last: "Waiting | Dealing | Auction | NamingTrump | Play"


HandInPlay: TypeAlias = Auction | NamingTrump | Play
State: TypeAlias = Waiting | Dealing | Auction | NamingTrump | Play | Over
