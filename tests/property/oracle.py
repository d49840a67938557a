"""The rules once more: plain, slow, written from the rule book alone, sharing no code with the engine.

Everything here is strings, lists and dictionaries. A call or play is a tuple: `("bid", 8, None)`, `("bid", 9, "H")`,
`("pass",)`, `("double",)`, `("name_trump", "S")`, `("play", "AS")`. Knobs are a dictionary by their names in the rules.
Two that agree on thousands of games are seldom wrong in the same place.
"""

from dataclasses import dataclass, field
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


# Match


@dataclass
class OracleMatch:
    """A match as four people with paper would keep it."""

    knobs: Knobs
    dealer: int
    totals: list[int] = field(default_factory=lambda: [0, 0])
    hand: int = 1
    deal: int = 0
    phase: str = "dealing"
    winner: int | None = None
    rows: list[tuple[int, int]] = field(default_factory=list)
    holdings: dict[int, list[str]] = field(default_factory=dict)
    spoken: list[SpokenCall] = field(default_factory=list)
    declarer: int = -1
    bid: int = 0
    trump: str = ""
    doubled: bool = False
    leader: int = -1
    plays: list[str] = field(default_factory=list)
    tricks: list[int] = field(default_factory=lambda: [0, 0])
    last_trick: tuple[int, list[str], int] | None = None
    """Leader, cards and winner."""

    def deal_out(self, deck: list[str]) -> None:
        """R-DEAL-2; the hand begins."""
        self.deal += 1
        self.holdings = dealt(deck, self.dealer, self.knobs)
        self.spoken, self.plays, self.tricks, self.last_trick = [], [], [0, 0], None
        self.phase = "auction"

    def turn(self) -> int | None:
        """Whose turn it is."""
        if self.phase == "auction":
            return speaker(self.knobs, self.dealer, self.spoken)
        if self.phase == "naming_trump":
            return self.declarer
        if self.phase == "play":
            seat = self.leader
            for _ in self.plays:
                seat = following(seat, self.knobs)
            return seat
        return None

    def allowed(self) -> list[Act]:
        """What the seat to act may do, in the order in which the service offers it."""
        if self.phase == "auction":
            return calls_allowed(self.knobs, self.dealer, self.spoken)
        if self.phase == "naming_trump":
            return [("name_trump", suit) for suit in BID_SUITS if suit != "NT" or self.knobs["no_trumps"]]
        seat = self.turn()
        if seat is None:
            return []
        held = sorted(self.holdings[seat], key=NEW_DECK.index)
        return [("play", card) for card in cards_allowed(held, self.plays)]

    def automatic(self) -> Act:
        """R-CLK-1: what the service does for the seat to act."""
        seat = self.turn()
        assert seat is not None
        if self.phase == "auction":
            return autocall(self.knobs, self.dealer, self.spoken, self.holdings[seat])
        if self.phase == "naming_trump":
            return ("name_trump", longest_suit(self.holdings[seat]))
        return ("play", weakest(cards_allowed(self.holdings[seat], self.plays), self.trump))

    def do(self, act: Act) -> None:
        """The seat to act does this."""
        seat = self.turn()
        assert seat is not None
        if act[0] == "name_trump":
            self.begin_play(act[1])
        elif act[0] == "play":
            self.play(seat, act[1])
        else:
            self.spoken.append((seat, act))
            if not is_open(self.knobs, self.dealer, self.spoken):
                self.close_auction()

    def close_auction(self) -> None:
        """A contract, or a hand thrown in (R-AUC-5, R-AUC-7, R-DEAL-3)."""
        made = bids(self.spoken)
        if not made:
            self.phase = "dealing"
            return
        self.declarer, self.bid, suit = made[-1]
        self.doubled = doubled_by(self.spoken) is not None
        if suit is None:
            self.phase = "naming_trump"
        else:
            self.begin_play(suit)

    def begin_play(self, trump: str) -> None:
        """R-PLAY-1."""
        self.trump = trump
        self.leader = self.declarer
        self.phase = "play"

    def play(self, seat: int, card: str) -> None:
        """R-PLAY-3, R-PLAY-4."""
        self.holdings[seat].remove(card)
        self.plays.append(card)
        if len(self.plays) < 4:
            return
        order = [self.leader]
        while len(order) < 4:
            order.append(following(order[-1], self.knobs))
        taker = order[trick_taken_by(self.plays, self.trump)]
        self.last_trick = (self.leader, self.plays, taker)
        self.tricks[team(taker)] += 1
        self.leader, self.plays = taker, []
        if sum(self.tricks) == 13:
            self.settle()

    def settle(self) -> None:
        """The hand is scored; the match may be won (R-MAT-1, R-MAT-2, R-DEAL-1)."""
        side = team(self.declarer)
        ours, theirs = points(self.knobs, self.bid, self.tricks[side], doubled=self.doubled)
        row = (ours, theirs) if side == 0 else (theirs, ours)
        self.rows.append(row)
        self.totals = [self.totals[0] + row[0], self.totals[1] + row[1]]
        for candidate in (0, 1):
            if self.totals[candidate] >= self.knobs["target"]:
                self.winner = candidate
                self.phase = "over"
                return
        self.phase = "dealing"
        self.hand += 1
        self.deal = 0
        self.dealer = following(self.dealer, self.knobs)


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
