"""Where a match stands: one class per phase, so that no field exists that its phase cannot have.

waiting → (dealing → auction → naming trump → play → dealing)* → over. All are frozen; `evolve` makes the next one.

Each class carries its phase as a msgspec tag, so that a state can be kept as a snapshot and read back as a `State`.
States hold everybody's cards: what may be shown of them is for `visibility` to say, and nothing else encodes one for
the outside.
"""

from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct

from matches.engine.cards import Card, CardSet, Trump
from matches.engine.events import Points
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.seats import Seat, Team

HoldingSets: TypeAlias = tuple[CardSet, CardSet, CardSet, CardSet]
"""The cards still held by each seat, seat 0 first."""

CallType: TypeAlias = Literal["bid", "pass", "double"]


class Table(Struct, frozen=True, gc=False):
    """What outlasts a hand. `players` and `entropies` are indexed by seat, `totals` by team.

    `hand` is the number of the hand being dealt or played, from 1 (0 before the start); `deal` the deal within that
    hand, from 1 (0 before it); `deals` all deals of the match so far, which chooses the secret of the next one.
    `dealer` means nothing before the start.
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


class Waiting(Struct, frozen=True, gc=False, tag_field="phase", tag="waiting"):
    """Some seats are still empty, or the match has not been started."""

    phase: ClassVar[str] = "waiting"
    table: Table


class Dealing(Struct, frozen=True, gc=False, tag_field="phase", tag="dealing"):
    """A deal by `table.dealer` comes next. `scored` is the hand just played, None at the start and after a throw-in."""

    phase: ClassVar[str] = "dealing"
    table: Table
    scored: "Play | None" = None


class Auction(Struct, frozen=True, gc=False, tag_field="phase", tag="auction"):
    """`turn` is the seat to call, `highest` the bid that stands, `doubled_by` who doubled it.

    `quiet` counts the calls since that bid, or since the start. Four of them and no bid: the hand is due to be thrown
    in, and nobody is to call any more.
    """

    phase: ClassVar[str] = "auction"
    table: Table
    holdings: HoldingSets
    calls: tuple[Call, ...]
    turn: Seat
    highest: Call | None
    doubled_by: Seat | None
    quiet: int


class NamingTrump(Struct, frozen=True, gc=False, tag_field="phase", tag="naming_trump"):
    """The declarer, who holds the highest bid, is to name the trump suit."""

    phase: ClassVar[str] = "naming_trump"
    table: Table
    holdings: HoldingSets
    calls: tuple[Call, ...]
    turn: Seat
    highest: Call


class Play(Struct, frozen=True, gc=False, tag_field="phase", tag="play"):
    """`plays` are the cards of the trick on the table, from `leader` on; `tricks_won` is by team.

    After 52 cards the hand is due to be scored, and nobody is to play any more.

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


class Over(Struct, frozen=True, gc=False, tag_field="phase", tag="over"):
    """The end. `last` is the phase in which it came, for the cards and tricks that were on the table.

    `reason` is `target` for a match played out, `score_adjusted` once a moderator has changed its score, and else what
    was given with the command that ended it. `winner` is None unless the match is completed.
    """

    phase: ClassVar[str] = "over"
    table: Table
    status: Literal["completed", "abandoned", "voided"]
    reason: str
    winner: Team | None
    last: "Waiting | Dealing | Auction | NamingTrump | Play"


HandInPlay: TypeAlias = Auction | NamingTrump | Play
State: TypeAlias = Waiting | Dealing | Auction | NamingTrump | Play | Over


def turn_of(state: State) -> Seat | None:
    """The one seat that is to act, or None where a deal is awaited, or players, or nothing any more."""
    match state:
        case Play():
            return state.turn if state.holdings[state.turn] else None
        case NamingTrump():
            return state.turn
        case Auction():
            return None if state.highest is None and state.quiet == 4 else state.turn
        case Waiting() | Dealing() | Over():
            return None
