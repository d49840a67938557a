"""Cards, suits and sets of cards (R-TAB-3).

A card is its name, rank then suit (`"TS"` is the ten of spades): what the log stores, the API sends and a player says
is one and the same string. A set of cards is an `int` with one bit a card, because a holding changes with every play
and an `int` is copied, compared and searched for a suit in a few nanoseconds.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias, cast

Suit: TypeAlias = Literal["C", "D", "H", "S"]
Trump: TypeAlias = Literal["C", "D", "H", "S", "NT"]
Card: TypeAlias = Literal[
    "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC",
    "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD",
    "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH", "AH",
    "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS",
]  # fmt: skip

CardSet: TypeAlias = int
"""Bit `13 * suit + rank` stands for a card, suits in the order C D H S, ranks from 0 for the two to 12 for the ace."""

SUITS: tuple[Suit, ...] = ("C", "D", "H", "S")
TRUMPS: tuple[Trump, ...] = ("C", "D", "H", "S", "NT")
"""In bidding order, low to high (R-AUC-10)."""
RANKS = "23456789TJQKA"

DECK: tuple[Card, ...] = tuple(cast("Card", rank + suit) for suit in SUITS for rank in RANKS)
"""All 52 cards; a card's place here is its bit in a `CardSet`."""

BIT: dict[Card, CardSet] = {card: 1 << place for place, card in enumerate(DECK)}
FULL_DECK: CardSet = (1 << 52) - 1

SUIT_MASK: dict[Trump, CardSet] = {suit: 0x1FFF << (13 * place) for place, suit in enumerate(SUITS)} | {"NT": 0}
"""Every card of the suit; no card at all for no trumps."""

SUIT_OF: dict[Card, Suit] = {card: cast("Suit", card[1]) for card in DECK}
RANK_OF: dict[Card, int] = {card: RANKS.index(card[0]) + 2 for card in DECK}
"""2 for the two up to 14 for the ace, as R-CLK-2 sums them."""

SUIT_MASK_OF: dict[Card, CardSet] = {card: SUIT_MASK[SUIT_OF[card]] for card in DECK}
"""Every card of the suit that this card belongs to."""


def card_set(cards: Iterable[Card]) -> CardSet:
    """The set of these cards."""
    bits = 0
    for card in cards:
        bits |= BIT[card]
    return bits


def cards_in(bits: CardSet) -> tuple[Card, ...]:
    """The cards of a set, clubs to spades, low to high."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(DECK[lowest.bit_length() - 1])
        bits ^= lowest
    return tuple(found)
