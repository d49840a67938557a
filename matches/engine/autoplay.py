"""The move that the service makes for a player whose time ran out (R-CLK-1, R-CLK-2)."""

from matches.engine.auction import PASS, is_last_without_bid, may_pass
from matches.engine.cards import RANK_OF, SUIT_MASK, SUIT_OF, SUITS, Card, CardSet, Suit, cards_in
from matches.engine.commands import NameTrump, PlaceBid, PlayCard, PlayerAction
from matches.engine.legality import out_of_phase
from matches.engine.rules import LOWEST_BID
from matches.engine.state import Auction, NamingTrump, Play, State
from matches.engine.tricks import legal_cards


def autoplay(state: State) -> PlayerAction:
    """A legal move for the seat whose turn it is.

    In the auction a pass, or 7 where passing is not legal or would throw the hand in; the suit held most of; the
    weakest legal card. Raises `WrongPhase` (or `MatchNotStarted`, `MatchOver`) when nobody is to act.
    """
    match state:
        case Auction() if state.quiet < 4 or state.highest is not None:
            return _call(state)
        case NamingTrump():
            return NameTrump(longest_suit(state.holdings[state.turn]))
        case Play() if state.holdings[state.turn]:
            return PlayCard(_weakest_card(state))
        case _:
            raise out_of_phase(state)


def _call(auction: Auction) -> PlayerAction:
    if may_pass(auction, auction.turn) and not is_last_without_bid(auction):
        return PASS
    suits_are_bid = auction.table.rules.auction == "suit_bids"
    return PlaceBid(LOWEST_BID, longest_suit(auction.holdings[auction.turn]) if suits_are_bid else None)


def longest_suit(holding: CardSet) -> Suit:
    """The suit held most of; of equals the one with the higher sum of ranks, then S > H > D > C (R-CLK-2)."""

    def length_and_strength(suit: Suit) -> tuple[int, int, int]:
        cards = cards_in(holding & SUIT_MASK[suit])
        return len(cards), sum(RANK_OF[card] for card in cards), SUITS.index(suit)

    return max(SUITS, key=length_and_strength)


def _weakest_card(play: Play) -> Card:
    """Not a trump before a trump, then lower rank, then C, D, H, S (R-CLK-2)."""
    trump = play.contract.trump

    def strength(card: Card) -> tuple[bool, int, int]:
        suit = SUIT_OF[card]
        return suit == trump, RANK_OF[card], SUITS.index(suit)

    led = play.plays[0] if play.plays else None
    return min(cards_in(legal_cards(play.holdings[play.turn], led)), key=strength)
