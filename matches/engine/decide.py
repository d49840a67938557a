"""Whether a command may be carried out, and what happens if it is.

`decide` is a function of its arguments alone. It gives all events of a command or raises the rule that forbids it; it
never does half of one. `evolve` turns the events into the next state.
"""

from collections.abc import Callable
from typing import Any

from matches.engine.auction import is_last_without_bid
from matches.engine.cards import DECK
from matches.engine.commands import (
    AbandonMatch,
    Actor,
    ActorKind,
    AdjustScore,
    Command,
    CreateMatch,
    Deal,
    Double,
    LeaveSeat,
    NameTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayerAction,
    ReplacePlayer,
    StartMatch,
    TakeSeat,
    VoidMatch,
)
from matches.engine.dealing import dealt
from matches.engine.errors import (
    AlreadySeated,
    InvalidDeck,
    MatchFull,
    MatchNotStarted,
    MatchOver,
    NotAllowed,
    NothingToVoid,
    NotSeated,
    SeatEmpty,
    UnknownSeat,
    WrongPhase,
)
from matches.engine.errors import SeatTaken as SeatIsTaken
from matches.engine.events import (
    BidPlaced,
    CardPlayed,
    Doubled,
    Event,
    HandDealt,
    HandThrownIn,
    MatchAbandoned,
    MatchCreated,
    MatchStarted,
    MatchVoided,
    MatchWon,
    Passed,
    PlayerReplaced,
    ScoreAdjusted,
    SeatLeft,
    SeatTaken,
    TrumpNamed,
)
from matches.engine.evolve import evolve
from matches.engine.legality import legal_actions, out_of_phase, refusal
from matches.engine.room import check_room
from matches.engine.rules import check_rules
from matches.engine.scoring import added, hand_score, winner_by
from matches.engine.seats import SEATS, Seat
from matches.engine.state import Auction, Dealing, Over, Play, State, Waiting

MAY_GIVE: dict[type[Command], frozenset[ActorKind]] = {
    CreateMatch: frozenset({"player", "tenant", "system"}),
    TakeSeat: frozenset({"player", "tenant", "system"}),
    LeaveSeat: frozenset({"player", "tenant"}),
    StartMatch: frozenset({"system"}),
    Deal: frozenset({"system"}),
    PlaceBid: frozenset({"player", "clock"}),
    Pass: frozenset({"player", "clock"}),
    Double: frozenset({"player", "clock"}),
    NameTrump: frozenset({"player", "clock"}),
    PlayCard: frozenset({"player", "clock"}),
    ReplacePlayer: frozenset({"tenant"}),
    AbandonMatch: frozenset({"tenant", "clock", "system"}),
    VoidMatch: frozenset({"moderator"}),
    AdjustScore: frozenset({"moderator"}),
}
"""Which kinds of actor may give a command at all."""


def decide(state: State | None, actor: Actor, command: Command) -> tuple[Event, ...]:
    """The events of `command`, given by `actor` in `state` (None before the match exists), at least one.

    Raises a `RuleViolation`: first `NotAllowed` for the wrong kind of actor, then what is wrong with the phase, the
    seat and the turn, then the rule broken.
    """
    kind = type(command)
    if actor.kind not in MAY_GIVE[kind]:
        raise NotAllowed(actor.kind, kind.__name__)
    return _DECISIONS[kind](state, actor, command)


def _existing(state: State | None) -> State:
    if state is None:
        raise MatchNotStarted
    return state


def _known(seat: Seat) -> Seat:
    if seat not in SEATS:
        raise UnknownSeat(seat)
    return seat


# Before the first deal


def _create_match(state: State | None, _actor: Actor, command: CreateMatch) -> tuple[Event, ...]:
    if state is not None:
        raise out_of_phase(state) if isinstance(state, Over) else WrongPhase(state.phase)
    check_rules(command.rules)
    check_room(command.room)
    return (MatchCreated(command.rules, command.room, command.anchor, command.previous_match),)


def _take_seat(state: State | None, _actor: Actor, command: TakeSeat) -> tuple[Event, ...]:
    state = _existing(state)
    seat, players = _known(command.seat), state.table.players
    if isinstance(state, Over):
        raise MatchOver
    if command.player in players:
        raise AlreadySeated(players.index(command.player))
    if not isinstance(state, Waiting) or None not in players:
        raise MatchFull
    if players[seat] is not None:
        raise SeatIsTaken(seat)
    return (SeatTaken(seat, command.player, command.entropy),)


