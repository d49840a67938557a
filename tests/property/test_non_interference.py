"""Hidden cards do not show: dealing them differently changes no byte of anything that a viewer gets (R-TAB-4)."""

from collections.abc import Iterable
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matches.engine import (
    VARIANTS,
    Auditor,
    SeatViewer,
    Spectator,
    Viewer,
    decide,
    fold,
    rules_for,
    visible_event,
    visible_state,
)
from matches.engine.commands import AbandonMatch, Actor, VoidMatch
from matches.engine.errors import RuleViolation
from matches.engine.events import Event, HandDealt
from matches.engine.rules import Rules
from matches.engine.state import Auction, NamingTrump, Play, State
from tests.cast import MODERATOR, TENANT, call
from tests.property.playing import WatchedMatch
from tests.property.redealing import redealt
from tests.property.strategies import EVERY_TRY, any_rules

SEEDS = st.integers(0, 2**32 - 1)


def viewers(state: State) -> list[Viewer]:
    """Everybody: the seats, a spectator, and auditors for whom no deal, all but the last, or all deals are open."""
    deals = state.table.deals
    return [
        *(SeatViewer(seat) for seat in range(4)),
        Spectator(),
        Auditor(0),
        Auditor(max(0, deals - 1)),
        Auditor(deals),
    ]


def shown_events(events: Iterable[Event], viewer: Viewer, deals: int = 0) -> list[bytes]:
    """The events as sent to the viewer, `deals` deals having been before."""
    sent = []
    for event in events:
        deals += isinstance(event, HandDealt)
        sent.append(msgspec.json.encode(visible_event(event, viewer, deals=deals)))
    return sent


def answer(state: State, viewer: SeatViewer, number: int) -> object:
    """All that the viewer learns from trying an action: the error whole, or the events as they may see them."""
    try:
        events = decide(state, Actor("player", viewer.seat), EVERY_TRY[number])
    except RuleViolation as refusal:
        return type(refusal), str(refusal), refusal.detail, refusal.explanation(), refusal.args
    return shown_events(events, viewer, state.table.deals)


def check_indistinguishable(events: list[Event], other: list[Event], viewer: Viewer) -> None:
    state, other_state = fold(events), fold(other)
    assert msgspec.json.encode(visible_state(state, viewer)) == msgspec.json.encode(visible_state(other_state, viewer))
    assert shown_events(events, viewer) == shown_events(other, viewer)
    if isinstance(viewer, SeatViewer):
        for number in range(len(EVERY_TRY)):
            assert answer(state, viewer, number) == answer(other_state, viewer, number)


@given(
    rules=any_rules(),
    first_dealer=st.integers(0, 3),
    seed=SEEDS,
    steps=st.one_of(st.integers(1, 60), st.integers(60, 400)),
    end=st.sampled_from(["", "", "", "abandoned", "voided"]),
)
def test_what_a_viewer_gets_does_not_depend_on_cards_they_may_not_see(
    rules: Rules, first_dealer: int, seed: int, steps: int, end: str
) -> None:
    random = Random(seed)
    match = WatchedMatch(rules, first_dealer)
    match.rush(random, steps, boldness=0.5)
    if end == "abandoned" and not match.over:
        match.give(TENANT, AbandonMatch("rain"))
    if end == "voided":
        match.give(MODERATOR, VoidMatch("signals"))
    for viewer in viewers(match.state):
        check_indistinguishable(match.events, redealt(match.events, viewer, random), viewer)


@pytest.mark.parametrize("variant", VARIANTS)
def test_at_every_step_of_a_hand_the_hidden_cards_do_not_show(variant: str) -> None:
    random = Random(3)
    match = WatchedMatch(rules_for(variant), 1)
    for _ in range(90):
        match.rush(random, 1, boldness=0.5)
        for viewer in viewers(match.state):
            other = redealt(match.events, viewer, random)
            view = visible_state(match.state, viewer)
            assert msgspec.json.encode(view) == msgspec.json.encode(visible_state(fold(other), viewer))
    assert match.state.table.deals > 1


@pytest.mark.parametrize(
    ("variant", "calls"),
    [
        ("classic", ""),
        ("classic", "8 pass"),
        ("classic", "13"),
        ("forced_dealer", "pass pass pass"),
        ("lebanese", "13 pass pass"),
        ("egyptian", "9H"),
        ("egyptian", "9H pass"),
        ("egyptian", "9H double"),
        ("egyptian", "9H double pass"),
        ("egyptian", "13NT pass"),
    ],
)
def test_a_refusal_in_the_auction_tells_nothing_of_the_cards(variant: str, calls: str) -> None:
    random = Random(5)
    match = WatchedMatch(rules_for(variant), 0)
    match.deal(5)
    for text in calls.split():
        match.act(call(text))
    for viewer in (SeatViewer(seat) for seat in range(4)):
        check_indistinguishable(match.events, redealt(match.events, viewer, random), viewer)


@pytest.mark.parametrize("viewer", [SeatViewer(2), Spectator(), Auditor(0)])
def test_redealing_does_exchange_the_hidden_cards_and_only_those(viewer: Viewer) -> None:
    match = WatchedMatch(rules_for("classic"), 0)
    random = Random(8)
    for steps in (1, 12, 12):
        match.rush(random, steps, boldness=0.0)
        assert isinstance(match.state, Auction | NamingTrump | Play)
        other = fold(redealt(match.events, viewer, random))
        assert isinstance(other, Auction | NamingTrump | Play)
        exchanged = [seat for seat in range(4) if other.holdings[seat] != match.state.holdings[seat]]
        assert exchanged == ([0, 1, 3] if isinstance(viewer, SeatViewer) else [0, 1, 2, 3])


def test_a_viewer_does_get_something_else_when_their_own_cards_are_exchanged() -> None:
    match = WatchedMatch(rules_for("classic"), 0)
    match.rush(Random(8), 1, boldness=0.0)
    other = redealt(match.events, Spectator(), Random(9))
    for viewer in (SeatViewer(0), Auditor(1)):
        with pytest.raises(AssertionError):
            check_indistinguishable(match.events, other, viewer)
