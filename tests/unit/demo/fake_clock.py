"""Time that passes only by sleeping, at once."""

from tarneeb_service.local.demo.clock import Clock


class FakeClock(Clock):
    """Remembers how long was slept."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
