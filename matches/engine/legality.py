"""What a seat may do, and why it may not do something else: one generator answers both."""

from functools import cache, lru_cache

from matches.engine.auction import legal_calls, seats_passed
from matches.engine.cards import BIT, DECK, SUIT_MASK, SUIT_OF, CardSet, cards_in
from matches.engine.commands import Double, NameTrump, Pass, PlaceBid, PlayCard, PlayerAction
from matches.engine.errors import (
    AlreadyPassed,
    BidOutOfRange,
    BidTooLow,
    CardNotInHolding,
    DoubleNotAllowed,
    MatchNotStarted,
    MatchOver,
    MustBid,
    MustFollowSuit,
    NotSeated,
    NotYourTurn,
    RuleViolation,
    TrumpNotAllowed,
    TrumpRequired,
    WrongPhase,
)
from matches.engine.rules import HIGHEST_BID, LOWEST_BID, Rules
from matches.engine.seats import SEATS, Seat, team_of
from matches.engine.state import Auction, NamingTrump, Over, Play, State, Waiting, turn_of
from matches.engine.tricks import legal_cards

_PLAY = {card: PlayCard(card) for card in DECK}
_CLUBS, _DIAMONDS, _HEARTS, _SPADES = (SUIT_MASK[suit] for suit in ("C", "D", "H", "S"))


def legal_actions(state: State, seat: Seat) -> tuple[PlayerAction, ...]:
    """All that `seat` may do now; empty when it is not its turn.

    Bids from the lowest up, then pass, then double; trumps C D H S NT; cards clubs to spades, low to high.
    """
    if isinstance(state, Play):
        if seat != state.turn:
            return ()
        return _plays(legal_cards(state.holdings[seat], state.plays[0] if state.plays else None))
    if turn_of(state) != seat:
        return ()
    if isinstance(state, Auction):
        return legal_calls(state)
    if isinstance(state, NamingTrump):
        return _namings(no_trumps=state.table.rules.no_trumps)
    return ()


@lru_cache(maxsize=4096)
def _plays(cards: CardSet) -> tuple[PlayCard, ...]:
    # Asked for at every card of every match, and for most cards at least twice: to be shown, and to be decided on.
    return (
        _plays_in_suit(cards & _CLUBS)
        + _plays_in_suit(cards & _DIAMONDS)
        + _plays_in_suit(cards & _HEARTS)
        + _plays_in_suit(cards & _SPADES)
    )


@cache
def _plays_in_suit(cards: CardSet) -> tuple[PlayCard, ...]:
    # At most 8,192 sets a suit.
    return tuple(_PLAY[card] for card in cards_in(cards))


@cache
def _namings(*, no_trumps: bool) -> tuple[NameTrump, ...]:
    return tuple(NameTrump(trump) for trump in Rules("", no_trumps=no_trumps).trumps)


def out_of_phase(state: State) -> WrongPhase:
    """The refusal of something that does not belong to the phase the match is in."""
    if isinstance(state, Waiting):
        return MatchNotStarted()
    if isinstance(state, Over):
        return MatchOver()
    return WrongPhase(state.phase)


def refusal(state: State, seat: Seat | None, action: PlayerAction) -> RuleViolation:
    """Why `action`, which is not among `legal_actions(state, seat)`, is refused. `seat` is None for who holds none.

    Of several reasons the first in this order: the match, the seat, a final pass, the turn, the phase, the rule.
    """
    turn = turn_of(state)
    if isinstance(state, Waiting | Over):
        return out_of_phase(state)
    if seat is None or seat not in SEATS:
        return NotSeated()
    if isinstance(state, Auction) and isinstance(action, PlaceBid | Pass | Double) and seat in seats_passed(state):
        return AlreadyPassed(seat)
    if turn is None:
        return out_of_phase(state)
    if turn != seat:
        return NotYourTurn(seat, turn)
    return _broken_rule(state, seat, action)


def _broken_rule(state: State, seat: Seat, action: PlayerAction) -> RuleViolation:
    match state, action:
        case Auction(), PlaceBid():
            return _bid_refusal(state, action)
        case Auction(), Pass():
            return MustBid()
        case Auction(), Double():
            return _double_refusal(state, seat)
        case NamingTrump(), NameTrump():
            return TrumpNotAllowed(action.trump, "Trump cannot be named so in this match.")
        case Play(), PlayCard():
            return _card_refusal(state, seat, action)
        case _:
            return out_of_phase(state)


def _bid_refusal(auction: Auction, bid: PlaceBid) -> RuleViolation:
    rules, highest = auction.table.rules, auction.highest
    if not LOWEST_BID <= bid.tricks <= HIGHEST_BID:
        return BidOutOfRange(bid.tricks)
    if rules.auction != "suit_bids":
        if bid.trump is not None:
            return TrumpNotAllowed(bid.trump, "Here a bid is a number only.")
    elif bid.trump is None:
        return TrumpRequired()
    elif bid.trump not in rules.trumps:
        return TrumpNotAllowed(bid.trump, "That cannot be bid as trump in this match.")
    if highest is None or highest.tricks is None:
        # A number between 7 and 13 that is no bid, such as 7.5.
        return BidOutOfRange(bid.tricks)
    return BidTooLow(highest.tricks, highest.trump)


def _double_refusal(auction: Auction, seat: Seat) -> DoubleNotAllowed:
    if not auction.table.rules.doubling:
        return DoubleNotAllowed("There is no doubling in this match.")
    if auction.highest is None:
        return DoubleNotAllowed("There is no bid to double.")
    if team_of(auction.highest.seat) == team_of(seat):
        return DoubleNotAllowed("Only an opponent's bid can be doubled.")
    return DoubleNotAllowed("The bid is doubled already.")


def _card_refusal(play: Play, seat: Seat, action: PlayCard) -> RuleViolation:
    if not play.holdings[seat] & BIT.get(action.card, 0):
        return CardNotInHolding(action.card)
    return MustFollowSuit(action.card, SUIT_OF[play.plays[0]])
