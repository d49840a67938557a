"""The only way in: each function is one thing that can be asked of a match, and takes effect as a whole or not at all.

Every decision is taken before the first write, so a refusal leaves nothing behind. Commands that follow from the rules
alone (start when the fourth seat is taken, deal when a hand is over) are given here by the system, in the same append.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeAlias
from uuid import UUID, uuid4

from django.db import connection, transaction
from uuid_utils.compat import uuid7

from matches import deals, event_store, hints, projections
from matches.engine import decide, evolve
from matches.engine.commands import (
    SYSTEM,
    AbandonMatch,
    Actor,
    AdjustScore,
    Command,
    CreateMatch,
    LeaveSeat,
    PlayerAction,
    ReplacePlayer,
    StartMatch,
    TakeSeat,
    VoidMatch,
)
from matches.engine.errors import MatchFull, NotSeated
from matches.engine.events import HandDealt
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.seats import SEATS, Seat
from matches.engine.state import Dealing, State, Waiting
from matches.event_store import OpenStream, Outcome, Pending
from matches.refusals import CommandReused, ConcurrentAppend, StreamNotFound, VersionMismatch
from tarneeb_service.database import after_writes, all_or_nothing, is_collecting

P = ParamSpec("P")

TENANT = Actor("tenant")

Expected: TypeAlias = frozenset[int] | None
"""The versions one of which the caller counts on, or None for whatever the match stands at."""


class Origin(NamedTuple):
    """Where a command comes from: its id, which a retry repeats, and the digest of the request that carried it."""

    command_id: UUID
    request_digest: bytes | None = None


def new_origin() -> Origin:
    """The origin of a command that nobody will repeat."""
    return Origin(uuid4())


TRIES = 3
"""How often a command is decided before it gives up to others, the last time with the stream to itself."""


@contextmanager
def alone_with(match_id: UUID) -> Iterator[None]:
    """A transaction in which nobody else appends to this match."""
    with transaction.atomic():
        event_store.lock(match_id)
        yield


def _command(function: Callable[P, Outcome]) -> Callable[P, Outcome]:
    """A service that appends: decided anew where somebody else's append came between its look and its own.

    Within a caller's unit of work the caller has to try again, for it is all of that which was lost.
    """
    whole = all_or_nothing(function)

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> Outcome:
        match_id = kwargs.get("match_id")
        if is_collecting() or connection.in_atomic_block or not isinstance(match_id, UUID):
            return whole(*args, **kwargs)
        for _ in range(TRIES - 1):
            try:
                return whole(*args, **kwargs)
            except ConcurrentAppend:
                continue
        with alone_with(match_id):
            return whole(*args, **kwargs)

    return run


class Ahead(NamedTuple):
    """What `look_ahead` saw: the head, for the command that comes next, and the row of the answer that is kept."""

    head: event_store.Head | None
    answer: tuple[Any, ...] | None


def look_ahead(*, match_id: UUID, tenant_id: UUID, command_id: UUID) -> Ahead:
    """Whether a command was answered already, and where its match stands, in one look."""
    return Ahead(*event_store.head_and_answer(match_id, tenant_id=tenant_id, command_id=command_id))


@_command
def create_match(
    *,
    tenant_id: UUID,
    rules: Rules,
    room: Room,
    players: Sequence[UUID | None] = (),
    previous_match: UUID | None = None,
    origin: Origin | None = None,
) -> Outcome:
    """Open a match, seat these players (by seat, None where a seat stays free) and start it if there are four.

    Raises `InvalidRules` for an impossible room or rules, `AlreadySeated` for a player named twice.
    """
    match_id = uuid7()
    seed = deals.new_seed()
    stream = event_store.begin_stream(match_id, tenant_id=tenant_id)
    create = CreateMatch(rules, room, deals.anchor_of(seed), None if previous_match is None else str(previous_match))
    turn = _Decisions(match_id, None, lambda: seed)
    turn.give(TENANT, create)
    for seat, player in enumerate(players):
        if player is not None:
            turn.give(TENANT, TakeSeat(seat, str(player)))
    turn.settle()
    outcome = _record(stream, turn, origin or new_origin())
    deals.keep_seed(match_id, seed)
    return outcome


@_command
def take_seat(
    *,
    match_id: UUID,
    tenant_id: UUID,
    seat: Seat,
    player: UUID,
    entropy: str | None = None,
    by_tenant: bool = False,
    origin: Origin | None = None,
    expected: Expected = None,
) -> Outcome:
    """Seat a player, at their own wish or the tenant's; the fourth starts the match.

    `entropy` is any text of theirs, of which the log keeps the SHA-256. Raises `SeatTaken`, `AlreadySeated`,
    `MatchFull`, and `StreamNotFound` or `VersionMismatch` as every command does.
    """
    command = TakeSeat(seat, str(player), deals.entropy_digest(entropy))

    def actor(state: State) -> Actor:
        if by_tenant:
            return TENANT
        # Its address is an invitation only while it waits for players.
        if not isinstance(state, Waiting):
            _refuse_strangers(state, player)
            _refuse_spectators(state, player)
        return Actor("player", seat)

    return _give((match_id, tenant_id), actor, command, origin, expected)


@_command
def leave_seat(
    *,
    match_id: UUID,
    tenant_id: UUID,
    seat: Seat,
    player: UUID | None,
    origin: Origin | None = None,
    expected: Expected = None,
) -> Outcome:
    """Free a seat before the start. `player` is who asks, None for the tenant, who may free any.

    Raises `NotSeated` for somebody else's seat, `SeatEmpty`, `WrongPhase` once the match has started.
    """

    def actor(state: State) -> Actor:
        if player is None:
            return TENANT
        return Actor("player", _seat_of(state, player))

    return _give((match_id, tenant_id), actor, LeaveSeat(seat), origin, expected)


@_command
def submit_action(
    *,
    match_id: UUID,
    tenant_id: UUID,
    player: UUID | None,
    command: PlayerAction,
    origin: Origin | None = None,
    expected: Expected = None,
    ahead: Ahead | None = None,
) -> Outcome:
    """A call, a trump or a card by the seat that `player` holds. `ahead` is what `look_ahead` saw for this command.

    Raises the `RuleViolation` that explains a refusal, and `StreamNotFound` or `VersionMismatch` as every command does.
    """

    def actor(state: State) -> Actor:
        if player is None:
            raise NotSeated
        return Actor("player", _seat_of(state, player))

    return _give((match_id, tenant_id), actor, command, origin, expected, ahead)


@_command
def substitute_player(
    *,
    match_id: UUID,
    tenant_id: UUID,
    seat: Seat,
    player: UUID,
    origin: Origin | None = None,
    expected: Expected = None,
) -> Outcome:
    """The tenant puts another player into a seat of a match being played."""
    return _give((match_id, tenant_id), TENANT, ReplacePlayer(seat, str(player)), origin, expected)


@_command
def abandon_match(
    *, match_id: UUID, tenant_id: UUID, reason: str, origin: Origin | None = None, expected: Expected = None
) -> Outcome:
    """The tenant ends a match without a winner."""
    return _give((match_id, tenant_id), TENANT, AbandonMatch(reason), origin, expected)


@_command
def void_match(*, match_id: UUID, tenant_id: UUID, reason: str, origin: Origin | None = None) -> Outcome:
    """A moderator's decision: the match counts for nothing."""
    return _give((match_id, tenant_id), Actor("moderator"), VoidMatch(reason), origin, None)


