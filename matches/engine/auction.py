"""The auction: what may be called, who calls next, and when it is over (R-AUC).

The three kinds of auction differ in three places: the ladder of bids, who is still to speak, and what the dealer may or
must do. Everything else, above all the end, is the same for all of them.
"""

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

from matches.engine.cards import Trump
from matches.engine.commands import Double, Pass, PlaceBid
from matches.engine.rules import HIGHEST_BID, LOWEST_BID, Rules
from matches.engine.seats import SEATS, Seat, seats_after, team_of
from matches.engine.state import Auction, Call

CallAction: TypeAlias = PlaceBid | Pass | Double

PASS = Pass()
DOUBLE = Double()

_NO_SUIT: tuple[None] = (None,)


@cache
def ladder(trumps: tuple[Trump | None, ...]) -> tuple[PlaceBid, ...]:
    """Every bid there is, lowest first, with each of `trumps` in bidding order (R-AUC-1, R-AUC-10).

    Where a bid is a number only, its one trump is None.
    """
    return tuple(PlaceBid(tricks, trump) for tricks in range(LOWEST_BID, HIGHEST_BID + 1) for trump in trumps)


@cache
def _from_rung(rung: int, trumps: tuple[Trump | None, ...]) -> tuple[PlaceBid, ...]:
    return ladder(trumps)[rung:]


def legal_bids(auction: Auction, seat: Seat) -> tuple[PlaceBid, ...]:
    """The bids open to `seat` whenever it speaks next, lowest first (R-AUC-2, R-AUC-9, R-AUC-10)."""
    table, highest = auction.table, auction.highest
    rules = table.rules
    trumps: tuple[Trump | None, ...] = rules.trumps if rules.auction == "suit_bids" else _NO_SUIT
    if highest is None or highest.tricks is None:
        return _from_rung(0, trumps)
    rung = (highest.tricks - LOWEST_BID) * len(trumps) + trumps.index(highest.trump)
    if rules.dealer_may_match and seat == table.dealer:
        return _from_rung(rung, trumps)
    return _from_rung(rung + 1, trumps)


def may_double(auction: Auction, seat: Seat) -> bool:
    """Whether the standing bid is an opponent's of `seat` and undoubled (R-AUC-12)."""
    highest = auction.highest
    return (
        auction.table.rules.doubling
        and highest is not None
        and auction.doubled_by is None
        and team_of(highest.seat) != team_of(seat)
    )


def may_pass(auction: Auction, seat: Seat) -> bool:
    """False for a dealer who must bid because the other three have passed (R-AUC-8, R-AUC-9)."""
    table = auction.table
    return not (table.rules.dealer_must_bid and seat == table.dealer and is_last_without_bid(auction))


def is_last_without_bid(auction: Auction) -> bool:
    """Whether the seat to call is the last one, the others having called without a bid (R-AUC-5)."""
    return auction.highest is None and auction.quiet == 3


def legal_calls(auction: Auction) -> tuple[CallAction, ...]:
    """The calls open to the seat whose turn it is: bids from the lowest, pass, double. Empty once a throw-in is due."""
    if is_thrown_in(auction):
        return ()
    seat = auction.turn
    calls: tuple[CallAction, ...] = legal_bids(auction, seat)
    if may_pass(auction, seat):
        calls += (PASS,)
    if may_double(auction, seat):
        calls += (DOUBLE,)
    return calls


def seats_passed(auction: Auction) -> frozenset[Seat]:
    """The seats for which a pass was final: those that passed in an ascending auction (R-AUC-3)."""
    if auction.table.rules.auction != "ascending":
        return frozenset()
    return frozenset(call.seat for call in auction.calls if call.type == "pass")


def is_thrown_in(auction: Auction) -> bool:
    """Whether it ended without a bid (R-AUC-5, R-AUC-11)."""
    return auction.highest is None and auction.quiet == len(SEATS)


def after_call(auction: Auction, call: Call) -> tuple[Auction, bool]:
    """The auction after a legal call, with the turn at the next seat to speak, and whether it is over.

    Over means that no seat still to speak has any call but pass (R-AUC-6): the one end of every kind of auction.
    """
    highest, doubled_by, quiet = auction.highest, auction.doubled_by, auction.quiet + 1
    if call.type == "bid":
        highest, doubled_by, quiet = call, None, 0
    elif call.type == "double":
        doubled_by = call.seat
    table, calls = auction.table, (*auction.calls, call)
    speakers = _still_to_speak(table.rules, calls, highest, quiet)
    turn = speakers[0] if speakers else call.seat
    after = Auction(table, auction.holdings, calls, turn, highest, doubled_by, quiet)
    return after, not any(legal_bids(after, seat) or may_double(after, seat) for seat in speakers)


def _still_to_speak(rules: Rules, calls: tuple[Call, ...], highest: Call | None, quiet: int) -> Sequence[Seat]:
    """The seats that would yet be asked if everybody went on passing, in order. The first is the next to call."""
    after = seats_after(calls[-1].seat, rules.direction)
    match rules.auction:
        case "ascending":
            out = [call.seat for call in calls if call.type == "pass"]
            if highest is not None:
                out.append(highest.seat)
            return [seat for seat in after if seat not in out]
        case "single_round":
            return after[: len(SEATS) - len(calls)]
        case "suit_bids":
            return after[: len(SEATS) - quiet]
