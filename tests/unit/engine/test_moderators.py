"""How a match ends other than by its target, and what a moderator may change afterwards."""

import pytest

from matches.engine import rules_for
from matches.engine.commands import SYSTEM, AbandonMatch, Actor, AdjustScore, Deal, VoidMatch
from matches.engine.errors import MatchNotStarted, MatchOver, NothingToVoid, WrongPhase
from matches.engine.events import MatchAbandoned, MatchVoided, Points, ScoreAdjusted
from matches.engine.seats import Team
from matches.engine.state import Over
from tests.cast import MODERATOR, SALT, TENANT, EngineMatch, clock, shuffled, whole_suits


def completed(*, target: int = 31) -> EngineMatch:
    """Team 0 has won with 42 to 16."""
    match = EngineMatch(rules_for("classic", target=target))
    match.hand_of(declarer=1, bid=9, trump="D")
    match.hand_of(declarer=0, bid=9, trump="C")
    match.hand_of(declarer=0, bid=13, trump="C")
    assert over(match).table.totals == (42, 16)
    return match


def over(match: EngineMatch) -> Over:
    assert isinstance(match.state, Over)
    return match.state


def in_every_phase() -> list[EngineMatch]:
    """Six matches: waiting, to be dealt, in the auction, to name trump, in play, between two hands."""
    stages = [EngineMatch("classic", seated=2)] + [EngineMatch("classic") for _ in range(5)]
    for match in stages[2:]:
        match.deal(whole_suits())
    for match in stages[3:]:
        match.calls("13")
    for match in stages[4:]:
        match.name("D")
    stages[5].play_out()
    phases = [match.state.phase for match in stages]
    assert phases == ["waiting", "dealing", "auction", "naming_trump", "play", "dealing"]
    return stages


@pytest.mark.parametrize("stage", range(6))
@pytest.mark.parametrize("actor", [TENANT, SYSTEM, clock(2), Actor("clock")])
def test_a_match_can_be_abandoned_until_it_is_over(stage: int, actor: Actor) -> None:
    match = in_every_phase()[stage]
    before = match.state
    assert match.give(actor, AbandonMatch("the electricity went")) == (MatchAbandoned("the electricity went"),)
    ended = over(match)
    assert (ended.status, ended.reason, ended.winner) == ("abandoned", "the electricity went", None)
    assert (ended.last, ended.table) == (before, before.table)
    match.refused(MatchOver, TENANT, AbandonMatch("again"))
    match.refused(MatchOver, SYSTEM, Deal(shuffled(0), SALT))


@pytest.mark.parametrize("stage", range(6))
def test_a_moderator_can_void_a_match_in_every_phase(stage: int) -> None:
    match = in_every_phase()[stage]
    before = match.state
    assert match.give(MODERATOR, VoidMatch("signals under the table")) == (MatchVoided("signals under the table"),)
    ended = over(match)
    assert (ended.status, ended.reason, ended.winner) == ("voided", "signals under the table", None)
    assert ended.last == before


def test_a_moderator_can_void_a_match_that_was_won() -> None:
    match = completed()
    match.give(MODERATOR, VoidMatch("signals"))
    assert (over(match).status, over(match).winner, over(match).reason) == ("voided", None, "signals")


def test_a_moderator_can_void_a_match_that_was_abandoned() -> None:
    match = EngineMatch("classic")
    match.give(TENANT, AbandonMatch("rain"))
    match.give(MODERATOR, VoidMatch("signals"))
    assert over(match).status == "voided"


def test_a_match_is_voided_once() -> None:
    match = completed()
    match.give(MODERATOR, VoidMatch("signals"))
    assert match.refused(NothingToVoid, MODERATOR, VoidMatch("once more")).code == "already_voided"


@pytest.mark.parametrize(
    ("points", "totals", "winner"),
    [
        pytest.param((-5, 0), (37, 16), 0, id="a correction that changes nothing"),
        pytest.param((-12, 0), (30, 16), None, id="neither reaches the target any more"),
        pytest.param((-11, 0), (31, 16), 0, id="it just reaches the target"),
        pytest.param((-42, 15), (0, 31), 1, id="the others have won"),
        pytest.param((-5, 22), (37, 38), 1, id="both reach it: the higher total"),
        pytest.param((0, 20), (42, 36), 0, id="both reach it: the higher total stays"),
        pytest.param((0, 26), (42, 42), 0, id="equal totals: who won before"),
        pytest.param((-12, 14), (30, 30), None, id="equal totals that do not reach it"),
        pytest.param((-60, -20), (-18, -4), None, id="totals may be negative"),
    ],
)
def test_an_adjusted_score_decides_the_winner_anew(points: Points, totals: Points, winner: Team | None) -> None:
    match = completed()
    events = match.give(MODERATOR, AdjustScore(points, "a card seen"))
    assert events == (ScoreAdjusted(points, totals, winner, "a card seen"),)
    assert (over(match).status, over(match).winner, over(match).table.totals) == ("completed", winner, totals)


def test_scores_can_be_adjusted_again_and_equal_totals_leave_the_winner_of_the_last_adjustment() -> None:
    match = completed()
    match.give(MODERATOR, AdjustScore((0, 30), "first"))
    assert (over(match).table.totals, over(match).winner) == ((42, 46), 1)
    match.give(MODERATOR, AdjustScore((4, 0), "second"))
    assert (over(match).table.totals, over(match).winner) == ((46, 46), 1)


def test_equal_totals_after_nobody_had_won_have_no_winner() -> None:
    match = completed()
    match.give(MODERATOR, AdjustScore((-42, -16), "all of it"))
    match.give(MODERATOR, AdjustScore((40, 40), "a draw"))
    assert (over(match).table.totals, over(match).winner) == ((40, 40), None)


def test_the_target_of_the_match_is_what_an_adjusted_score_must_reach() -> None:
    match = completed(target=41)
    match.give(MODERATOR, AdjustScore((-2, 0), "two"))
    assert over(match).winner is None


@pytest.mark.parametrize("stage", range(1, 6))
def test_the_score_of_a_match_in_play_cannot_be_adjusted(stage: int) -> None:
    match = in_every_phase()[stage]
    match.refused(WrongPhase, MODERATOR, AdjustScore((1, 1), "no"))


def test_the_score_of_a_match_that_was_not_played_out_cannot_be_adjusted() -> None:
    waiting = EngineMatch("classic", seated=2)
    waiting.refused(MatchNotStarted, MODERATOR, AdjustScore((1, 1), "no"))
    abandoned = EngineMatch("classic")
    abandoned.give(TENANT, AbandonMatch("rain"))
    abandoned.refused(WrongPhase, MODERATOR, AdjustScore((1, 1), "no"))
    voided = completed()
    voided.give(MODERATOR, VoidMatch("signals"))
    voided.refused(WrongPhase, MODERATOR, AdjustScore((1, 1), "no"))
