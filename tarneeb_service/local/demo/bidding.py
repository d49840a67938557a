"""What a holding is worth, and which call a beginner makes with it.

The figures are tricks: what the own thirteen cards should take with a suit as trump, and what a partner brings on
average. Played out over some thousands of deals they make four contracts in five, and one double in three is a mistake.
"""

from collections.abc import Iterable, Sequence

from tarneeb_service.local.demo.cards import NO_TRUMPS, SUITS, of_suit
from tarneeb_service.local.demo.views import Action, Bid, Hand, You

PARTNER = 2.9
"""The tricks an unknown partner brings."""

DEFENDING_PARTNER = 2.5
"""The same against a contract, when the opponents have the better cards."""

# A top card's chance of a trick, and how many cards must stand beside it for that.
TRUMP_HONOURS = {"A": (1.0, 1), "K": (0.9, 2), "Q": (0.65, 3), "J": (0.35, 4)}
SIDE_HONOURS = {"A": (0.95, 1), "K": (0.6, 2), "Q": (0.25, 3)}


def suit_worth(holding: Iterable[str], trump: str) -> float:
    """Tricks to expect from these cards with `trump` as trump suit, without the partner's."""
    cards = tuple(holding)
    trumps = of_suit(cards, trump)
    worth = _honours(trumps, TRUMP_HONOURS) + 0.85 * max(0, len(trumps) - 3)
    if len(trumps) < 4:
        worth -= 0.75
    ruffs = 0.0
    for side in SUITS:
        if side != trump:
            held = of_suit(cards, side)
            worth += _honours(held, SIDE_HONOURS)
            ruffs += {0: 1.0, 1: 0.5}.get(len(held), 0.0)
    return worth + min(ruffs, max(0.0, (len(trumps) - 3) * 0.6))


def no_trump_worth(holding: Iterable[str]) -> float:
    """Tricks to expect from these cards without trumps, without the partner's."""
    cards = tuple(holding)
    worth = -0.5
    for side in SUITS:
        held = of_suit(cards, side)
        sure = sum(card[0] == top for card, top in zip(held, "AKQJT", strict=False))
        worth += sure + _honours(held[sure:], SIDE_HONOURS)
        if not held:
            worth -= 1.5
        elif sure and len(held) >= 5:
            worth += 0.7 * (len(held) - 4)
    return worth


def best_trump(holding: Iterable[str], allowed: Sequence[str]) -> tuple[str, float]:
    """The trump of `allowed` (not empty) that suits the holding best, and its tricks. Ties go to the later."""
    cards = tuple(holding)
    worth = {trump: no_trump_worth(cards) if trump == NO_TRUMPS else suit_worth(cards, trump) for trump in allowed}
    best = max(allowed, key=lambda trump: (worth[trump], allowed.index(trump)))
    return best, worth[best]


def defence_worth(holding: Iterable[str], trump: str) -> float:
    """Tricks to expect from these cards against a contract in `trump`."""
    cards = tuple(holding)
    worth = sum(_honours(of_suit(cards, side), {"A": (0.9, 1), "K": (0.5, 2)}) for side in SUITS if side != trump)
    trumps = of_suit(cards, trump)
    return worth + _honours(trumps, TRUMP_HONOURS) + 0.5 * max(0, len(trumps) - 3)


def choose_call(you: You, hand: Hand, *, single_round: bool, nerve: float) -> Action:
    """The call to make: one of `you.legal_actions`, which is not empty.

    `single_round` says that there is one call for each player; `nerve` is a number of tricks added to what the cards
    promise.
    """
    bids = tuple(action for action in you.legal_actions if action.type == "bid")
    rest = _of_type(you.legal_actions, "pass")
    double = _of_type(you.legal_actions, "double")
    if rest is None:
        return _forced(bids, you.holding) if bids else you.legal_actions[0]
    highest = hand.highest_bid
    if highest is not None and highest.seat == you.seat:
        return rest
    if double is not None and highest is not None and _should_double(you.holding, highest, nerve):
        return double
    return (_worth_bidding(you, hand, bids, single_round=single_round, nerve=nerve) if bids else None) or rest


def _worth_bidding(you: You, hand: Hand, bids: Sequence[Action], *, single_round: bool, nerve: float) -> Action | None:
    highest = hand.highest_bid
    trump, worth = best_trump(you.holding, _trumps_of(bids))
    in_suit = [bid for bid in bids if bid.trump in {None, trump}]
    expected = worth + PARTNER + nerve
    if highest is not None and _partners(highest.seat, you.seat):
        # Taking the bid from the partner pays only with a clearly better holding.
        expected -= 1.5
    affordable = [bid for bid in in_suit if _tricks(bid) <= expected]
    if not affordable:
        # Speaking last with no bid made, a nearly good holding is better played than dealt anew.
        last = highest is None and len(hand.calls) >= 3
        return min((bid for bid in in_suit if last and _tricks(bid) <= expected + 0.75), key=_tricks, default=None)
    if single_round:
        # There is no second call, so this one says it all, with a little kept back for bad luck.
        return max((bid for bid in affordable if _tricks(bid) <= expected - 0.5), key=_tricks, default=affordable[0])
    return min(affordable, key=_tricks)


def _forced(bids: Sequence[Action], holding: Iterable[str]) -> Action:
    trump, _ = best_trump(holding, _trumps_of(bids))
    return min(bids, key=lambda bid: (_tricks(bid), bid.trump not in {None, trump}))


def _should_double(holding: Iterable[str], highest: Bid, nerve: float) -> bool:
    needed = 14 - highest.tricks
    return defence_worth(holding, highest.trump or NO_TRUMPS) + DEFENDING_PARTNER + nerve >= needed


def _trumps_of(bids: Sequence[Action]) -> tuple[str, ...]:
    """The suits that are bid; where a bid is a number alone, the suits that can be named later."""
    named = {bid.trump for bid in bids}
    return tuple(trump for trump in (*SUITS, NO_TRUMPS) if trump in named) or tuple(SUITS)


def _honours(held: Sequence[str], chances: dict[str, tuple[float, int]]) -> float:
    worth = 0.0
    for card in held:
        chance, length = chances.get(card[0], (0.0, 0))
        if len(held) >= length:
            worth += chance
    return worth


def _of_type(actions: Iterable[Action], wanted: str) -> Action | None:
    return next((action for action in actions if action.type == wanted), None)


def _tricks(bid: Action) -> int:
    return bid.tricks or 0


def _partners(seat: int, other: int) -> bool:
    return seat != other and seat % 2 == other % 2