def _leave_seat(state: State | None, actor: Actor, command: LeaveSeat) -> tuple[Event, ...]:
    state = _existing(state)
    seat = _known(command.seat)
    if actor.kind == "player" and actor.seat is None:
        raise NotSeated
    if actor.kind == "player" and actor.seat != seat:
        raise NotAllowed(actor.kind, "LeaveSeat")
    if not isinstance(state, Waiting):
        raise out_of_phase(state)
    player = state.table.players[seat]
    if player is None:
        raise SeatEmpty(seat)
    return (SeatLeft(seat, player),)


def _start_match(state: State | None, _actor: Actor, command: StartMatch) -> tuple[Event, ...]:
    state = _existing(state)
    if not isinstance(state, Waiting):
        raise out_of_phase(state)
    if None in state.table.players:
        raise MatchNotStarted
    return (MatchStarted(_known(command.first_dealer)),)


def _deal(state: State | None, _actor: Actor, command: Deal) -> tuple[Event, ...]:
    state = _existing(state)
    if not isinstance(state, Dealing):
        raise out_of_phase(state)
    if len(command.deck) != len(DECK) or set(command.deck) != set(DECK):
        raise InvalidDeck
    table = state.table
    holdings = dealt(command.deck, table.dealer, table.rules)
    return (HandDealt(table.hand, table.deal + 1, table.dealer, holdings, command.salt),)


# The players' actions


def _act(state: State | None, actor: Actor, action: PlayerAction) -> tuple[Event, ...]:
    state, seat = _existing(state), actor.seat
    if seat is None or action not in legal_actions(state, seat):
        raise refusal(state, seat, action)
    match action:
        case PlayCard():
            return _played(state, CardPlayed(seat, action.card))
        case Pass():
            passed = Passed(seat)
            if isinstance(state, Auction) and is_last_without_bid(state):
                return passed, HandThrownIn(state.table.hand, state.table.deal)
            return (passed,)
        case PlaceBid():
            return (BidPlaced(seat, action.tricks, action.trump),)
        case Double():
            return (Doubled(seat),)
        case NameTrump():
            return (TrumpNamed(seat, action.trump),)


def _played(state: State, played: CardPlayed) -> tuple[Event, ...]:
    """The card, and with the last one what the hand was worth (R-PLAY-4) and who has won by it (R-MAT-1)."""
    if not isinstance(state, Play) or sum(state.tricks_won) < 12 or len(state.plays) < 3:
        return (played,)
    finished = evolve(state, played)
    if not isinstance(finished, Play):
        return (played,)
    scored = hand_score(finished)
    winner = winner_by(scored.totals, state.table.rules.target)
    if winner is None:
        return played, scored
    return played, scored, MatchWon(winner, scored.totals)


# Around the game


def _replace_player(state: State | None, _actor: Actor, command: ReplacePlayer) -> tuple[Event, ...]:
    state = _existing(state)
    seat, players = _known(command.seat), state.table.players
    replaced = players[seat]
    if isinstance(state, Waiting | Over) or replaced is None:
        raise out_of_phase(state)
    if command.player in players:
        raise AlreadySeated(players.index(command.player))
    return (PlayerReplaced(seat, command.player, replaced),)


def _abandon_match(state: State | None, _actor: Actor, command: AbandonMatch) -> tuple[Event, ...]:
    if isinstance(_existing(state), Over):
        raise MatchOver
    return (MatchAbandoned(command.reason),)


def _void_match(state: State | None, _actor: Actor, command: VoidMatch) -> tuple[Event, ...]:
    state = _existing(state)
    if isinstance(state, Over) and state.status == "voided":
        raise NothingToVoid
    return (MatchVoided(command.reason),)


def _adjust_score(state: State | None, _actor: Actor, command: AdjustScore) -> tuple[Event, ...]:
    state = _existing(state)
    if not isinstance(state, Over):
        raise out_of_phase(state)
    if state.status != "completed":
        raise WrongPhase(state.status)
    totals = added(state.table.totals, command.points)
    winner = winner_by(totals, state.table.rules.target, state.winner)
    return (ScoreAdjusted(command.points, totals, winner, command.reason),)


# Commands and their decisions pair by type, which a dict cannot say; a test checks that every command has its decision.
_DECISIONS: dict[type[Command], Callable[[State | None, Actor, Any], tuple[Event, ...]]] = {
    CreateMatch: _create_match,
    TakeSeat: _take_seat,
    LeaveSeat: _leave_seat,
    StartMatch: _start_match,
    Deal: _deal,
    PlaceBid: _act,
    Pass: _act,
    Double: _act,
    NameTrump: _act,
    PlayCard: _act,
    ReplacePlayer: _replace_player,
    AbandonMatch: _abandon_match,
    VoidMatch: _void_match,
    AdjustScore: _adjust_score,
}
