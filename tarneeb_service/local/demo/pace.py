"""How fast a watcher sees the match: pauses that fit a whole match into a time, whatever number of hands it takes."""

from tarneeb_service.local.demo.clock import Clock

NORMAL = 65.0

SECONDS = {"fast": None, "normal": NORMAL, "slow": 240.0}
"""What a match to 31 should take. `fast` never pauses."""

USUAL_TARGET = 31
POINTS_A_HAND = 4.8
"""What the leading team gains in a hand on average, failed contracts included."""

BEATS_A_HAND = 110
"""Weights of all the pauses of a usual hand together."""

SHORTEST, LONGEST = 0.02, 0.16


class Pace:
    """Turns weights into pauses. A weight of 1 is the pause after one card."""

    def __init__(self, speed: str, *, clock: Clock, target: int = USUAL_TARGET) -> None:
        seconds = SECONDS[speed]
        self._clock = clock
        self._target = target
        self._stretch = 1.0 if seconds is None else seconds / NORMAL
        self._seconds = None if seconds is None else seconds * target / USUAL_TARGET
        self._beat = 0.0
        self._start = clock.now()

    def new_hand(self, totals: tuple[int, int]) -> None:
        """Share the time that is left over the hands that probably are."""
        if self._seconds is None:
            return
        hands_left = max(1.0, (self._target - max(totals)) / POINTS_A_HAND)
        time_left = self._start + self._seconds - self._clock.now()
        shortest, longest = SHORTEST * self._stretch, LONGEST * self._stretch
        self._beat = min(max(time_left / (hands_left * BEATS_A_HAND), shortest), longest)

    def pause(self, weight: float) -> None:
        """Give the watcher time for what just appeared."""
        if self._beat > 0:
            self._clock.sleep(self._beat * weight)
