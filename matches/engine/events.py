"""What has happened in a match, in the past tense. The log stores these for ever: see `codec.py` before changing one.

Every event is whole in itself: the fold needs nothing that is not in an event. Trick winners are not stored, they
follow from the cards. `hand_scored` and `match_won` follow too, but stand in the log beside the card that caused them,
and the fold checks them against its own reckoning.
"""

from typing import TypeAlias

from msgspec import Struct

from matches.engine.cards import Card, Trump
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.seats import Seat, Team

Holdings: TypeAlias = tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]
"""Thirteen cards for each seat, seat 0 first, in the order in which they were dealt."""

Points: TypeAlias = tuple[int, int]
"""One figure a team, team 0 first."""


class MatchCreated(Struct, frozen=True, gc=False):
    rules: Rules
    room: Room
    anchor: str
    previous_match: str | None = None


class SeatTaken(Struct, frozen=True, gc=False):
    seat: Seat
    player: str
    entropy: str | None = None


class SeatLeft(Struct, frozen=True, gc=False):
    seat: Seat
    player: str


class MatchStarted(Struct, frozen=True, gc=False):
    first_dealer: Seat


class HandDealt(Struct, frozen=True, gc=False):
    """`hand` counts hands from 1; `deal` counts the deals of that hand from 1, more than one after a throw-in."""

    hand: int
    deal: int
    dealer: Seat
    holdings: Holdings
    salt: str


class BidPlaced(Struct, frozen=True, gc=False):
    seat: Seat
    tricks: int
    trump: Trump | None = None


class Passed(Struct, frozen=True, gc=False):
    seat: Seat


class Doubled(Struct, frozen=True, gc=False):
    seat: Seat


class HandThrownIn(Struct, frozen=True, gc=False):
    hand: int
    deal: int


class TrumpNamed(Struct, frozen=True, gc=False):
    seat: Seat
    trump: Trump


class CardPlayed(Struct, frozen=True, gc=False):
    seat: Seat
    card: Card


class HandScored(Struct, frozen=True, gc=False):
    """`won` is the tricks of the declarer's team; `points` each team's gain or cost, `totals` what they come to."""

    hand: int
    declarer: Seat
    bid: int
    won: int
    doubled: bool
    points: Points
    totals: Points


class MatchWon(Struct, frozen=True, gc=False):
    winner: Team
    totals: Points


class PlayerReplaced(Struct, frozen=True, gc=False):
    seat: Seat
    player: str
    replaced: str


class MatchAbandoned(Struct, frozen=True, gc=False):
    reason: str


class MatchVoided(Struct, frozen=True, gc=False):
    reason: str


class ScoreAdjusted(Struct, frozen=True, gc=False):
    """`winner` is who wins by the adjusted totals, or None if neither team's reaches the target any more."""

    points: Points
    totals: Points
    winner: Team | None
    reason: str


Event: TypeAlias = (
    MatchCreated
    | SeatTaken
    | SeatLeft
    | MatchStarted
    | HandDealt
    | BidPlaced
    | Passed
    | Doubled
    | HandThrownIn
    | TrumpNamed
    | CardPlayed
    | HandScored
    | MatchWon
    | PlayerReplaced
    | MatchAbandoned
    | MatchVoided
    | ScoreAdjusted
)
