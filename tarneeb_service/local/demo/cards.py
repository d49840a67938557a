"""Cards as the API names them: rank then suit, `"TS"` for the ten of spades."""

from collections.abc import Iterable, Sequence

RANKS = "23456789TJQKA"
SUITS = "CDHS"
NO_TRUMPS = "NT"

GLYPHS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def rank(card: str) -> int:
    """2 for the two up to 14 for the ace."""
    return RANKS.index(card[0]) + 2


def suit(card: str) -> str:
    """One of `C D H S`."""
    return card[1]


def of_suit(cards: Iterable[str], wanted: str) -> list[str]:
    """The cards of one suit, highest first; none for no trumps."""
    return sorted((card for card in cards if card[1] == wanted), key=rank, reverse=True)


def beats(card: str, other: str, trump: str) -> bool:
    """Whether `card`, played after `other` that leads the trick so far, takes it over."""
    if suit(card) == suit(other):
        return rank(card) > rank(other)
    return suit(card) == trump


def winning_place(cards: Sequence[str], trump: str) -> int:
    """Which of the cards of a trick, in the order of play, wins it so far. `cards` is not empty."""
    best = 0
    for place in range(1, len(cards)):
        if beats(cards[place], cards[best], trump):
            best = place
    return best


def shown_rank(card: str) -> str:
    """The rank as a card shows it: the ten with both digits."""
    return "10" if card[0] == "T" else card[0]
