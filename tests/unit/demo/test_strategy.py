"""Whatever a view shows, the answer is one of its legal actions."""

import hashlib

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matches.engine import SeatViewer, decide, evolve, rules_for, turn_of, visible_state
from matches.engine.cards import DECK, Card
from matches.engine.commands import SYSTEM, Actor, CreateMatch, Deal, PlayerAction, StartMatch, TakeSeat
from matches.engine.errors import RuleViolation
from matches.engine.events import HandScored, HandThrownIn
from matches.engine.room import Room
from matches.engine.state import Dealing, State
from matches.engine.variants import VARIANTS
from tarneeb_service.local.demo.strategy import NothingToDo, choose
from tarneeb_service.local.demo.views import Action, MatchView
from tests.unit.demo.synthetic import bids, to_call, to_play, views


@given(views(), st.floats(-1, 1))
def test_the_choice_is_always_one_of_the_legal_actions(view: MatchView, nerve: float) -> None:
    assert view.you is not None
    assert choose(view, nerve) in view.you.legal_actions


@given(views(), st.floats(-1, 1))
def test_the_same_view_gets_the_same_choice(view: MatchView, nerve: float) -> None:
    again = msgspec.convert(msgspec.to_builtins(view), MatchView)
    assert choose(again, nerve) == choose(view, nerve)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=25)
@given(deck=st.permutations(DECK), dealer=st.integers(0, 3), nerves=st.tuples(*[st.floats(-0.5, 0.5)] * 4))
def test_a_whole_hand_is_played_without_a_refusal(
    variant: str, deck: list[str], dealer: int, nerves: tuple[float, ...]
) -> None:
    state = _started(variant, dealer)
    ended = False
    for event in decide(state, SYSTEM, msgspec.convert({"deck": deck, "salt": "00"}, Deal)):
        state = evolve(state, event)
    while not ended:
        seat = turn_of(state)
        assert seat is not None
        action = msgspec.convert(choose(_seen_by(state, seat), nerves[seat]).body(), PlayerAction)
        try:
            events = decide(state, Actor("player", seat), action)
        except RuleViolation as error:
            pytest.fail(f"{action} was refused: {error}")
        for event in events:
            state = evolve(state, event)
            ended = ended or isinstance(event, HandScored | HandThrownIn)
    assert isinstance(state, Dealing)


def test_nothing_is_chosen_when_it_is_not_the_players_turn() -> None:
    with pytest.raises(NothingToDo):
        choose(to_call("AK2-AK2-AK2-AK32", []))


def test_nothing_is_chosen_without_a_seat() -> None:
    view = msgspec.structs.replace(to_call("AK2-AK2-AK2-AK32", bids()), you=None)
    with pytest.raises(NothingToDo):
        choose(view)


def test_an_action_of_a_kind_that_is_not_known_is_still_taken_over_none() -> None:
    view = to_play("2-2-2-2")
    assert view.you is not None
    strange = Action("declare")
    view = msgspec.structs.replace(view, you=msgspec.structs.replace(view.you, legal_actions=(strange,)))
    assert choose(view) == strange


def test_four_contracts_in_five_are_made_and_hardly_a_hand_is_thrown_in() -> None:
    """The figures that `bidding` states, loosely, over hands that are the same in every run."""
    made = played = thrown = 0
    for number in range(150):
        state = _started("classic", number % 4)
        for event in decide(state, SYSTEM, Deal(_deck(number), "00")):
            state = evolve(state, event)
        while (seat := turn_of(state)) is not None:
            action = msgspec.convert(choose(_seen_by(state, seat)).body(), PlayerAction)
            for event in decide(state, Actor("player", seat), action):
                state = evolve(state, event)
                played += isinstance(event, HandScored)
                made += isinstance(event, HandScored) and event.won >= event.bid
                thrown += isinstance(event, HandThrownIn)
    assert 0.7 <= made / played <= 0.92
    assert thrown <= 15


def _started(variant: str, dealer: int) -> State:
    (created,) = decide(None, SYSTEM, CreateMatch(rules_for(variant, target=61), Room(), "00"))
    state = evolve(None, created)
    for seat, player in enumerate(("amal", "basim", "carla", "dina")):
        for event in decide(state, SYSTEM, TakeSeat(seat, player)):
            state = evolve(state, event)
    for event in decide(state, SYSTEM, StartMatch(dealer)):
        state = evolve(state, event)
    return state


def _deck(number: int) -> tuple[Card, ...]:
    return tuple(sorted(DECK, key=lambda card: hashlib.sha256(f"{number}{card}".encode()).digest()))


def _seen_by(state: State, seat: int) -> MatchView:
    document = msgspec.to_builtins(visible_state(state, SeatViewer(seat)))
    return msgspec.convert(document | {"id": "m", "version": 1}, MatchView)
