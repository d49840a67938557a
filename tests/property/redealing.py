"""Another match that a viewer cannot tell from this one: the cards they may not see, dealt differently."""

from collections.abc import Iterator
from random import Random
from typing import cast

from msgspec.structs import replace

from matches.engine import Auditor, SeatViewer, Viewer
from matches.engine.cards import Card
from matches.engine.events import CardPlayed, Event, HandDealt, Holdings
from matches.engine.seats import SEATS, Seat

SWAPS = 80


def redealt(events: list[Event], viewer: Viewer, random: Random) -> list[Event]:
    """The same log with the hidden cards of every deal exchanged among the hidden holdings.

    Cards that were played stay where they were, and nobody gets a card of a suit that they have shown not to hold: the
    other log is as legal as this one. The salts of hidden deals change too.
    """
    other = list(events)
    for deals, (place, dealt, plays) in enumerate(_deals(events), start=1):
        hidden = _hidden_seats(viewer, deals)
        if hidden:
            holdings = _exchanged(dealt.holdings, hidden, plays, random)
            other[place] = replace(dealt, holdings=holdings, salt=f"{random.getrandbits(128):032x}")
    return other


def _deals(events: list[Event]) -> Iterator[tuple[int, HandDealt, list[CardPlayed]]]:
    """Every deal with its place in the log and the cards played in it."""
    places = [place for place, event in enumerate(events) if isinstance(event, HandDealt)]
    for place, end in zip(places, [*places[1:], len(events)], strict=True):
        dealt = events[place]
        assert isinstance(dealt, HandDealt)
        yield place, dealt, [event for event in events[place:end] if isinstance(event, CardPlayed)]


def _hidden_seats(viewer: Viewer, deals: int) -> list[Seat]:
    """Whose cards of this deal the viewer may not see."""
    if isinstance(viewer, SeatViewer):
        return [seat for seat in SEATS if seat != viewer.seat]
    if isinstance(viewer, Auditor) and deals <= viewer.open_deals:
        return []
    return list(SEATS)


def _exchanged(holdings: Holdings, hidden: list[Seat], plays: list[CardPlayed], random: Random) -> Holdings:
    played = {play.card for play in plays}
    lacking = {seat: _suits_lacking(seat, plays) for seat in SEATS}
    dealt = [list(holding) for holding in holdings]
    unseen = [(seat, place) for seat in hidden for place in range(13) if dealt[seat][place] not in played]
    for _ in range(SWAPS if len(unseen) > 1 else 0):
        (one, here), (other, there) = random.sample(unseen, 2)
        mine, theirs = dealt[one][here], dealt[other][there]
        if mine[1] not in lacking[other] and theirs[1] not in lacking[one]:
            dealt[one][here], dealt[other][there] = theirs, mine
    return cast("Holdings", tuple(tuple[Card, ...](holding) for holding in dealt))


def _suits_lacking(seat: Seat, plays: list[CardPlayed]) -> set[str]:
    """The suits that the seat failed to follow."""
    lacking = set()
    for first in range(0, len(plays), 4):
        led = plays[first].card[1]
        lacking |= {led for play in plays[first : first + 4] if play.seat == seat and play.card[1] != led}
    return lacking
