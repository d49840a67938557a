"""A match played by the engine and, beside it, by the oracle: after every event the two are compared."""

from collections.abc import Sequence
from random import Random

import msgspec

from matches.engine import autoplay, decide, evolve, fold, legal_actions, sheet, turn_of
from matches.engine.cards import FULL_DECK, card_set
from matches.engine.commands import (
    SYSTEM,
    Actor,
    Command,
    CreateMatch,
    Deal,
    PlayerAction,
    StartMatch,
    TakeSeat,
)
from matches.engine.errors import RuleViolation
from matches.engine.events import CardPlayed, Event, HandDealt, HandScored, HandThrownIn, MatchWon
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.seats import SEATS, Seat
from matches.engine.state import Auction, Dealing, NamingTrump, Over, Play, State
from tests.cast import ANCHOR, CAST, SALT, TENANT, shuffled
from tests.property.oracle import NEW_DECK, doubled_by, paper_sheet
from tests.property.oracle_match import OracleMatch
from tests.property.strategies import EVERY_TRY, knobs_of, plain


def any_of(random: Random, options: Sequence[PlayerAction]) -> PlayerAction:
    """One of the options, each kind as likely as the others: with 35 bids and a pass, a bid every other time."""
    kind = random.choice(sorted({type(option).__name__ for option in options}))
    return random.choice([option for option in options if type(option).__name__ == kind])


