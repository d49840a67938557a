"""The shapes in which a match is shown, those of the API: what `visibility.py` fills in and nothing else does.

Seat lists are indexed by seat, team lists by team. `msgspec.json.encode` writes each as the API sends it.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from matches.engine.cards import Card, Trump
from matches.engine.commands import PlayerAction
from matches.engine.events import Points
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.seats import Seat, Team

Status: TypeAlias = Literal["waiting", "playing", "completed", "abandoned", "voided"]
HandPhase: TypeAlias = Literal["auction", "naming_trump", "play"]


class SeatViewer(Struct, frozen=True, gc=False):
    """Whoever holds this seat: sees their own cards."""

    seat: Seat


class Spectator(Struct, frozen=True, gc=False):
    """Anybody else: sees what lies on the table."""


class Auditor(Struct, frozen=True, gc=False):
    """A moderator, who sees all cards of the first `open_deals` deals of the match, throw-ins counted, and no more."""

    open_deals: int


Viewer: TypeAlias = SeatViewer | Spectator | Auditor


class CallView(Struct, frozen=True, gc=False, omit_defaults=True):
    """A call; only a bid has `tricks`, and `trump` only where suits are bid."""

    seat: Seat
    type: Literal["bid", "pass", "double"]
    tricks: int | None = None
    trump: Trump | None = None


class BidView(Struct, frozen=True, gc=False):
    """The bid that stands."""

    seat: Seat
    tricks: int
    trump: Trump | None


class ContractView(Struct, frozen=True, gc=False):
    """The winning bid with its trump."""

    declarer: Seat
    tricks: int
    trump: Trump
    doubled: bool


class PlayView(Struct, frozen=True, gc=False):
    """A card on the table and who played it."""

    seat: Seat
    card: Card


class TrickView(Struct, frozen=True, gc=False):
    """The trick being played, `number` from 1, `plays` in order from the leader on."""

    number: int
    leader: Seat
    plays: tuple[PlayView, ...]


class LastTrickView(Struct, frozen=True, gc=False):
    """The trick before."""

    number: int
    leader: Seat
    plays: tuple[PlayView, ...]
    winner: Seat


class HandView(Struct, frozen=True, gc=False):
    """The hand on the table; between two hands and after the match, how the last one stood.

    `trick` is None outside the play and once all thirteen are played.
    """

    number: int
    deal: int
    dealer: Seat
    phase: HandPhase
    calls: tuple[CallView, ...]
    highest_bid: BidView | None
    doubled_by: Seat | None
    contract: ContractView | None = None
    trick: TrickView | None = None
    last_trick: LastTrickView | None = None
    tricks_won: tuple[int, int] = (0, 0)


class OwnView(Struct, frozen=True, gc=False):
    """What a seated viewer alone sees: the cards still held, clubs to spades, low to high, and what they may do."""

    seat: Seat
    holding: tuple[Card, ...]
    legal_actions: tuple[PlayerAction, ...]


class ResultView(Struct, frozen=True, gc=False):
    """How the match ended. `reason` is `target` for a match played out; see `state.Over`."""

    winner: Team | None
    reason: str
    totals: Points


class MatchView(Struct, frozen=True, gc=False, omit_defaults=True):
    """A match as one viewer may see it. `players` are random references, None for an empty seat.

    `holdings`, the cards still held by each seat, is there only for an auditor to whom the deal is open.
    """

    status: Status
    rules: Rules
    room: Room
    players: tuple[str | None, str | None, str | None, str | None]
    totals: Points
    cards_left: tuple[int, int, int, int]
    hand: HandView | None
    turn_seat: Seat | None
    you: OwnView | None
    result: ResultView | None
    previous_match: str | None
    holdings: tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]] | None = None
