"""R-MAT: from the first hand to the last."""

import pytest

from matches.engine import rules_for
from matches.engine.cards import Trump
from matches.engine.commands import SYSTEM, Deal, Pass, PlayCard
from matches.engine.errors import MatchOver
from matches.engine.events import CardPlayed, HandScored, MatchWon
from matches.engine.state import Dealing, Over, Play
from tests.cast import SALT, EngineMatch, player, shuffled

Hand = tuple[int, int, Trump]
"""Declarer, bid and trump, played with whole suits: seat 0 clubs, 1 diamonds, 2 hearts, 3 spades."""

KABOOT_0: Hand = (0, 9, "C")
KABOOT_1: Hand = (1, 9, "D")
DEFENDED_0: Hand = (1, 9, "C")
"""Team 0 takes thirteen against seat 1: 13 and -9."""


def play_hands(match: EngineMatch, *hands: Hand) -> None:
    for declarer, bid, trump in hands:
        match.hand_of(declarer=declarer, bid=bid, trump=trump)


def test_R_MAT_1_a_team_whose_total_passes_the_target_wins() -> None:
    match = EngineMatch(rules_for("classic", target=31))
    play_hands(match, KABOOT_0, KABOOT_1)
    assert isinstance(match.state, Dealing)
    play_hands(match, KABOOT_0)
    assert match.events[-1] == MatchWon(0, (32, 16))
    assert isinstance(match.state, Over)
    assert (match.state.status, match.state.reason, match.state.winner) == ("completed", "target", 0)
    assert match.state.table.totals == (32, 16)


def test_R_MAT_1_a_total_that_just_reaches_the_target_wins() -> None:
    match = EngineMatch(rules_for("classic", target=32))
    play_hands(match, KABOOT_1, KABOOT_1)
    assert match.events[-1] == MatchWon(1, (0, 32))


def test_R_MAT_1_one_point_short_does_not_win() -> None:
    match = EngineMatch(rules_for("classic", target=33))
    play_hands(match, KABOOT_1, KABOOT_1)
    assert isinstance(match.state, Dealing)


def test_R_MAT_1_defenders_win_too() -> None:
    match = EngineMatch(rules_for("classic", target=31))
    play_hands(match, DEFENDED_0, DEFENDED_0)
    assert isinstance(match.state, Dealing)
    play_hands(match, DEFENDED_0)
    assert match.events[-1] == MatchWon(0, (39, -27))


def test_R_MAT_1_it_is_the_signed_total_that_counts_not_the_points_ever_won() -> None:
    match = EngineMatch(rules_for("classic", target=31))
    play_hands(match, KABOOT_0, (0, 9, "D"), KABOOT_0)
    assert match.state.table.totals == (23, 13)
    assert isinstance(match.state, Dealing)


def test_R_MAT_1_the_last_card_the_score_and_the_win_come_together() -> None:
    match = EngineMatch(rules_for("classic", target=31))
    play_hands(match, KABOOT_0, KABOOT_0)
    assert [type(event) for event in match.events[-3:]] == [CardPlayed, HandScored, MatchWon]
    log = EngineMatch(rules_for("classic", target=31))
    play_hands(log, KABOOT_0)
    events = log.hand_of(declarer=0, bid=9, trump="C")
    assert [type(event) for event in events] == [CardPlayed, HandScored, MatchWon]


@pytest.mark.parametrize("target", [31, 41, 501])
def test_R_MAT_1_the_target_is_the_rules(target: int) -> None:
    match = EngineMatch(rules_for("classic", target=target))
    hands = 0
    while not isinstance(match.state, Over):
        play_hands(match, (0, 13, "C"))
        hands += 1
        assert hands <= 20
    assert hands == -(-target // 26)


def test_R_MAT_2_otherwise_the_next_hand_is_dealt() -> None:
    match = EngineMatch(rules_for("classic", target=31))
    play_hands(match, KABOOT_0)
    assert isinstance(match.state, Dealing)
    assert isinstance(match.state.scored, Play)
    assert (match.state.table.hand, match.state.table.deal) == (2, 0)
    match.deal()
    assert match.state.phase == "auction"


def test_R_MAT_1_nothing_is_played_after_the_end() -> None:
    match = EngineMatch(rules_for("classic", target=31))
    play_hands(match, KABOOT_0, KABOOT_0)
    match.refused(MatchOver, player(0), Pass())
    match.refused(MatchOver, player(1), PlayCard("AS"))
    match.refused(MatchOver, SYSTEM, Deal(shuffled(0), SALT))
