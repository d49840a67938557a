"""Events that the rules or the phase forbid are in no log that `decide` wrote: the fold refuses them."""

from collections.abc import Callable
from typing import get_args

import pytest

from matches.engine import evolve, rules_for
from matches.engine.commands import SYSTEM, AbandonMatch
from matches.engine.errors import LogDiverges
from matches.engine.events import (
    BidPlaced,
    CardPlayed,
    Doubled,
    Event,
    HandDealt,
    HandScored,
    HandThrownIn,
    MatchAbandoned,
    MatchCreated,
    MatchStarted,
    MatchVoided,
    MatchWon,
    Passed,
    PlayerReplaced,
    ScoreAdjusted,
    SeatLeft,
    SeatTaken,
    TrumpNamed,
)
from matches.engine.room import Room
from matches.engine.state import State
from tests.cast import ANCHOR, OMAR, SALT, EngineMatch, whole_suits

EVENTS: tuple[type[Event], ...] = get_args(Event)


def at(*calls: str, variant: str = "classic") -> State:
    match = EngineMatch(variant)
    match.deal(whole_suits())
    match.calls(*calls)
    return match.state


def playing(*plays: str) -> State:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("13")
    match.name("D")
    match.play(" ".join(plays))
    return match.state


@pytest.mark.parametrize(
    ("reached", "event"),
    [
        pytest.param(at, BidPlaced(2, 7), id="a bid out of turn"),
        pytest.param(lambda: at("8"), BidPlaced(2, 8), id="a bid too low"),
        pytest.param(at, BidPlaced(1, 14), id="a bid of fourteen"),
        pytest.param(at, BidPlaced(1, 7, "H"), id="a suit where numbers are bid"),
        pytest.param(lambda: at(variant="egyptian"), BidPlaced(1, 7), id="no suit where suits are bid"),
        pytest.param(at, Passed(3), id="a pass out of turn"),
        pytest.param(lambda: at("7", "pass", "8"), Passed(2), id="a second pass"),
        pytest.param(
            lambda: at("pass", "pass", "pass", variant="forced_dealer"), Passed(0), id="a pass by who must bid"
        ),
        pytest.param(lambda: at("7"), Doubled(2), id="a double without doubling"),
        pytest.param(lambda: at("7H", "pass", variant="egyptian"), Doubled(3), id="a double of the partner"),
        pytest.param(lambda: at("pass", "pass", "pass"), HandThrownIn(1, 1), id="thrown in too early"),
        pytest.param(lambda: at("7"), HandThrownIn(1, 1), id="thrown in with a bid"),
        pytest.param(lambda: at("13"), TrumpNamed(2, "H"), id="a trump named by another seat"),
        pytest.param(lambda: at("13", variant="eram"), TrumpNamed(1, "NT"), id="no trumps where there are none"),
        pytest.param(playing, CardPlayed(2, "2H"), id="a card out of turn"),
        pytest.param(playing, CardPlayed(4, "2D"), id="a card from no seat"),
        pytest.param(playing, CardPlayed(-3, "2D"), id="a card from a seat below none"),
        pytest.param(at, BidPlaced(-3, 7), id="a bid from a seat below none"),
        pytest.param(lambda: at("13"), TrumpNamed(-3, "H"), id="a trump from a seat below none"),
        pytest.param(playing, CardPlayed(1, "2H"), id="a card not held"),
        pytest.param(lambda: playing("2D", "2H", "2S", "2C"), CardPlayed(1, "2D"), id="a card played twice"),
        pytest.param(
            lambda: playing("2D"),
            HandScored(1, 1, 13, 13, doubled=False, points=(0, 26), totals=(0, 26)),
            id="scored too early",
        ),
    ],
)
def test_an_event_that_the_rules_forbid_diverges(reached: Callable[[], State], event: Event) -> None:
    state = reached()
    with pytest.raises(LogDiverges):
        evolve(state, event)


def test_a_card_that_does_not_follow_suit_diverges() -> None:
    match = EngineMatch("classic")
    match.deal()
    match.calls("13")
    match.name("D")
    led = next(card for card in match.holding(1) if any(other[1] == card[1] for other in match.holding(2)))
    match.play(led)
    other = next(card for card in match.holding(2) if card[1] != led[1])
    with pytest.raises(LogDiverges):
        evolve(match.state, CardPlayed(2, other))


SAMPLES: dict[type[Event], Event] = {
    MatchCreated: MatchCreated(rules_for("classic"), Room(), ANCHOR),
    SeatTaken: SeatTaken(3, OMAR),
    SeatLeft: SeatLeft(0, "amal"),
    MatchStarted: MatchStarted(0),
    HandDealt: HandDealt(1, 1, 0, whole_suits(), SALT),
    BidPlaced: BidPlaced(1, 13),
    Passed: Passed(1),
    Doubled: Doubled(1),
    HandThrownIn: HandThrownIn(1, 1),
    TrumpNamed: TrumpNamed(1, "D"),
    CardPlayed: CardPlayed(1, "2D"),
    HandScored: HandScored(1, 1, 13, 0, doubled=False, points=(0, 0), totals=(0, 0)),
    MatchWon: MatchWon(0, (0, 0)),
    PlayerReplaced: PlayerReplaced(0, OMAR, "amal"),
    MatchAbandoned: MatchAbandoned("x"),
    MatchVoided: MatchVoided("x"),
    ScoreAdjusted: ScoreAdjusted((0, 0), (0, 0), None, "x"),
}

POSSIBLE: dict[str, set[type[Event]]] = {
    "none": {MatchCreated},
    "waiting": {SeatTaken, SeatLeft, MatchAbandoned, MatchVoided},
    "dealing": {HandDealt, PlayerReplaced, MatchAbandoned, MatchVoided},
    "auction": {BidPlaced, Passed, PlayerReplaced, MatchAbandoned, MatchVoided},
    "naming_trump": {TrumpNamed, PlayerReplaced, MatchAbandoned, MatchVoided},
    "play": {CardPlayed, PlayerReplaced, MatchAbandoned, MatchVoided},
    "abandoned": {MatchVoided},
    "voided": set(),
}


def standing(phase: str) -> State | None:
    abandoned = EngineMatch("classic")
    abandoned.give(SYSTEM, AbandonMatch("x"))
    voided = EngineMatch("classic")
    voided.state = evolve(voided.state, MatchVoided("x"))
    return {
        "none": None,
        "waiting": EngineMatch("classic", seated=3).state,
        "dealing": EngineMatch("classic").state,
        "auction": at(),
        "naming_trump": at("13"),
        "play": playing(),
        "abandoned": abandoned.state,
        "voided": voided.state,
    }[phase]


def test_the_samples_name_every_event() -> None:
    assert set(SAMPLES) == set(EVENTS)


@pytest.mark.parametrize("phase", POSSIBLE)
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_every_phase_takes_its_own_events_and_no_others(phase: str, event: type[Event]) -> None:
    state = standing(phase)
    if event in POSSIBLE[phase]:
        assert evolve(state, SAMPLES[event]) != state
        return
    with pytest.raises(LogDiverges):
        evolve(state, SAMPLES[event])


def test_what_diverges_is_told_without_a_card_that_is_held() -> None:
    state = playing("2D")
    with pytest.raises(LogDiverges) as divergence:
        evolve(state, CardPlayed(2, "AS"))
    told = str(divergence.value)
    assert not [card for holding in whole_suits() for card in holding if card in told and card not in {"2D", "AS"}]
