"""Whole matches at random, engine and oracle side by side from the first deal to the winner."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matches.engine import VARIANTS, autoplay, rules_for
from matches.engine.events import HandScored
from matches.engine.rules import Rules
from matches.engine.state import Dealing, Over
from tests.property.playing import WatchedMatch
from tests.property.strategies import any_rules

SEEDS = st.integers(0, 2**32 - 1)


def finish(match: WatchedMatch) -> None:
    """What must be true of a match that has come to its end."""
    assert isinstance(match.state, Over)
    totals = match.state.table.totals
    assert match.state.winner == (0 if totals[0] >= match.rules.target else 1)
    assert min(totals) < match.rules.target <= max(totals), "both never cross in the same hand (R-MAT-1)"
    match.check_sheet()
    match.check_log(snapshots=len(match.snapshots))
    match.check_tries()


@given(rules=any_rules().filter(lambda rules: rules.target <= 61), first_dealer=st.integers(0, 3), seed=SEEDS)
@pytest.mark.slow
def test_a_match_of_random_actions_ends_as_the_oracle_says(rules: Rules, first_dealer: int, seed: int) -> None:
    match = WatchedMatch(rules, first_dealer)
    match.rush(Random(seed), 20_000, boldness=0.2)
    finish(match)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(2))
def test_a_match_of_a_variant_ends_as_the_oracle_says(variant: str, seed: int) -> None:
    match = WatchedMatch(rules_for(variant), seed)
    match.rush(Random(seed), 20_000, boldness=0.2)
    finish(match)


@given(rules=any_rules().filter(lambda rules: rules.target <= 61), seed=SEEDS)
@pytest.mark.slow
def test_a_match_that_the_clock_plays_alone_never_throws_a_hand_in(rules: Rules, seed: int) -> None:
    match, random = WatchedMatch(rules, seed % 4), Random(seed)
    while not match.over:
        if isinstance(match.state, Dealing):
            match.deal(random.randrange(10**9))
        else:
            match.act(autoplay(match.state), by="clock")
        match.check_oracle()
    finish(match)
    assert match.state.table.deals == sum(isinstance(event, HandScored) for event in match.events)
