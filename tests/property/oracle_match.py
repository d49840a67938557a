"""A match kept as four people with paper would keep it, by the oracle's rules and none of the engine's code."""

from dataclasses import dataclass, field

from tests.property.oracle import (
    BID_SUITS,
    NEW_DECK,
    Act,
    Knobs,
    SpokenCall,
    autocall,
    bids,
    calls_allowed,
    cards_allowed,
    dealt,
    doubled_by,
    following,
    is_open,
    longest_suit,
    points,
    speaker,
    team,
    trick_taken_by,
    weakest,
)


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
