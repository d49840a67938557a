"""The auction: what may be called, who calls next, and when it is over (R-AUC).

The three kinds of auction differ in three places: the ladder of bids, who is still to speak, and what the dealer may or
must do. Everything else, above all the end, is the same for all of them.
"""

from functools import cache
from typing import TypeAlias

from matches.engine.commands import Double, Pass, PlaceBid
from matches.engine.rules import HIGHEST_BID, LOWEST_BID, Rules
from matches.engine.seats import SEATS, Seat, seats_after, team_of
from matches.engine.state import Auction, Call

CallAction: TypeAlias = PlaceBid | Pass | Double

PASS = Pass()
DOUBLE = Double()


@cache
def ladder(*, suits: bool, no_trumps: bool) -> tuple[PlaceBid, ...]:
    """Every bid there is, lowest first (R-AUC-1; R-AUC-10 where suits are bid)."""
    numbers = range(LOWEST_BID, HIGHEST_BID + 1)
    if not suits:
        return tuple(PlaceBid(tricks) for tricks in numbers)
    trumps = Rules("", no_trumps=no_trumps).trumps
    return tuple(PlaceBid(tricks, trump) for tricks in numbers for trump in trumps)


@cache
def _bids_from(start: int, *, suits: bool, no_trumps: bool) -> tuple[PlaceBid, ...]:
    return ladder(suits=suits, no_trumps=no_trumps)[start:]


def legal_bids(auction: Auction, seat: Seat) -> tuple[PlaceBid, ...]:
    """The bids open to `seat` whenever it speaks next, lowest first (R-AUC-2, R-AUC-9, R-AUC-10)."""
    rules, highest = auction.table.rules, auction.highest
    start = 0
    if highest is not None and highest.tricks is not None:
        if highest.trump is not None:
            trumps = rules.trumps
            start = (highest.tricks - LOWEST_BID) * len(trumps) + trumps.index(highest.trump) + 1
        else:
            may_match = rules.dealer_may_match and seat == auction.table.dealer
            start = highest.tricks - LOWEST_BID + (0 if may_match else 1)
    return _bids_from(start, suits=rules.auction == "suit_bids", no_trumps=rules.no_trumps)


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


def still_to_speak(auction: Auction) -> tuple[Seat, ...]:
    """The seats that would yet be asked if everybody went on passing, in order. The first is the next to call."""
    calls, rules = auction.calls, auction.table.rules
    after = seats_after(calls[-1].seat if calls else auction.table.dealer, rules.direction)
    match rules.auction:
        case "ascending":
            out = seats_passed(auction)
            holder = None if auction.highest is None else auction.highest.seat
            return tuple(seat for seat in after if seat not in out and seat != holder)
        case "single_round":
            return after[: len(SEATS) - len(calls)]
        case "suit_bids":
            return after[: len(SEATS) - auction.quiet]


def is_over(auction: Auction) -> bool:
    """Whether no seat still to speak has any call but pass (R-AUC-6): the one end of every kind of auction."""
    return not any(legal_bids(auction, seat) or may_double(auction, seat) for seat in still_to_speak(auction))


def is_thrown_in(auction: Auction) -> bool:
    """Whether it ended without a bid (R-AUC-5, R-AUC-11)."""
    return auction.highest is None and auction.quiet == len(SEATS)


def after_call(auction: Auction, call: Call) -> Auction:
    """The auction after a legal call, with the turn at the next seat to speak, if there is one."""
    highest, doubled_by, quiet = auction.highest, auction.doubled_by, auction.quiet + 1
    if call.type == "bid":
        highest, doubled_by, quiet = call, None, 0
    elif call.type == "double":
        doubled_by = call.seat
    calls = (*auction.calls, call)
    called = Auction(auction.table, auction.holdings, calls, call.seat, highest, doubled_by, quiet)
    to_speak = still_to_speak(called)
    if not to_speak:
        return called
    return Auction(auction.table, auction.holdings, calls, to_speak[0], highest, doubled_by, quiet)
