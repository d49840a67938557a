"""Time as the demo meets it, in one place so that tests can move it."""

import time


class Clock:
    """The machine's own."""

    def now(self) -> float:
        """Seconds from some fixed moment, never backwards."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Let this much time go by."""
        time.sleep(seconds)
