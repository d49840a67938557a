"""The rules once more: plain, slow, written from the rule book alone, sharing no code with the engine.

Everything here is strings, lists and dictionaries. A call or play is a tuple: `("bid", 8, None)`, `("bid", 9, "H")`,
`("pass",)`, `("double",)`, `("name_trump", "S")`, `("play", "AS")`. Knobs are a dictionary by their names in the rules.
Two that agree on thousands of games are seldom wrong in the same place.
"""

from typing import Any, TypeAlias

Knobs: TypeAlias = dict[str, Any]
Act: TypeAlias = tuple[Any, ...]
SpokenCall: TypeAlias = tuple[int, Act]

HIGH_TO_LOW = "AKQJT98765432"
BID_SUITS = ["C", "D", "H", "S", "NT"]


NEW_DECK = [rank + suit for suit in "CDHS" for rank in reversed(HIGH_TO_LOW)]
"""52 cards, clubs first, each suit from the two up."""


# Table


def team(seat: int) -> int:
    """R-TAB-1."""
    return 0 if seat in (0, 2) else 1


def following(seat: int, knobs: Knobs) -> int:
    """R-TAB-2."""
    if knobs["direction"] == "clockwise":
        return (seat - 1) % 4
    return (seat + 1) % 4


def round_from(dealer: int, knobs: Knobs) -> list[int]:
    """The four seats in turn, the dealer last."""
    order = [following(dealer, knobs)]
    while len(order) < 4:
        order.append(following(order[-1], knobs))
    return order


def dealt(deck: list[str], dealer: int, knobs: Knobs) -> dict[int, list[str]]:
    """R-DEAL-2."""
    order = round_from(dealer, knobs)
    holdings: dict[int, list[str]] = {0: [], 1: [], 2: [], 3: []}
    for number, card in enumerate(deck):
        place = number % 4 if knobs["deal_style"] == "one_by_one" else number // 13
        holdings[order[place]].append(card)
    return holdings


# Auction


def bids(spoken: list[SpokenCall]) -> list[tuple[int, int, str | None]]:
    """Seat, number and suit of every bid made."""
    return [(seat, act[1], act[2]) for seat, act in spoken if act[0] == "bid"]


def doubled_by(spoken: list[SpokenCall]) -> int | None:
    """Who doubled the last bid."""
    for seat, act in reversed(spoken):
        if act[0] == "double":
            return seat
        if act[0] == "bid":
            return None
    return None


def speaker(knobs: Knobs, dealer: int, spoken: list[SpokenCall]) -> int | None:
    """Who speaks next by the order of turns alone, None once the auction has run its course (R-AUC-3, 4, 5, 9, 11)."""
    order = round_from(dealer, knobs)
    if knobs["auction"] == "single_round":
        return order[len(spoken)] if len(spoken) < 4 else None
    if knobs["auction"] == "suit_bids":
        if len(spoken) >= 4 and all(act[0] != "bid" for _, act in spoken[-4:]):
            return None
        return order[len(spoken) % 4]
    out = {seat for seat, act in spoken if act[0] == "pass"}
    if len(out) == 4 or (len(out) == 3 and bids(spoken)):
        return None
    seat = following(spoken[-1][0], knobs) if spoken else order[0]
    while seat in out:
        seat = following(seat, knobs)
    return seat


def possible_bids(knobs: Knobs) -> list[Act]:
    """Every bid there is, low to high (R-AUC-1, R-AUC-10)."""
    suits: list[str | None] = [None]
    if knobs["auction"] == "suit_bids":
        suits = [suit for suit in BID_SUITS if suit != "NT" or knobs["no_trumps"]]
    return [("bid", number, suit) for number in range(7, 14) for suit in suits]


