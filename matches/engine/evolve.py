"""What each event makes of the state.

`evolve` accepts every log that `decide` can write. What it cannot accept was not written so: it raises `LogDiverges`,
whose message never holds a card that is not on the table.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec.structs import replace

from matches.engine.auction import after_call, is_thrown_in, legal_calls
from matches.engine.cards import BIT, FULL_DECK, SUIT_MASK, Trump, card_set
from matches.engine.commands import Double, Pass, PlaceBid, PlayerAction
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
from matches.engine.scoring import added, hand_score, winner_by
from matches.engine.seats import SEATS, STEP, Seat, next_seat
from matches.engine.state import (
    Auction,
    Call,
    Contract,
    Dealing,
    HandInPlay,
    NamingTrump,
    Over,
    Play,
    State,
    Table,
    Trick,
    Waiting,
)
from matches.engine.tricks import legal_cards, trick_winner

Phase = TypeVar("Phase", bound=State)
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


def _in(phase: type[Phase], state: State | None, event: Event) -> Phase:
    if not isinstance(state, phase):
        raise _out_of_place(state, event)
    return state


def _out_of_place(state: State | None, event: Event) -> LogDiverges:
    return LogDiverges(
        type(event).__name__, "that it happened", f"that it cannot, in {state.phase if state else 'no match'}"
    )


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
        raise _out_of_place(state, event)
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
    table = _in(Waiting, state, event).table
    if table.players[_known(event.seat, event)] is not None:
        raise LogDiverges("SeatTaken", f"seat {event.seat}", "that it is taken")
    players = _placed(table.players, event.seat, event.player)
    return Waiting(replace(table, players=players, entropies=_placed(table.entropies, event.seat, event.entropy)))


def _seat_left(state: State | None, event: SeatLeft) -> State:
    table = _in(Waiting, state, event).table
    if table.players[_known(event.seat, event)] != event.player:
        raise LogDiverges("SeatLeft", event.player, table.players[event.seat])
    players = _placed(table.players, event.seat, None)
    return Waiting(replace(table, players=players, entropies=_placed(table.entropies, event.seat, None)))


def _match_started(state: State | None, event: MatchStarted) -> State:
    table = _in(Waiting, state, event).table
    if None in table.players:
        raise LogDiverges("MatchStarted", "that it started", "an empty seat")
    return Dealing(replace(table, dealer=_known(event.first_dealer, event), hand=1))


def _hand_dealt(state: State | None, event: HandDealt) -> State:
    table = _in(Dealing, state, event).table
    stored, due = (event.hand, event.deal, event.dealer), (table.hand, table.deal + 1, table.dealer)
    if stored != due:
        raise LogDiverges("HandDealt", stored, due)
    if winner_by(table.totals, table.rules.target) is not None:
        raise LogDiverges("HandDealt", "another hand", "match_won")
    a, b, c, d = event.holdings
    holdings = (card_set(a), card_set(b), card_set(c), card_set(d))
    # 52 cards in all and no card missing: none can be there twice.
    if [len(a), len(b), len(c), len(d)] != [13, 13, 13, 13] or sum(holdings) != FULL_DECK:
        raise LogDiverges("HandDealt", "its holdings", "thirteen different cards for each seat")
    table = replace(table, deal=table.deal + 1, deals=table.deals + 1)
    return Auction(
        table=table,
        holdings=holdings,
        calls=(),
        turn=next_seat(table.dealer, table.rules.direction),
        highest=None,
        doubled_by=None,
        quiet=0,
    )


# The auction


def _bid_placed(state: State | None, event: BidPlaced) -> State:
    bid = PlaceBid(event.tricks, event.trump)
    return _called(state, event, bid, Call(event.seat, "bid", event.tricks, event.trump))


def _passed(state: State | None, event: Passed) -> State:
    return _called(state, event, Pass(), Call(event.seat, "pass"))


def _doubled(state: State | None, event: Doubled) -> State:
    return _called(state, event, Double(), Call(event.seat, "double"))


def _called(state: State | None, event: Event, action: PlayerAction, call: Call) -> State:
    auction = _in(Auction, state, event)
    if call.seat != auction.turn or action not in legal_calls(auction):
        raise LogDiverges(type(event).__name__, call, f"that seat {auction.turn} may call, and not this")
    auction, over = after_call(auction, call)
    highest = auction.highest
    if highest is None or not over:
        return auction
    if highest.trump is None:
        return NamingTrump(auction.table, auction.holdings, auction.calls, highest.seat, highest)
    return _play(auction, highest, highest.trump, doubled=auction.doubled_by is not None)


def _hand_thrown_in(state: State | None, event: HandThrownIn) -> State:
    auction = _in(Auction, state, event)
    table = auction.table
    if not is_thrown_in(auction) or (event.hand, event.deal) != (table.hand, table.deal):
        raise LogDiverges("HandThrownIn", (event.hand, event.deal), "no such throw-in")
    return Dealing(table)


def _trump_named(state: State | None, event: TrumpNamed) -> State:
    naming = _in(NamingTrump, state, event)
    if event.seat != naming.turn or event.trump not in naming.table.rules.trumps:
        raise LogDiverges("TrumpNamed", (event.seat, event.trump), (naming.turn, naming.table.rules.trumps))
    return _play(naming, naming.highest, event.trump, doubled=False)


def _play(hand: HandInPlay, bid: Call, trump: Trump, *, doubled: bool) -> Play:
    if bid.tricks is None:
        raise LogDiverges("the auction", bid, "a bid")
    return Play(
        table=hand.table,
        holdings=hand.holdings,
        calls=hand.calls,
        contract=Contract(bid.seat, bid.tricks, trump, doubled),
        trump_mask=SUIT_MASK[trump],
        step=STEP[hand.table.rules.direction],
        turn=bid.seat,
        leader=bid.seat,
        plays=(),
        tricks_won=(0, 0),
        last_trick=None,
    )


# The play


def _card_played(state: State | None, event: CardPlayed) -> State:
    # The hot step: nine events in ten are cards. Positional construction and no helper calls, as measured.
    if not isinstance(state, Play):
        raise _out_of_place(state, event)
    seat, card = event.seat, event.card
    plays, holdings = state.plays, state.holdings
    bit = BIT[card]
    if seat != state.turn or not legal_cards(holdings[seat], plays[0] if plays else None) & bit:
        raise LogDiverges("CardPlayed", (seat, card), f"that seat {state.turn} is to play, and not this card")
    a, b, c, d = holdings
    if seat == 0:
        a ^= bit
    elif seat == 1:
        b ^= bit
    elif seat == 2:
        c ^= bit
    else:
        d ^= bit
    leader, step, tricks_won, last_trick = state.leader, state.step, state.tricks_won, state.last_trick
    if len(plays) < 3:
        plays = (*plays, card)
        turn = (seat + step) & 3
    else:
        first, second, third = plays
        turn = trick_winner((first, second, third, card), leader, step, state.trump_mask)
        last_trick = Trick(leader, (first, second, third, card), turn)
        tricks_won = (tricks_won[0], tricks_won[1] + 1) if turn & 1 else (tricks_won[0] + 1, tricks_won[1])
        plays, leader = (), turn
    return Play(
        state.table, (a, b, c, d), state.calls, state.contract, state.trump_mask, step, turn, leader, plays,
        tricks_won, last_trick,
    )  # fmt: skip


# The score and the end


def _hand_scored(state: State | None, event: HandScored) -> State:
    play = _in(Play, state, event)
    if any(play.holdings):
        raise LogDiverges("HandScored", "a finished hand", "cards still to be played")
    reckoned = hand_score(play)
    if event != reckoned:
        raise LogDiverges("HandScored", event, reckoned)
    table = play.table
    dealer = next_seat(table.dealer, table.rules.direction)
    return Dealing(replace(table, totals=reckoned.totals, hand=table.hand + 1, deal=0, dealer=dealer), play)


def _match_won(state: State | None, event: MatchWon) -> State:
    dealing = _in(Dealing, state, event)
    table = dealing.table
    reckoned = (winner_by(table.totals, table.rules.target), table.totals)
    if (event.winner, event.totals) != reckoned:
        raise LogDiverges("MatchWon", (event.winner, event.totals), reckoned)
    return Over(table, "completed", "target", event.winner, dealing)


def _player_replaced(state: State | None, event: PlayerReplaced) -> State:
    if state is None or isinstance(state, Waiting | Over):
        raise _out_of_place(state, event)
    table = state.table
    if table.players[_known(event.seat, event)] != event.replaced:
        raise LogDiverges("PlayerReplaced", event.replaced, table.players[event.seat])
    return replace(state, table=replace(table, players=_placed(table.players, event.seat, event.player)))


def _match_abandoned(state: State | None, event: MatchAbandoned) -> State:
    if state is None or isinstance(state, Over):
        raise _out_of_place(state, event)
    return Over(state.table, "abandoned", event.reason, None, state)


def _match_voided(state: State | None, event: MatchVoided) -> State:
    if state is None or (isinstance(state, Over) and state.status == "voided"):
        raise _out_of_place(state, event)
    last = state.last if isinstance(state, Over) else state
    return Over(state.table, "voided", event.reason, None, last)


def _score_adjusted(state: State | None, event: ScoreAdjusted) -> State:
    over = _in(Over, state, event)
    if over.status != "completed":
        raise _out_of_place(state, event)
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
    HandDealt: _hand_dealt,
    BidPlaced: _bid_placed,
    Passed: _passed,
    Doubled: _doubled,
    HandThrownIn: _hand_thrown_in,
    TrumpNamed: _trump_named,
    CardPlayed: _card_played,
    HandScored: _hand_scored,
    MatchWon: _match_won,
    PlayerReplaced: _player_replaced,
    MatchAbandoned: _match_abandoned,
    MatchVoided: _match_voided,
    ScoreAdjusted: _score_adjusted,
}
