"""Pauses that fit a match into the time it should take."""

import pytest

from tarneeb_service.local.demo.pace import BEATS_A_HAND, SECONDS, Pace
from tests.unit.demo.fake_clock import FakeClock


def watched(speed: str, totals: list[tuple[int, int]], target: int = 31) -> float:
    """Seconds that a match with these totals before each hand takes, at 20 ms for each of its requests."""
    clock = FakeClock()
    pace = Pace(speed, clock=clock, target=target)
    for before in totals:
        pace.new_hand(before)
        for _ in range(BEATS_A_HAND):
            pace.pause(1)
            clock.time += 0.02
    return clock.time


USUAL = [(0, 0), (8, 0), (8, 9), (-1, 16), (7, 16), (7, 24)]
SHORT = [(0, 0), (9, 0), (25, 0)]
LONG = [(0, 0), (-7, 6), (-7, 14), (1, 14), (7, 7), (14, 0), (14, 8), (6, 14), (6, 22), (12, 14), (20, 14), (28, 14)]


@pytest.mark.parametrize("totals", [USUAL, SHORT, LONG])
def test_a_watched_match_takes_about_a_minute(totals: list[tuple[int, int]]) -> None:
    assert 40 <= watched("normal", totals) <= 100


def test_slow_takes_minutes() -> None:
    assert 180 <= watched("slow", USUAL) <= 300


def test_fast_never_pauses() -> None:
    clock = FakeClock()
    pace = Pace("fast", clock=clock)
    pace.new_hand((0, 0))
    pace.pause(100)
    assert clock.slept == []


def test_a_longer_match_takes_longer_in_proportion() -> None:
    twice = [(2 * first, 2 * second) for first, second in USUAL for _ in range(2)]
    assert watched("normal", twice, target=62) == pytest.approx(2 * watched("normal", USUAL), rel=0.25)


def test_pauses_stay_visible_when_the_time_is_used_up() -> None:
    clock = FakeClock()
    pace = Pace("normal", clock=clock)
    clock.time += 1000
    pace.new_hand((0, 0))
    pace.pause(1)
    assert clock.slept[0] > 0


def test_every_speed_is_known() -> None:
    assert set(SECONDS) == {"fast", "normal", "slow"}
