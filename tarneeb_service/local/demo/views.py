"""What the API answers, as far as the demo reads it. Fields that it does not name are let through unread."""

from typing import Any

from msgspec import Struct, field, to_builtins


class Action(Struct, frozen=True, omit_defaults=True):
    """A call, the naming of trump or a play: an entry of `legal_actions`, and the body of `POST …/actions`."""

    type: str
    tricks: int | None = None
    trump: str | None = None
    card: str | None = None

    def body(self) -> dict[str, Any]:
        """The JSON object to send."""
        body: dict[str, Any] = to_builtins(self)
        return body


class Bid(Struct, frozen=True):
    """The highest bid. `trump` only where suits are bid."""

    seat: int
    tricks: int
    trump: str | None = None


class Call(Struct, frozen=True):
    """One call of the auction."""

    seat: int
    type: str
    tricks: int | None = None
    trump: str | None = None


class Contract(Struct, frozen=True):
    """The winning bid with its trump."""

    declarer: int
    tricks: int
    trump: str
    doubled: bool = False


class PlayedCard(Struct, frozen=True):
    """A card on the table."""

    seat: int
    card: str


class Trick(Struct, frozen=True):
    """A trick, `plays` in the order of play. `winner` once it is full."""

    number: int = 0
    leader: int | None = None
    plays: tuple[PlayedCard, ...] = ()
    winner: int | None = None


class Hand(Struct, frozen=True):
    """The hand in play."""

    phase: str
    number: int = 0
    dealer: int = 0
    calls: tuple[Call, ...] = ()
    highest_bid: Bid | None = None
    doubled_by: int | None = None
    contract: Contract | None = None
    trick: Trick | None = None
    last_trick: Trick | None = None


class Turn(Struct, frozen=True):
    """Whose turn it is."""

    seat: int


class You(Struct, frozen=True):
    """The viewer's own seat, cards and choices."""

    seat: int
    holding: tuple[str, ...] = ()
    legal_actions: tuple[Action, ...] = ()


class RulesInPlay(Struct, frozen=True):
    """The knobs that a player needs to know."""

    target: int = 31
    auction: str = "ascending"


class Result(Struct, frozen=True):
    """How the match ended. `winner` is a team."""

    winner: int | None = None
    reason: str = ""
    totals: tuple[int, int] = (0, 0)


class MatchView(Struct, frozen=True):
    """A match as one viewer may see it."""

    id: str
    status: str
    version: int
    variant: str = ""
    rules: RulesInPlay = RulesInPlay()
    totals: tuple[int, int] = (0, 0)
    hand: Hand | None = None
    turn: Turn | None = None
    you: You | None = None
    result: Result | None = None


class Event(Struct, frozen=True):
    """One event of the match as one viewer may see it."""

    version: int
    type: str
    seat: int | None = None
    data: dict[str, Any] = field(default_factory=dict)


class EventPage(Struct, frozen=True):
    """A stretch of the log; `version` is how far the whole log goes."""

    events: tuple[Event, ...]
    version: int


class ActionAnswer(Struct, frozen=True):
    """What an accepted action led to."""

    version: int
    events: tuple[Event, ...]
    match: MatchView


class TeamLine(Struct, frozen=True):
    """Where a team stands on the paper sheet: `line - debt` is the signed total."""

    line: int
    debt: int
    signed: int


class SheetRow(Struct, frozen=True):
    """One scored hand. Pairs are indexed by team."""

    hand: int
    declarer_team: int
    bid: int
    won: int
    entries: tuple[int, int]
    lines: tuple[int, int]
    debts: tuple[int, int]
    doubled: bool = False


class Sheet(Struct, frozen=True):
    """The paper sheet of the match."""

    teams: tuple[TeamLine, TeamLine]
    rows: tuple[SheetRow, ...] = ()
