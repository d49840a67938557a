"""What holds the engine's parts together: every command is decided, every event evolves, and states survive as text."""

from itertools import pairwise
from random import Random
from typing import get_args

import msgspec
import pytest

from matches.engine import (
    VARIANTS,
    Auditor,
    SeatViewer,
    autoplay,
    decide,
    evolve,
    fold,
    legal_actions,
    rules_for,
    turn_of,
    visible_state,
)
from matches.engine.commands import SYSTEM, Actor, Command, CreateMatch, Deal, PlayerAction, StartMatch, TakeSeat
from matches.engine.dealing import CHAIN_LENGTH, anchor_of, nth_secret, secret_chain, secret_fits_anchor, shuffled_deck
from matches.engine.decide import _DECISIONS, MAY_GIVE
from matches.engine.errors import DealsExhausted
from matches.engine.events import Event
from matches.engine.evolve import _STEPS
from matches.engine.room import Room
from matches.engine.seats import Seat
from matches.engine.state import Auction, Over, State


def test_every_event_has_its_step_and_every_command_its_decision() -> None:
    assert set(_STEPS) == set(get_args(Event))
    assert set(_DECISIONS) == set(MAY_GIVE) == set(get_args(Command))


def played_by_the_clock(variant: str, seed: int, *, opened: bool = False) -> tuple[State, list[Event], list[State]]:
    """A match in which nobody ever acts in time, save for an opening bid where `opened`: end, log, and all states."""
    chance = Random(seed)
    log: list[Event] = list(decide(None, SYSTEM, CreateMatch(rules_for(variant), Room(), anchor_of(b"seed"))))
    states = [fold(log)]

    def give(actor: Actor, command: Command) -> None:
        for event in decide(states[-1], actor, command):
            log.append(event)
            states.append(evolve(states[-1], event))

    for seat, player in enumerate(("amal", "basim", "carla", "dina")):
        give(Actor("player"), TakeSeat(seat, player))
    give(SYSTEM, StartMatch(chance.randrange(4)))
    while not isinstance(states[-1], Over):
        turn = turn_of(states[-1])
        if turn is None:
            deck = shuffled_deck(chance.randbytes(32), match="m", deal=1, entropies=(None,) * 4)
            give(SYSTEM, Deal(deck, "00" * 16))
        else:
            give(Actor("clock", turn), _action(states[-1], turn, opened=opened))
    return states[-1], log, states


def _action(state: State, turn: Seat, *, opened: bool) -> PlayerAction:
    if opened and isinstance(state, Auction) and not state.calls:
        return legal_actions(state, turn)[0]
    return autoplay(state)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_match_that_only_the_clock_plays_comes_to_its_end(variant: str) -> None:
    end, log, states = played_by_the_clock(variant, seed=1)
    assert isinstance(end, Over)
    assert end.winner is not None
    assert fold(log) == end
    assert fold(log[100:], states[99]) == end


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_state_kept_as_text_goes_on_as_the_one_it_was(variant: str) -> None:
    _, log, states = played_by_the_clock(variant, seed=2, opened=True)
    for event, (state, after) in zip(log[1:], pairwise(states), strict=True):
        kept = msgspec.json.decode(msgspec.json.encode(state), type=State)
        assert kept == state
        assert evolve(kept, event) == after


def test_only_an_auditor_to_whom_the_deal_is_open_gets_holdings_and_only_then_is_the_field_there() -> None:
    _, _, states = played_by_the_clock("classic", seed=3)
    dealt = next(state for state in states if state.table.deals == 2)
    assert msgspec.to_builtins(visible_state(dealt, Auditor(open_deals=2)))["holdings"]
    for viewer in (Auditor(open_deals=1), SeatViewer(0)):
        assert "holdings" not in msgspec.to_builtins(visible_state(dealt, viewer))


def test_each_secret_of_a_chain_hashes_to_the_one_before_it() -> None:
    chain = secret_chain(b"seed")
    assert len(chain) == CHAIN_LENGTH
    assert [nth_secret(b"seed", k) for k in (0, 1, CHAIN_LENGTH - 1)] == [chain[0], chain[1], b"seed"]
    assert all(secret_fits_anchor(later, 0, earlier.hex()) for earlier, later in pairwise(chain))
    assert secret_fits_anchor(chain[17], 17, anchor_of(b"seed"))
    assert not secret_fits_anchor(chain[17], 16, anchor_of(b"seed"))
    with pytest.raises(DealsExhausted):
        nth_secret(b"seed", CHAIN_LENGTH)
