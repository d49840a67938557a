"""The log is checked as it is folded: what `decide` wrote is taken, what it cannot have written is not."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from matches.engine import evolve, fold, rules_for
from matches.engine.commands import AdjustScore, LeaveSeat, ReplacePlayer
from matches.engine.errors import LogDiverges
from matches.engine.events import (
    BidPlaced,
    Event,
    HandDealt,
    HandScored,
    HandThrownIn,
    MatchStarted,
    MatchWon,
    Passed,
    PlayerReplaced,
    ScoreAdjusted,
    SeatLeft,
    SeatTaken,
)
from matches.engine.state import State
from tests.cast import MODERATOR, OMAR, SALMA, SALT, TENANT, EngineMatch, whole_suits


def won() -> EngineMatch:
    """A match with a throw-in, a replacement, two hands and a winner."""
    match = EngineMatch(rules_for("classic", target=31))
    match.deal()
    match.calls("pass", "pass", "pass", "pass")
    match.hand_of(declarer=1, bid=9, trump="D")
    match.give(TENANT, ReplacePlayer(2, SALMA))
    match.hand_of(declarer=1, bid=13, trump="D")
    return match


def last_before(match: EngineMatch, event: type[Event]) -> tuple[State, Event]:
    """The last event of a class in the log, and the state before it."""
    place = max(place for place, happened in enumerate(match.events) if type(happened) is event)
    return fold(match.events[:place]), match.events[place]


def test_folding_the_log_gives_the_state() -> None:
    match = won()
    assert fold(match.events) == match.state
    assert fold(iter(match.events)) == match.state
    for place in range(1, len(match.events)):
        assert fold(match.events[place:], fold(match.events[:place])) == match.state


def test_no_log_is_no_match() -> None:
    with pytest.raises(LogDiverges):
        fold([])


@pytest.mark.parametrize(
    "change",
    [
        lambda scored: replace(scored, points=(1, scored.points[1])),
        lambda scored: replace(scored, points=(scored.points[0], scored.points[1] + 1)),
        lambda scored: replace(scored, totals=(scored.totals[0] + 1, scored.totals[1])),
        lambda scored: replace(scored, won=12),
        lambda scored: replace(scored, bid=8),
        lambda scored: replace(scored, declarer=3),
        lambda scored: replace(scored, doubled=True),
        lambda scored: replace(scored, hand=7),
    ],
)
def test_a_score_that_is_not_the_folds_own_diverges(change: Callable[[Event], Event]) -> None:
    before, scored = last_before(won(), HandScored)
    evolve(before, scored)
    with pytest.raises(LogDiverges):
        evolve(before, change(scored))


@pytest.mark.parametrize("wrong", [MatchWon(0, (0, 42)), MatchWon(1, (0, 41)), MatchWon(1, (42, 0))])
def test_a_winner_that_is_not_the_folds_own_diverges(wrong: MatchWon) -> None:
    before, right = last_before(won(), MatchWon)
    assert right == MatchWon(1, (0, 42))
    evolve(before, right)
    with pytest.raises(LogDiverges):
        evolve(before, wrong)


def test_a_win_short_of_the_target_diverges() -> None:
    match = EngineMatch(rules_for("classic", target=31))
    match.hand_of(declarer=1, bid=9, trump="D")
    for winner in (0, 1):
        with pytest.raises(LogDiverges):
            evolve(match.state, MatchWon(winner, (0, 16)))


@pytest.mark.parametrize(
    "wrong",
    [
        ScoreAdjusted((0, -30), (0, 13), None, "x"),
        ScoreAdjusted((0, -30), (0, 12), 1, "x"),
        ScoreAdjusted((0, -1), (0, 41), None, "x"),
        ScoreAdjusted((0, -1), (0, 41), 0, "x"),
    ],
)
def test_an_adjustment_that_is_not_the_folds_own_diverges(wrong: ScoreAdjusted) -> None:
    with pytest.raises(LogDiverges):
        evolve(won().state, wrong)
    assert won().give(MODERATOR, AdjustScore((0, -1), "x")) == (ScoreAdjusted((0, -1), (0, 41), 1, "x"),)


def test_a_match_goes_on_after_it_was_won_in_no_log() -> None:
    match = won()
    before_won, _ = last_before(match, MatchWon)
    with pytest.raises(LogDiverges):
        evolve(before_won, HandDealt(3, 1, 2, whole_suits(), SALT))
    with pytest.raises(LogDiverges):
        evolve(match.state, HandDealt(3, 1, 2, whole_suits(), SALT))


def thrown_in() -> State:
    before, _ = last_before(won(), HandThrownIn)
    return before


@pytest.mark.parametrize("event", [BidPlaced(1, 7), Passed(1), BidPlaced(0, 13)])
def test_nobody_calls_in_a_hand_that_is_due_to_be_thrown_in(event: Event) -> None:
    with pytest.raises(LogDiverges):
        evolve(thrown_in(), event)


@pytest.mark.parametrize("event", [HandThrownIn(2, 1), HandThrownIn(1, 2), HandDealt(1, 2, 0, whole_suits(), SALT)])
def test_a_throw_in_is_of_the_hand_that_was_dealt(event: Event) -> None:
    with pytest.raises(LogDiverges):
        evolve(thrown_in(), event)


@pytest.mark.parametrize(
    "change",
    [
        lambda dealt: replace(dealt, hand=2),
        lambda dealt: replace(dealt, deal=2),
        lambda dealt: replace(dealt, dealer=1),
        lambda dealt: replace(dealt, holdings=(dealt.holdings[0],) * 4),
        lambda dealt: replace(dealt, holdings=(dealt.holdings[0][:12], *dealt.holdings[1:])),
        lambda dealt: replace(dealt, holdings=(dealt.holdings[0] + dealt.holdings[1], (), *dealt.holdings[2:])),
        lambda dealt: replace(dealt, holdings=((*dealt.holdings[0][:12], dealt.holdings[1][0]), *dealt.holdings[1:])),
    ],
)
def test_a_deal_that_cannot_have_been_dealt_diverges(change: Callable[[Event], Event]) -> None:
    match = EngineMatch("classic")
    (dealt,) = match.deal(whole_suits())
    before = fold(match.events[:-1])
    evolve(before, dealt)
    with pytest.raises(LogDiverges):
        evolve(before, change(dealt))


@pytest.mark.parametrize(
    "event",
    [
        SeatTaken(0, OMAR),
        SeatLeft(3, "dina"),
        SeatLeft(0, "basim"),
        MatchStarted(0),
        SeatTaken(3, "amal"),
        SeatTaken(4, OMAR),
        SeatTaken(-1, OMAR),
        SeatLeft(4, "dina"),
        SeatLeft(-2, "carla"),
    ],
)
def test_seats_that_cannot_be_taken_or_left_diverge(event: Event) -> None:
    with pytest.raises(LogDiverges):
        evolve(EngineMatch("classic", seated=3).state, event)


def test_a_first_dealer_at_no_seat_diverges() -> None:
    with pytest.raises(LogDiverges):
        evolve(EngineMatch("classic", started=False).state, MatchStarted(4))


@pytest.mark.parametrize(
    "event",
    [
        PlayerReplaced(0, OMAR, "basim"),
        PlayerReplaced(0, OMAR, OMAR),
        PlayerReplaced(0, "basim", "amal"),
        PlayerReplaced(4, OMAR, "dina"),
        PlayerReplaced(-1, OMAR, "dina"),
    ],
)
def test_only_who_sits_there_is_replaced(event: Event) -> None:
    with pytest.raises(LogDiverges):
        evolve(EngineMatch("classic").state, event)


def test_a_seat_left_can_be_taken_again_in_the_log() -> None:
    match = EngineMatch("classic", seated=3)
    match.give(TENANT, LeaveSeat(0))
    assert fold(match.events).table.players[0] is None
