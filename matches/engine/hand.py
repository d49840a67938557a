"""The steps of a hand: what the deal, the calls, the naming of trump and the cards make of the state.

For `evolve.py`, which knows which event takes which step. Each raises `LogDiverges` for an event that cannot follow.
"""

from typing import TypeVar

from msgspec.structs import replace

from matches.engine.auction import after_call, is_thrown_in, legal_calls
from matches.engine.cards import BIT, FULL_DECK, SUIT_MASK, Trump, card_set
from matches.engine.commands import Double, Pass, PlaceBid, PlayerAction
from matches.engine.errors import LogDiverges
from matches.engine.events import BidPlaced, CardPlayed, Doubled, Event, HandDealt, HandThrownIn, Passed, TrumpNamed
from matches.engine.scoring import winner_by
from matches.engine.seats import STEP, next_seat
from matches.engine.state import Auction, Call, Contract, Dealing, HandInPlay, NamingTrump, Play, State, Trick
from matches.engine.tricks import legal_cards, trick_winner

Phase = TypeVar("Phase", bound=State)


def in_phase(phase: type[Phase], state: State | None, event: Event) -> Phase:
    """`state`, if it is in this phase; else raises `LogDiverges`."""
    if not isinstance(state, phase):
        raise out_of_place(state, event)
    return state


def out_of_place(state: State | None, event: Event) -> LogDiverges:
    """The complaint about an event in a phase in which it cannot happen."""
    return LogDiverges(
        type(event).__name__, "that it happened", f"that it cannot, in {state.phase if state else 'no match'}"
    )


def hand_dealt(state: State | None, event: HandDealt) -> State:
    """The auction opens on these holdings."""
    table = in_phase(Dealing, state, event).table
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


def bid_placed(state: State | None, event: BidPlaced) -> State:
    """The bid stands, and may end the auction (R-AUC-6)."""
    bid = PlaceBid(event.tricks, event.trump)
    return _called(state, event, bid, Call(event.seat, "bid", event.tricks, event.trump))


def passed(state: State | None, event: Passed) -> State:
    """The pass may end the auction."""
    return _called(state, event, Pass(), Call(event.seat, "pass"))


def doubled(state: State | None, event: Doubled) -> State:
    """The bid that stands is doubled, which may end the auction."""
    return _called(state, event, Double(), Call(event.seat, "double"))


def _called(state: State | None, event: Event, action: PlayerAction, call: Call) -> State:
    auction = in_phase(Auction, state, event)
    if call.seat != auction.turn or action not in legal_calls(auction):
        raise LogDiverges(type(event).__name__, call, f"that seat {auction.turn} may call, and not this")
    auction, over = after_call(auction, call)
    highest = auction.highest
    if highest is None or not over:
        return auction
    if highest.trump is None:
        return NamingTrump(auction.table, auction.holdings, auction.calls, highest.seat, highest)
    return _play(auction, highest, highest.trump, doubled=auction.doubled_by is not None)


def hand_thrown_in(state: State | None, event: HandThrownIn) -> State:
    """The same dealer is to deal anew (R-DEAL-3)."""
    auction = in_phase(Auction, state, event)
    table = auction.table
    if not is_thrown_in(auction) or (event.hand, event.deal) != (table.hand, table.deal):
        raise LogDiverges("HandThrownIn", (event.hand, event.deal), "no such throw-in")
    return Dealing(table)


def trump_named(state: State | None, event: TrumpNamed) -> State:
    """The declarer is to lead (R-AUC-7)."""
    naming = in_phase(NamingTrump, state, event)
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


def card_played(state: State | None, event: CardPlayed) -> State:
    """The card lies on the table; a fourth one ends the trick."""
    # The hot step: nine events in ten are cards. Positional construction and two returns, as measured.
    if not isinstance(state, Play):
        raise out_of_place(state, event)
    seat, card = event.seat, event.card
    plays, holdings = state.plays, state.holdings
    bit, holding = BIT[card], holdings[seat]
    if seat != state.turn or not (legal_cards(holding, plays[0]) if plays else holding) & bit:
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
    leader, step = state.leader, state.step
    if len(plays) < 3:
        return Play(
            state.table, (a, b, c, d), state.calls, state.contract, state.trump_mask, step, (seat + step) & 3, leader,
            (*plays, card), state.tricks_won, state.last_trick,
        )  # fmt: skip
    first, second, third = plays
    trick = (first, second, third, card)
    winner = trick_winner(trick, leader, step, state.trump_mask)
    even, odd = state.tricks_won
    tricks_won = (even, odd + 1) if winner & 1 else (even + 1, odd)
    return Play(
        state.table, (a, b, c, d), state.calls, state.contract, state.trump_mask, step, winner, winner,
        (), tricks_won, Trick(leader, trick, winner),
    )  # fmt: skip