class WatchedMatch:
    """A started match whose every event is checked against the invariants and the oracle."""

    def __init__(self, rules: Rules, first_dealer: Seat) -> None:
        self.rules = rules
        self.oracle = OracleMatch(knobs_of(rules), first_dealer)
        self.events: list[Event] = []
        self.snapshots: list[tuple[int, State]] = []
        """The state before each deal, and how many events led to it."""
        self.played = 0
        created = decide(None, TENANT, CreateMatch(rules, Room(), ANCHOR))
        self.events.extend(created)
        self.state = fold(created)
        for seat in SEATS:
            self.give(TENANT, TakeSeat(seat, CAST[seat], f"{seat}{seat}" * 32))
        self.give(SYSTEM, StartMatch(first_dealer))

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return isinstance(self.state, Over)

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Have a command decided and its events carried out, one at a time."""
        events = decide(self.state, actor, command)
        assert events
        assert decide(self.state, actor, command) == events, "decide is a function of its arguments"
        for event in events:
            if isinstance(event, HandDealt):
                self.snapshots.append((len(self.events), self.state))
                self.played = 0
            if isinstance(event, CardPlayed):
                self.played |= card_set([event.card])
            self.state = evolve(self.state, event)
            self.events.append(event)
            self.check_cards()
        return events

    def deal(self, seed: int) -> None:
        """Deal some deck, to both."""
        deck = shuffled(seed)
        (dealt,) = self.give(SYSTEM, Deal(deck, SALT))
        assert isinstance(dealt, HandDealt)
        self.oracle.deal_out(list(deck))
        assert [list(holding) for holding in dealt.holdings] == [self.oracle.holdings[seat] for seat in SEATS]
        assert (dealt.hand, dealt.deal, dealt.dealer) == (self.oracle.hand, self.oracle.deal, self.oracle.dealer)

    def act(self, action: PlayerAction, *, by: str = "player") -> None:
        """The seat whose turn it is does this, in both."""
        seat = turn_of(self.state)
        assert seat is not None
        as_player = decide(self.state, Actor("player", seat), action)
        as_clock = decide(self.state, Actor("clock", seat), action)
        assert as_player == as_clock
        rows = len(self.oracle.rows)
        events = self.give(Actor("clock" if by == "clock" else "player", seat), action)
        self.oracle.do(plain(action))
        scored = [event for event in events if isinstance(event, HandScored)]
        assert [event.points for event in scored] == self.oracle.rows[rows:]
        won = [event.winner for event in events if isinstance(event, MatchWon)]
        assert won == ([] if self.oracle.winner is None else [self.oracle.winner])
        thrown_in = any(isinstance(event, HandThrownIn) for event in events)
        assert thrown_in == (self.oracle.phase == "dealing" and not scored)

    def options(self) -> tuple[PlayerAction, ...]:
        """What the seat whose turn it is may do."""
        seat = turn_of(self.state)
        assert seat is not None
        return legal_actions(self.state, seat)

    def rush(self, random: Random, steps: int, *, boldness: float) -> None:
        """Random legal actions and deals, each compared with the oracle.

        `boldness`, 0 to 1, is how often the calls of a hand are any legal ones; else they are the clock's.
        Where all hands are bold, both sides lose more than they win, and a match has no end.
        """
        bold = random.random() < boldness
        for _ in range(steps):
            if self.over:
                return
            if isinstance(self.state, Dealing):
                bold = random.random() < boldness
                self.deal(random.randrange(10**9))
            elif bold or isinstance(self.state, Play):
                self.act(any_of(random, self.options()))
            else:
                self.act(autoplay(self.state), by="clock")
            self.check_oracle()

    # What must hold

    def check_cards(self) -> None:
        """52 cards at every event: each held once or played once."""
        if isinstance(self.state, Auction | NamingTrump | Play):
            holdings = self.state.holdings
            assert sum(held.bit_count() for held in holdings) + self.played.bit_count() == 52
            assert holdings[0] | holdings[1] | holdings[2] | holdings[3] | self.played == FULL_DECK

    def check_oracle(self) -> None:
        """Engine and oracle agree on where the match stands, on what may be done, and on what the clock would do."""
        state, oracle, table = self.state, self.oracle, self.state.table
        assert state.phase == oracle.phase
        assert list(table.totals) == oracle.totals
        if isinstance(state, Over):
            assert state.winner == oracle.winner
            return
        assert (table.hand, table.deal, table.dealer) == (oracle.hand, oracle.deal, oracle.dealer)
        assert turn_of(state) == oracle.turn()
        if not isinstance(state, Auction | NamingTrump | Play):
            return
        assert [plain(action) for action in self.options()] == oracle.allowed()
        assert plain(autoplay(state)) == oracle.automatic()
        for seat in SEATS:
            assert state.holdings[seat] == sum(1 << NEW_DECK.index(card) for card in oracle.holdings[seat])
        if isinstance(state, Auction):
            assert state.doubled_by == doubled_by(oracle.spoken)
        if isinstance(state, Play):
            contract = state.contract
            agreed = (contract.declarer, contract.tricks, contract.trump, contract.doubled)
            assert agreed == (oracle.declarer, oracle.bid, oracle.trump, oracle.doubled)
            assert (state.leader, list(state.plays)) == (oracle.leader, oracle.plays)
            assert list(state.tricks_won) == oracle.tricks
            last = state.last_trick
            assert (last and (last.leader, list(last.plays), last.winner)) == oracle.last_trick

    def check_log(self, *, snapshots: int = 1) -> None:
        """The whole log, and the last hands' snapshots with the tail of the log, fold to the live state."""
        assert fold(self.events) == self.state
        for length, snapshot in self.snapshots[-snapshots:]:
            assert fold(self.events[length:], snapshot) == self.state
            # What is stored of a snapshot is its bytes.
            stored = msgspec.json.decode(msgspec.json.encode(snapshot), type=State)
            assert fold(self.events[length:], stored) == self.state

    def check_tries(self) -> None:
        """Of everything anybody could ask for, exactly the legal actions are decided."""
        with_options = []
        for seat in SEATS:
            legal = legal_actions(self.state, seat)
            if legal:
                with_options.append(seat)
            assert len(set(legal)) == len(legal)
            accepted = [action for action in EVERY_TRY if self.would_accept(Actor("player", seat), action)]
            assert set(accepted) == set(legal)
            assert len(accepted) == len(legal)
        in_play = isinstance(self.state, Auction | NamingTrump | Play)
        assert with_options == ([turn_of(self.state)] if in_play else [])

    def would_accept(self, actor: Actor, action: PlayerAction) -> bool:
        """Whether `decide` takes it, and `evolve` what it makes of it."""
        try:
            events = decide(self.state, actor, action)
        except RuleViolation:
            return False
        fold(events, self.state)
        return True

    def check_sheet(self) -> None:
        """Lines, debts and totals go together, and the match is over exactly when a line has reached the target."""
        rows = self.oracle.rows
        book, paper = sheet(rows), paper_sheet(rows)
        for team in (0, 1):
            assert [row.entries[team] for row in book.rows] == paper[team]["entries"]
            assert [row.lines[team] for row in book.rows] == paper[team]["lines"]
            assert [row.debts[team] for row in book.rows] == paper[team]["debts"]
            signed = [sum(points[team] for points in rows[:end]) for end in range(len(rows) + 1)]
            at_the_end = book.teams[team]
            assert at_the_end.line - at_the_end.debt == at_the_end.signed == signed[-1]
            assert at_the_end.line == max(signed)
            assert self.state.table.totals[team] == signed[-1]
        reached = [team for team in (0, 1) if book.teams[team].line >= self.rules.target]
        assert reached == ([] if self.oracle.winner is None else [self.oracle.winner])
