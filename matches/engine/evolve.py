"""What each event makes of the state.

`evolve` accepts every log that `decide` can write. What it cannot accept was not written so: it raises `LogDiverges`,
whose message never holds a card that is not on the table.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec.structs import replace

from matches.engine.errors import LogDiverges
from matches.engine.events import (
    BidPlaced,
    CardPlayed,
    Doubled,
    Event,
    HandDealt,
    HandScored,
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
from matches.engine.hand import (
    bid_placed,
    card_played,
    doubled,
    hand_dealt,
    hand_thrown_in,
    in_phase,
    out_of_place,
    passed,
    trump_named,
)
from matches.engine.scoring import added, hand_score, winner_by
from matches.engine.seats import SEATS, Seat, next_seat
from matches.engine.state import Dealing, Over, Play, State, Table, Waiting

Value = TypeVar("Value")


def evolve(state: State | None, event: Event) -> State:
    """The state after `event`; `state` is None only before `match_created`.

    Raises `LogDiverges` for an event that cannot follow, or whose figures are not those that the state gives.
    """
    return _STEPS[type(event)](state, event)


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """The state after all of `events`, which follow on `state` or begin a match. Raises `LogDiverges`."""
    steps = _STEPS
    for event in events:
        state = steps[type(event)](state, event)
    if state is None:
        raise LogDiverges("the log", "nothing", "match_created")
    return state


def _known(seat: Seat, event: Event) -> Seat:
    # A negative number would otherwise be read as a seat counted from the end.
    if seat not in SEATS:
        raise LogDiverges(type(event).__name__, f"seat {seat}", "seats 0 to 3")
    return seat


def _placed(row: tuple[Value, Value, Value, Value], seat: Seat, value: Value) -> tuple[Value, Value, Value, Value]:
    """The four of `row` with the one at `seat` exchanged."""
    a, b, c, d = row
    match seat:
        case 0:
            return value, b, c, d
        case 1:
            return a, value, c, d
        case 2:
            return a, b, value, d
        case _:
            return a, b, c, value


# Before the first deal


def _match_created(state: State | None, event: MatchCreated) -> State:
    if state is not None:
        raise out_of_place(state, event)
    nobody = (None, None, None, None)
    return Waiting(
        Table(
            rules=event.rules,
            room=event.room,
            anchor=event.anchor,
            previous_match=event.previous_match,
            players=nobody,
            entropies=nobody,
            totals=(0, 0),
            hand=0,
            deal=0,
            deals=0,
            dealer=0,
        )
    )


def _seat_taken(state: State | None, event: SeatTaken) -> State:
    table = in_phase(Waiting, state, event).table
    if table.players[_known(event.seat, event)] is not None or event.player in table.players:
        raise LogDiverges("SeatTaken", (event.seat, event.player), table.players)
    players = _placed(table.players, event.seat, event.player)
    return Waiting(replace(table, players=players, entropies=_placed(table.entropies, event.seat, event.entropy)))


def _seat_left(state: State | None, event: SeatLeft) -> State:
    table = in_phase(Waiting, state, event).table
    if table.players[_known(event.seat, event)] != event.player:
        raise LogDiverges("SeatLeft", event.player, table.players[event.seat])
    players = _placed(table.players, event.seat, None)
    return Waiting(replace(table, players=players, entropies=_placed(table.entropies, event.seat, None)))


def _match_started(state: State | None, event: MatchStarted) -> State:
    table = in_phase(Waiting, state, event).table
    if None in table.players:
        raise LogDiverges("MatchStarted", "that it started", "an empty seat")
    return Dealing(replace(table, dealer=_known(event.first_dealer, event), hand=1))


# The score and the end


def _hand_scored(state: State | None, event: HandScored) -> State:
    play = in_phase(Play, state, event)
    if any(play.holdings):
        raise LogDiverges("HandScored", "a finished hand", "cards still to be played")
    reckoned = hand_score(play)
    if event != reckoned:
        raise LogDiverges("HandScored", event, reckoned)
    table = play.table
    dealer = next_seat(table.dealer, table.rules.direction)
    return Dealing(replace(table, totals=reckoned.totals, hand=table.hand + 1, deal=0, dealer=dealer), play)


def _match_won(state: State | None, event: MatchWon) -> State:
    dealing = in_phase(Dealing, state, event)
    table = dealing.table
    reckoned = (winner_by(table.totals, table.rules.target), table.totals)
    if (event.winner, event.totals) != reckoned:
        raise LogDiverges("MatchWon", (event.winner, event.totals), reckoned)
    return Over(table, "completed", "target", event.winner, dealing)


def _player_replaced(state: State | None, event: PlayerReplaced) -> State:
    if state is None or isinstance(state, Waiting | Over):
        raise out_of_place(state, event)
    table = state.table
    if table.players[_known(event.seat, event)] != event.replaced or event.player in table.players:
        raise LogDiverges("PlayerReplaced", (event.seat, event.player, event.replaced), table.players)
    return replace(state, table=replace(table, players=_placed(table.players, event.seat, event.player)))


def _match_abandoned(state: State | None, event: MatchAbandoned) -> State:
    if state is None or isinstance(state, Over):
        raise out_of_place(state, event)
    return Over(state.table, "abandoned", event.reason, None, state)


def _match_voided(state: State | None, event: MatchVoided) -> State:
    if state is None or (isinstance(state, Over) and state.status == "voided"):
        raise out_of_place(state, event)
    last = state.last if isinstance(state, Over) else state
    return Over(state.table, "voided", event.reason, None, last)


def _score_adjusted(state: State | None, event: ScoreAdjusted) -> State:
    over = in_phase(Over, state, event)
    if over.status != "completed":
        raise out_of_place(state, event)
    totals = added(over.table.totals, event.points)
    reckoned = (totals, winner_by(totals, over.table.rules.target, over.winner))
    if (event.totals, event.winner) != reckoned:
        raise LogDiverges("ScoreAdjusted", (event.totals, event.winner), reckoned)
    return Over(replace(over.table, totals=totals), "completed", "score_adjusted", event.winner, over.last)


# Events and their steps pair by type, which a dict cannot say; a test checks that every event has its step.
_STEPS: dict[type[Event], Callable[[Any, Any], State]] = {
    MatchCreated: _match_created,
    SeatTaken: _seat_taken,
    SeatLeft: _seat_left,
    MatchStarted: _match_started,
    HandDealt: hand_dealt,
    BidPlaced: bid_placed,
    Passed: passed,
    Doubled: doubled,
    HandThrownIn: hand_thrown_in,
    TrumpNamed: trump_named,
    CardPlayed: card_played,
    HandScored: _hand_scored,
    MatchWon: _match_won,
    PlayerReplaced: _player_replaced,
    MatchAbandoned: _match_abandoned,
    MatchVoided: _match_voided,
    ScoreAdjusted: _score_adjusted,
}