def calls_allowed(knobs: Knobs, dealer: int, spoken: list[SpokenCall]) -> list[Act]:
    """What the next speaker may say."""
    seat = speaker(knobs, dealer, spoken)
    assert seat is not None
    made = bids(spoken)
    every = possible_bids(knobs)
    allowed = list(every)
    if made:
        highest = ("bid", made[-1][1], made[-1][2])
        allowed = every[every.index(highest) + 1 :]
        if knobs["auction"] == "single_round" and knobs["dealer_may_match"] and seat == dealer:
            allowed = [highest, *allowed]
    passes_before = sum(act[0] == "pass" for _, act in spoken)
    if not (knobs["dealer_must_bid"] and seat == dealer and passes_before == 3 and not made):
        allowed.append(("pass",))
    if knobs["doubling"] and made and team(made[-1][0]) != team(seat) and doubled_by(spoken) is None:
        allowed.append(("double",))
    return allowed


def is_open(knobs: Knobs, dealer: int, spoken: list[SpokenCall]) -> bool:
    """R-AUC-6: the auction goes on while somebody still to speak could do other than pass.

    Found by letting everybody pass from here on and asking each what else they could have said.
    """
    imagined = list(spoken)
    while (seat := speaker(knobs, dealer, imagined)) is not None:
        if calls_allowed(knobs, dealer, imagined) != [("pass",)]:
            return True
        imagined.append((seat, ("pass",)))
    return False


def autocall(knobs: Knobs, dealer: int, spoken: list[SpokenCall], holding: list[str]) -> Act:
    """R-CLK-1 in the auction."""
    last_to_speak = [act for _, act in spoken] == [("pass",)] * 3
    if last_to_speak or ("pass",) not in calls_allowed(knobs, dealer, spoken):
        return ("bid", 7, longest_suit(holding) if knobs["auction"] == "suit_bids" else None)
    return ("pass",)


# Play


def rank(card: str) -> int:
    """2 to 14."""
    return 14 - HIGH_TO_LOW.index(card[0])


def cards_allowed(holding: list[str], plays: list[str]) -> list[str]:
    """R-PLAY-1, R-PLAY-2."""
    if plays:
        same = [card for card in holding if card[1] == plays[0][1]]
        if same:
            return same
    return list(holding)


def trick_taken_by(plays: list[str], trump: str) -> int:
    """Which of the four cards wins, counted from 0 for the one led (R-PLAY-3)."""
    trumps = [card for card in plays if card[1] == trump]
    contenders = trumps or [card for card in plays if card[1] == plays[0][1]]
    return plays.index(max(contenders, key=rank))


def longest_suit(holding: list[str]) -> str:
    """R-CLK-2."""
    best = ""
    best_figures = (0, 0)
    for suit in "SHDC":
        ranks = [rank(card) for card in holding if card[1] == suit]
        if (len(ranks), sum(ranks)) > best_figures:
            best, best_figures = suit, (len(ranks), sum(ranks))
    return best


def weakest(allowed: list[str], trump: str) -> str:
    """R-CLK-2."""
    return sorted(allowed, key=lambda card: (card[1] == trump, rank(card), "CDHS".index(card[1])))[0]


# Score


def points(knobs: Knobs, bid: int, won: int, *, doubled: bool) -> tuple[int, int]:
    """Declarer's team's figure, then the defenders' (R-SCO-1 to R-SCO-7)."""
    if bid < 13:
        if won == 13:
            ours, theirs = 16, 0
        elif won >= bid:
            ours, theirs = won, 0
        else:
            ours, theirs = -bid, 13 - won
    elif won == 13:
        ours, theirs = 26, 0
    else:
        ours, theirs = -16, 2 * (13 - won)
    if doubled:
        ours = 2 * ours
        if knobs["double_defenders"]:
            theirs = 2 * theirs
    return ours, theirs


# Sheet


def paper_sheet(rows: list[tuple[int, int]]) -> list[dict[str, list[int]]]:
    """Entries, lines and debts after each row, a dictionary a team (R-SHT-2), as somebody with a pencil would."""
    teams = []
    for which in (0, 1):
        line = debt = 0
        book: dict[str, list[int]] = {"entries": [], "lines": [], "debts": []}
        for row in rows:
            gained = row[which]
            entered = 0
            if gained < 0:
                debt += -gained
            else:
                for _ in range(gained):
                    if debt:
                        debt -= 1
                    else:
                        entered += 1
            line += entered
            book["entries"].append(entered)
            book["lines"].append(line)
            book["debts"].append(debt)
        teams.append(book)
    return teams