@_command
def adjust_score(
    *, match_id: UUID, tenant_id: UUID, points: tuple[int, int], reason: str, origin: Origin | None = None
) -> Outcome:
    """A moderator's decision: these points, one figure a team, are added to the totals of a completed match."""
    return _give((match_id, tenant_id), Actor("moderator"), AdjustScore(points, reason), origin, None)


# How a command becomes events

_MatchOfTenant: TypeAlias = tuple[UUID, UUID]


class _Decisions:
    """Decisions on a state, one after the other, none written yet."""

    def __init__(self, match_id: UUID, state: State | None, seed: Callable[[], bytes]) -> None:
        self.match_id = match_id
        self.state = state
        self.seed = seed
        self.pending: list[Pending] = []

    def give(self, actor: Actor, command: Command) -> None:
        """Decide one command and fold what it made."""
        for ix, event in enumerate(decide(self.state, actor, command)):
            # What follows from a card by the rules (a score, a win) is the system's, not the player's.
            self.pending.append(Pending(event, actor if ix == 0 else SYSTEM))
            self.state = evolve(self.state, event)

    def settle(self) -> None:
        """Give the commands that follow from the state alone, until it waits for a person."""
        while True:
            state = self.state
            if isinstance(state, Waiting) and all(player is not None for player in state.table.players):
                self.give(SYSTEM, StartMatch(deals.first_dealer(self.seed(), self.match_id, state)))
            elif isinstance(state, Dealing):
                self.give(SYSTEM, deals.next_deal(self.seed(), self.match_id, state))
            else:
                return


