"""Which card a beginner plays: from what lies on the table, the last trick and the own holding."""

from collections.abc import Sequence
from dataclasses import dataclass

from tarneeb_service.local.demo.cards import NO_TRUMPS, SUITS, beats, of_suit, rank, suit, winning_place
from tarneeb_service.local.demo.views import Hand, PlayedCard, Trick, You

EARLY = 5
"""Up to this trick the declarer's side expects trumps with the opponents, unless the last trick showed otherwise."""

KINGS_GROW_UP = 7
"""From this trick on an ace has most likely gone, and a king is treated as a winner."""


@dataclass(frozen=True, slots=True)
class Position:
    """What a player sees when it is their turn to play. `trump` is a suit or `NT`; `playable` is not empty."""

    seat: int
    holding: tuple[str, ...]
    playable: tuple[str, ...]
    plays: tuple[PlayedCard, ...]
    trump: str
    declarer: int | None
    number: int
    last: Trick | None

    @property
    def declaring(self) -> bool:
        """Whether the player's own team won the auction."""
        return self.declarer is not None and self.declarer % 2 == self.seat % 2


def position_of(you: You, hand: Hand) -> Position | None:
    """What the view says about the trick; None when no card can be played."""
    playable = tuple(action.card for action in you.legal_actions if action.card is not None)
    if not playable:
        return None
    contract, trick = hand.contract, hand.trick
    return Position(
        seat=you.seat,
        holding=you.holding,
        playable=playable,
        plays=trick.plays if trick is not None else (),
        trump=contract.trump if contract is not None else NO_TRUMPS,
        declarer=contract.declarer if contract is not None else None,
        number=trick.number if trick is not None else 1,
        last=hand.last_trick,
    )


def choose_card(position: Position) -> str:
    """The card to play, one of `position.playable`."""
    return _follow(position) if position.plays else _lead(position)


# Leading


def _lead(position: Position) -> str:
    trumps = of_suit(position.playable, position.trump)
    if trumps and position.declaring and _trumps_are_out(position):
        return _draw(trumps)
    winners = [held for held in _sides(position) if _is_sure(held[0], position)]
    if winners:
        # In a short suit the others hold more, so that nobody is likely to ruff.
        return min(winners, key=lambda held: (len(held), held[0]))[0]
    return _lead_without_winner(position, trumps)


def _lead_without_winner(position: Position, trumps: Sequence[str]) -> str:
    sides = _sides(position)
    if not sides:
        return trumps[0]
    if trumps and not position.declaring:
        singles = [held[0] for held in sides if len(held) == 1 and rank(held[0]) < rank("KC")]
        if singles:
            return min(singles, key=_cheapness)
    best = max(sides, key=lambda held: (len(held), sum(map(rank, held))))
    touching = len(best) > 1 and rank(best[0]) >= rank("QC") and rank(best[0]) - rank(best[1]) == 1
    return best[0] if touching else best[-1]


def _draw(trumps: Sequence[str]) -> str:
    top = [rank(card) for card in trumps[:2]]
    from_strength = top[0] == rank("AC") or (len(top) > 1 and top[0] - top[1] == 1)
    return trumps[0] if from_strength or len(trumps) <= 2 else trumps[-1]


def _trumps_are_out(position: Position) -> bool:
    """Whether to expect trumps in the opponents' holdings: early on, unless they just showed that they have none."""
    last = position.last
    if last is not None and last.plays and suit(last.plays[0].card) == position.trump:
        theirs = [play.card for play in last.plays if play.seat % 2 != position.seat % 2]
        return any(suit(card) == position.trump for card in theirs)
    return position.number <= EARLY


def _is_sure(card: str, position: Position) -> bool:
    """Whether no higher card of the suit can be in another holding, as far as this player can tell."""
    if rank(card) == rank("KC") and position.number >= KINGS_GROW_UP:
        return True
    seen = set(position.holding) | {play.card for play in position.plays}
    if position.last is not None:
        seen |= {play.card for play in position.last.plays}
    above = [other for other in ("TJQKA"[place] + suit(card) for place in range(5)) if rank(other) > rank(card)]
    return rank(card) >= rank("TC") and all(other in seen for other in above)


# Following


def _follow(position: Position) -> str:
    cards = [play.card for play in position.plays]
    place = winning_place(cards, position.trump)
    best = cards[place]
    winners = sorted((card for card in position.playable if beats(card, best, position.trump)), key=_cheapness)
    partner_wins = position.plays[place].seat % 2 == position.seat % 2
    if not winners or (partner_wins and _partner_holds(position, best)):
        return _discard(position)
    following = suit(winners[0]) == suit(cards[0])
    if not following:
        return winners[0] if suit(winners[0]) == position.trump else _discard(position)
    if len(cards) == 3:
        return winners[0]
    return _contest(position, winners, partner_wins=partner_wins)


def _partner_holds(position: Position, best: str) -> bool:
    """Whether the partner's card can be left to win: nobody is still to play, or it is as good as sure."""
    return len(position.plays) == 3 or suit(best) == position.trump or rank(best) >= rank("QC")


def _contest(position: Position, winners: Sequence[str], *, partner_wins: bool) -> str:
    """With opponents still to play: a sure card or the third player's high one, else the lowest."""
    top = winners[-1]
    sure = _is_sure(top, position)
    third = len(position.plays) == 2
    if sure or (third and not partner_wins):
        return _lowest_equal(winners)
    return _discard(position)


def _lowest_equal(winners: Sequence[str]) -> str:
    """The lowest card that is as good as the highest: from king and queen the queen."""
    chosen = winners[-1]
    for card in reversed(winners[:-1]):
        if suit(card) != suit(chosen) or rank(chosen) - rank(card) != 1:
            break
        chosen = card
    return chosen


def _discard(position: Position) -> str:
    """The card that is missed least: no trump, from a low rank up, and out of a short suit to ruff it later."""
    plain = [card for card in position.playable if suit(card) != position.trump] or list(position.playable)
    lengths = {side: len(of_suit(plain, side)) for side in SUITS}

    def cost(card: str) -> tuple[bool, int, int, str]:
        bare = lengths[suit(card)] == 2 and f"K{suit(card)}" in plain
        return (bare or rank(card) >= rank("QC"), rank(card), lengths[suit(card)], suit(card))

    return min(plain, key=cost)


def _sides(position: Position) -> list[list[str]]:
    """The playable cards of each suit but trumps, highest first."""
    held = (of_suit(position.playable, side) for side in SUITS if side != position.trump)
    return [cards for cards in held if cards]


def _cheapness(card: str) -> tuple[int, str]:
    return (rank(card), suit(card))
