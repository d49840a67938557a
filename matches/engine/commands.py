"""What can be asked of a match. Chance and time enter here, as plain values: the engine makes neither.

A command says nothing about who gives it; that is the `Actor` beside it.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from matches.engine.cards import Card, Trump
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.seats import Seat

ActorKind: TypeAlias = Literal["player", "clock", "moderator", "tenant", "system"]


class Actor(Struct, frozen=True, gc=False):
    """Who gives a command. A player and the clock that plays for one have a seat, the others none.

    Taking a seat is the exception: a player who asks for one has none yet.
    """

    kind: ActorKind
    seat: Seat | None = None


SYSTEM = Actor("system")


# Before the first deal


class CreateMatch(Struct, frozen=True, gc=False):
    """Open a match. `anchor` commits to every deal to come: the end of a hash chain of secrets, in hex."""

    rules: Rules
    room: Room
    anchor: str
    previous_match: str | None = None


class TakeSeat(Struct, frozen=True, gc=False):
    """Seat a player. `player` is the random reference, never the tenant's own id; `entropy` a SHA-256 in hex."""

    seat: Seat
    player: str
    entropy: str | None = None


class LeaveSeat(Struct, frozen=True, gc=False):
    """Give the seat up before the start."""

    seat: Seat


class StartMatch(Struct, frozen=True, gc=False):
    """Begin, with the first dealer that chance chose (R-DEAL-1)."""

    first_dealer: Seat


class Deal(Struct, frozen=True, gc=False):
    """Deal this shuffled deck, first card first (R-DEAL-2).

    `salt` (hex) goes into the event and so into its published hash, which would otherwise let a patient reader try out
    the cards that it covers.
    """

    deck: tuple[Card, ...]
    salt: str


# Calls and plays: these are also the bodies that the API takes and the legal actions that it offers


class PlayerActionBase(Struct, frozen=True, gc=False, tag_field="type", omit_defaults=True, forbid_unknown_fields=True):
    """What a seated player can do on their turn. The tag is the `type` of the API."""


class PlaceBid(PlayerActionBase, frozen=True, tag="bid"):
    """Bid a number of tricks, with its suit where suits are bid."""

    tricks: int
    trump: Trump | None = None


class Pass(PlayerActionBase, frozen=True, tag="pass"):
    """Pass."""


class Double(PlayerActionBase, frozen=True, tag="double"):
    """Double the opponents' standing bid."""


class NameTrump(PlayerActionBase, frozen=True, tag="name_trump"):
    """Name the trump suit, or none, after winning the auction."""

    trump: Trump


class PlayCard(PlayerActionBase, frozen=True, tag="play"):
    """Play a card to the trick."""

    card: Card


# Around the game


class ReplacePlayer(Struct, frozen=True, gc=False):
    """Put another player into a seat while the match is played."""

    seat: Seat
    player: str


class AbandonMatch(Struct, frozen=True, gc=False):
    """End the match without a winner."""

    reason: str


class VoidMatch(Struct, frozen=True, gc=False):
    """A moderator's decision: the match counts for nothing, whatever came of it."""

    reason: str


class AdjustScore(Struct, frozen=True, gc=False):
    """A moderator's decision: add these points, one figure a team, to the totals of a match that was played out."""

    points: tuple[int, int]
    reason: str


PlayerAction: TypeAlias = PlaceBid | Pass | Double | NameTrump | PlayCard
"""What a seated player can do on their turn, and the clock for them."""

Command: TypeAlias = (
    CreateMatch
    | TakeSeat
    | LeaveSeat
    | StartMatch
    | Deal
    | PlayerAction
    | ReplacePlayer
    | AbandonMatch
    | VoidMatch
    | AdjustScore
)
