"""Random matches by every variant: whatever happens, the invariants hold after every step."""

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from matches.engine import VARIANTS, autoplay, turn_of
from matches.engine.commands import AbandonMatch, AdjustScore, ReplacePlayer, VoidMatch
from matches.engine.events import Points
from matches.engine.rules import Rules
from matches.engine.state import Dealing, Over, State
from tests.cast import MODERATOR, TENANT
from tests.property.playing import WatchedMatch
from tests.property.strategies import any_rules, variant_rules

SEEDS = st.integers(0, 2**32 - 1)
POINTS = st.tuples(st.integers(-60, 60), st.integers(-60, 60))


class MatchMachine(RuleBasedStateMachine):
    """One match, with players, clock, tenant and moderator acting in any order."""

    match: WatchedMatch
    newcomers = 0
    adjusted = False

    @property
    def state(self) -> State:
        return self.match.state

    def to_act(self) -> bool:
        return turn_of(self.state) is not None

    def to_deal(self) -> bool:
        return isinstance(self.state, Dealing)

    def voided(self) -> bool:
        return isinstance(self.state, Over) and self.state.status == "voided"

    def played_out(self) -> bool:
        return isinstance(self.state, Over) and self.state.status == "completed"

    @precondition(to_deal)
    @rule(seed=SEEDS)
    def deal(self, seed: int) -> None:
        self.match.deal(seed)

    @precondition(to_act)
    @rule(choice=st.integers(0, 51))
    def act(self, choice: int) -> None:
        options = self.match.options()
        self.match.act(options[choice % len(options)])

    @precondition(to_act)
    @rule()
    def time_out(self) -> None:
        self.match.act(autoplay(self.state), by="clock")

    @precondition(lambda self: not self.match.over)
    @rule(seed=SEEDS, steps=st.integers(2, 120), boldness=st.sampled_from([0.2, 1.0]))
    def rush(self, seed: int, steps: int, boldness: float) -> None:
        self.match.rush(Random(seed), steps, boldness=boldness)

    @precondition(lambda self: not self.match.over)
    @rule(seat=st.integers(0, 3))
    def replace(self, seat: int) -> None:
        self.newcomers += 1
        self.match.give(TENANT, ReplacePlayer(seat, f"newcomer {self.newcomers}"))

    @precondition(lambda self: not self.match.over)
    @rule(mood=st.integers(0, 40))
    def abandon(self, mood: int) -> None:
        if mood == 13:
            self.match.give(TENANT, AbandonMatch("they quarrelled"))

    @precondition(played_out)
    @rule(points=POINTS)
    def adjust(self, points: Points) -> None:
        self.match.give(MODERATOR, AdjustScore(points, "a card seen"))
        self.adjusted = True

    @precondition(lambda self: self.match.over and not self.voided())
    @rule()
    def void(self) -> None:
        self.match.give(MODERATOR, VoidMatch("signals"))

    @precondition(lambda self: self.voided())
    @rule(first_dealer=st.integers(0, 3))
    def again(self, first_dealer: int) -> None:
        self.match = WatchedMatch(self.match.rules, first_dealer)
        self.newcomers, self.adjusted = 0, False

    @invariant()
    def engine_and_oracle_agree(self) -> None:
        if not self.match.over or (self.played_out() and not self.adjusted):
            self.match.check_oracle()
            self.match.check_sheet()

    @invariant()
    def the_log_folds_to_the_state(self) -> None:
        self.match.check_log()

    @invariant()
    def exactly_the_legal_actions_are_accepted(self) -> None:
        self.match.check_tries()


def machine_by(drawn: st.SearchStrategy[Rules]) -> type[MatchMachine]:
    """A machine whose matches follow such rules."""

    class Machine(MatchMachine):
        @initialize(rules=drawn, first_dealer=st.integers(0, 3))
        def start(self, rules: Rules, first_dealer: int) -> None:
            self.match = WatchedMatch(rules, first_dealer)

    return Machine


def check(machine: type[MatchMachine]) -> None:
    """Run it by the profile chosen: a machine's own settings are those of before any profile was loaded."""
    run_state_machine_as_test(machine, settings=settings())


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_invariants_hold_throughout_a_match_of(variant: str) -> None:
    check(machine_by(variant_rules(variant)))


@pytest.mark.slow
def test_the_invariants_hold_with_any_knobs_that_go_together() -> None:
    check(machine_by(any_rules()))
