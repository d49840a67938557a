"""The shapes of what the API answers, as they are encoded. Filled by the selectors only."""

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from matches.engine.room import Visibility
from matches.engine.rules import Rules
from matches.engine.views import HandView, OwnView, ResultView, Status


class SeatAnswer(Struct, frozen=True):
    """One seat. `player` is the tenant's own id, null while the seat is free."""

    seat: int
    player: str | None
    team: int
    connected: bool
    absent: bool
    cards_left: int


class TurnAnswer(Struct, frozen=True):
    """Whose turn it is. `deadline` and `seconds_left` are null without a clock."""

    seat: int
    since: datetime
    deadline: datetime | None
    seconds_left: float | None


class MatchAnswer(Struct, frozen=True):
    """A match as its viewer may see it (`GET /matches/{id}`)."""

    id: UUID
    status: Status
    version: int
    variant: str
    rules: Rules
    turn_seconds: int | None
    visibility: Visibility
    auto_rematch: bool
    spectator_delay_seconds: int
    deal_anchor: str
    seats: tuple[SeatAnswer, ...]
    totals: tuple[int, int]
    hand: HandView | None
    turn: TurnAnswer | None
    server_now: datetime
    you: OwnView | None
    result: ResultView | None
    previous_match: str | None
    next_match: UUID | None


class EventAnswer(Struct, frozen=True):
    """One event as its viewer may see it. `by` is player, clock, moderator, tenant or system."""

    version: int
    type: str
    seat: int | None
    by: str
    recorded_at: datetime
    data: dict[str, Any]


class EventsAnswer(Struct, frozen=True):
    """A page of events; `version` is the newest that this viewer may know of."""

    events: list[EventAnswer]
    version: int


class MomentAnswer(Struct, frozen=True):
    """An event and the match as it left it."""

    match: MatchAnswer
    event: EventAnswer


class StreamedEvent(Struct, frozen=True):
    """One event on a stream: as in a match's events, with whose turn it is then and what the viewer may do."""

    version: int
    type: str
    seat: int | None
    by: str
    recorded_at: datetime
    data: dict[str, Any]
    turn: TurnAnswer | None
    you: OwnView | None
    server_now: datetime


class FeedEvent(Struct, frozen=True):
    """One event of the feed: as in a match's events, with the match that it belongs to."""

    match: UUID
    version: int
    type: str
    seat: int | None
    by: str
    recorded_at: datetime
    data: dict[str, Any]


class FeedPage(Struct, frozen=True):
    """What happened next in all matches of a tenant. `next_cursor` is where to go on, now or later; `more` says that
    there is more to be had at once.
    """

    events: list[FeedEvent]
    next_cursor: str
    more: bool


class ReceiptAnswer(Struct, frozen=True):
    """What the service recorded: the version and hash of the command's last event."""

    version: int
    hash: str
    recorded_at: datetime
    key_id: str | None = None
    signature: str | None = None


class ActionAnswer(Struct, frozen=True):
    """The answer to an action: what it did, at the moment it was recorded. `match` is left out by late look-ups."""

    version: int
    events: list[EventAnswer]
    receipt: ReceiptAnswer
    match: MatchAnswer | UnsetType = UNSET


class SheetTeam(Struct, frozen=True):
    """A team's paper line and debt, and its signed total: `line - debt == signed` (R-SHT-2)."""

    line: int
    debt: int
    signed: int


class SheetRow(Struct, frozen=True):
    """One scored hand; the lists are by team."""

    hand: int
    declarer_team: int
    bid: int
    won: int
    doubled: bool
    points: tuple[int, int]
    entries: tuple[int, int]
    lines: tuple[int, int]
    debts: tuple[int, int]


class SheetAnswer(Struct, frozen=True):
    """The paper sheet and the signed ledger beside it."""

    teams: tuple[SheetTeam, SheetTeam]
    rows: list[SheetRow]
    version: int


class ListedSeat(Struct, frozen=True):
    """One taken seat of a listed match."""

    seat: int
    player: str
    team: int


class ListedMatch(Struct, frozen=True):
    """A match as lists show it. What a spectator of a delayed room may not know yet is null."""

    id: UUID
    status: str
    version: int | None
    variant: str
    target: int
    visibility: str
    turn_seconds: int | None
    seats: list[ListedSeat]
    hand: int | None
    totals: tuple[int, int] | None
    turn: TurnAnswer | None
    result: ResultView | None
    previous_match: UUID | None
    next_match: UUID | None
    created_at: datetime
    ended_at: datetime | None


class MatchPage(Struct, frozen=True):
    """A page of matches, newest first. `next_cursor` is null on the last."""

    matches: list[ListedMatch]
    next_cursor: str | None