def _give(
    match: _MatchOfTenant,
    actor: Actor | Callable[[State], Actor],
    command: Command,
    origin: Origin | None,
    expected: Expected,
    ahead: Ahead | None = None,
) -> Outcome:
    match_id, tenant_id = match
    origin = origin or new_origin()
    head = None if ahead is None else ahead.head
    stream = event_store.open_stream(match_id, tenant_id=tenant_id, command_id=origin.command_id, head=head)
    state = stream.state
    if state is None:
        raise StreamNotFound(str(match_id))
    if stream.known:
        return _told_again(stream, origin)
    # Before the version: whoever may not know of the match is not told where it stands.
    given_by = actor if isinstance(actor, Actor) else actor(state)
    if expected is not None and stream.version not in expected:
        raise VersionMismatch(stream.version)
    decisions = _Decisions(match_id, state, lambda: deals.kept_seed(match_id))
    decisions.give(given_by, command)
    decisions.settle()
    return _record(stream, decisions, origin)


def _record(stream: OpenStream, decisions: _Decisions, origin: Origin) -> Outcome:
    state = decisions.state
    if state is None:
        raise StreamNotFound(str(stream.id))
    pending = decisions.pending
    recorded = event_store.append(
        stream,
        pending,
        state=state,
        command_id=origin.command_id,
        request_digest=origin.request_digest,
        snapshot=isinstance(pending[-1].event, HandDealt),
    )
    projections.project(
        stream_id=stream.id,
        tenant_id=stream.tenant_id,
        version=stream.version,
        state=state,
        events=[entry.event for entry in pending],
        recorded_at=stream.now,
    )
    version = stream.version
    after_writes(lambda: hints.announce(stream.id, version))
    return Outcome(stream.id, version, state, recorded)


def _told_again(stream: OpenStream, origin: Origin) -> Outcome:
    """What a command did when it was first given: nothing happens a second time, however far the stream has moved."""
    stored = event_store.request_digest_of(stream.id, origin.command_id)
    if stored is not None and stored != origin.request_digest:
        raise CommandReused
    recorded = event_store.events_of_command(stream.id, origin.command_id)
    version = recorded[-1].version
    return Outcome(stream.id, version, event_store.state_at(stream.id, version), recorded)


def _seat_of(state: State, player: UUID) -> Seat:
    reference = str(player)
    for seat in SEATS:
        if state.table.players[seat] == reference:
            return seat
    _refuse_strangers(state, player)
    raise NotSeated


def _refuse_spectators(state: State, player: UUID) -> None:
    # Whoever sees the match with a delay is told neither its version nor that it is over.
    players = state.table.players
    if state.table.room.spectator_delay_seconds and str(player) not in players and None not in players:
        raise MatchFull


def _refuse_strangers(state: State, player: UUID) -> None:
    if state.table.room.visibility == "private" and str(player) not in state.table.players:
        raise StreamNotFound("a private match, to somebody who is not in it")
