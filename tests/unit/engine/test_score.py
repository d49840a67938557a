"""R-SCO: what a hand is worth."""

import pytest

from matches.engine import rules_for, score
from matches.engine.cards import Suit
from matches.engine.events import HandScored
from tests.cast import EngineMatch, whole_suits

CLASSIC = rules_for("classic")
EGYPTIAN = rules_for("egyptian")
BOTH_DOUBLED = rules_for("egyptian", double_defenders=True)


def figures(bid: int, won: int, *, doubled: bool = False, both: bool = False) -> tuple[int, int]:
    """Declarer's team's points and the defenders', whichever team declares."""
    rules = BOTH_DOUBLED if both else EGYPTIAN if doubled else CLASSIC
    declarers, defenders = score(rules, declarer_team=0, bid=bid, won=won, doubled=doubled)
    assert score(rules, declarer_team=1, bid=bid, won=won, doubled=doubled) == (defenders, declarers)
    return declarers, defenders


@pytest.mark.parametrize(("bid", "won"), [(bid, won) for bid in range(7, 13) for won in range(bid, 13)])
def test_R_SCO_1_a_contract_made_scores_the_tricks_won(bid: int, won: int) -> None:
    assert figures(bid, won) == (won, 0)


@pytest.mark.parametrize("bid", range(7, 13))
def test_R_SCO_2_kaboot_scores_sixteen(bid: int) -> None:
    assert figures(bid, 13) == (16, 0)


def test_R_SCO_3_thirteen_bid_and_made_scores_twenty_six() -> None:
    assert figures(13, 13) == (26, 0)


@pytest.mark.parametrize(("bid", "won"), [(bid, won) for bid in range(7, 13) for won in range(bid)])
def test_R_SCO_4_a_contract_missed_costs_the_bid_and_gives_the_defenders_their_tricks(bid: int, won: int) -> None:
    assert figures(bid, won) == (-bid, 13 - won)


@pytest.mark.parametrize("won", range(13))
def test_R_SCO_5_thirteen_missed_costs_sixteen_and_gives_the_defenders_twice_their_tricks(won: int) -> None:
    assert figures(13, won) == (-16, 2 * (13 - won))


@pytest.mark.parametrize(
    ("bid", "won", "expected"),
    [
        pytest.param(8, 9, (18, 0), id="made"),
        pytest.param(8, 6, (-16, 7), id="missed, the defenders' figure stays"),
        pytest.param(9, 13, (32, 0), id="kaboot"),
        pytest.param(13, 13, (52, 0), id="thirteen made"),
        pytest.param(13, 11, (-32, 4), id="thirteen missed"),
    ],
)
def test_R_SCO_6_reading_a_double_doubles_the_declarers_figure_bonus_included(
    bid: int, won: int, expected: tuple[int, int]
) -> None:
    assert figures(bid, won, doubled=True) == expected


@pytest.mark.parametrize(
    ("bid", "won", "expected"), [(8, 6, (-16, 14)), (13, 11, (-32, 8)), (8, 9, (18, 0)), (10, 0, (-20, 26))]
)
def test_R_SCO_6_with_double_defenders_theirs_is_doubled_too(bid: int, won: int, expected: tuple[int, int]) -> None:
    assert figures(bid, won, doubled=True, both=True) == expected


def test_R_SCO_6_double_defenders_changes_nothing_undoubled() -> None:
    assert score(BOTH_DOUBLED, declarer_team=0, bid=8, won=6, doubled=False) == (-8, 7)


@pytest.mark.parametrize(("bid", "expected"), [(7, (-7, 13)), (12, (-12, 13)), (13, (-16, 26))])
def test_R_SCO_7_defenders_who_take_all_thirteen_score_no_kaboot(bid: int, expected: tuple[int, int]) -> None:
    assert figures(bid, 0) == expected


@pytest.mark.parametrize(
    ("bid", "won", "expected"), [(8, 10, (10, 0)), (8, 6, (-8, 7)), (13, 11, (-16, 4)), (9, 13, (16, 0))]
)
def test_R_SCO_8_the_examples(bid: int, won: int, expected: tuple[int, int]) -> None:
    assert figures(bid, won) == expected


@pytest.mark.parametrize(
    ("declarer", "bid", "trump", "won", "points"),
    [
        pytest.param(0, 9, "C", 13, (16, 0), id="kaboot by team 0"),
        pytest.param(1, 9, "D", 13, (0, 16), id="kaboot by team 1"),
        pytest.param(2, 13, "H", 13, (26, 0), id="thirteen made"),
        pytest.param(3, 13, "C", 0, (26, -16), id="thirteen missed by team 1"),
        pytest.param(0, 8, "S", 0, (-8, 13), id="missed by team 0"),
        pytest.param(0, 8, "H", 13, (16, 0), id="the partner's tricks count"),
    ],
)
def test_R_SCO_the_hand_played_is_scored_by_the_declarers_team(
    declarer: int, bid: int, trump: Suit, won: int, points: tuple[int, int]
) -> None:
    match = EngineMatch("classic")
    scored = match.hand_of(declarer=declarer, bid=bid, trump=trump)[-1]
    assert scored == HandScored(1, declarer, bid, won, doubled=False, points=points, totals=points)
    assert match.state.table.totals == points


def test_R_SCO_6_a_doubled_hand_played_is_scored_doubled() -> None:
    match = EngineMatch(rules_for("egyptian", target=101))
    match.deal(whole_suits())
    match.calls("9H", "pass", "pass", "double", "pass")
    assert match.play_out()[-1] == HandScored(1, 1, 9, 0, doubled=True, points=(13, -18), totals=(13, -18))
