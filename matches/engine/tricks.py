"""Which cards may be played, and who takes the trick (R-PLAY-1 to R-PLAY-3)."""

from collections.abc import Sequence

from matches.engine.cards import BIT, DECK, SUIT_MASK_OF, Card, CardSet
from matches.engine.seats import Seat


def legal_cards(holding: CardSet, led: Card | None) -> CardSet:
    """The cards of `holding` that may be played to the lead `led`, or led if it is None (R-PLAY-1, R-PLAY-2)."""
    if led is None:
        return holding
    return holding & SUIT_MASK_OF[led] or holding


def trick_winner(plays: Sequence[Card], leader: Seat, step: int, trump_mask: CardSet) -> Seat:
    """Who takes a trick whose cards are `plays`, in the order of play from `leader` on (R-PLAY-3).

    `step` leads from one seat to the next, as in `seats.STEP`; `trump_mask` holds every trump, none for no trumps. Of
    an unfinished trick it is the seat that would take it as it stands.
    """
    played = 0
    for card in plays:
        played |= BIT[card]
    contending = played & trump_mask or played & SUIT_MASK_OF[plays[0]]
    # Within a suit the bits run from low to high, so the highest bit is the highest card.
    best = DECK[contending.bit_length() - 1]
    return (leader + step * plays.index(best)) & 3
