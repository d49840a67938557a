"""What came of one attempt to deliver, and when the next one is due."""

import secrets
from datetime import timedelta

from msgspec import Struct

RETRIED_FOR = timedelta(hours=24)
FIRST_DELAY = 5.0
LONGEST_DELAY = 7200.0
LONGEST_WISH = 3600.0
GONE = 410
"""What a receiver answers that wants to hear nothing any more (Standard Webhooks)."""

KEPT_OF_ANSWER = 1024


class Attempt(Struct, frozen=True):
    """One attempt. `status` and `answer` are the receiver's, the beginning of its body; `error` is None for a success.

    `wish_seconds` is how long the receiver asked to be left alone.
    """

    error: str | None
    status: int | None = None
    answer: str | None = None
    wish_seconds: float | None = None
    took_ms: int = 0


def delay_before_next(attempts: int, wish_seconds: float | None) -> timedelta:
    """The pause after so many attempts: tripled each time, from seconds to two hours, a fifth more or less by chance.

    Longer if the receiver wants it, an hour at most.
    """
    pause = min(FIRST_DELAY * 3.0 ** min(attempts - 1, 20), LONGEST_DELAY)
    # All that failed at one moment need not come back at one moment.
    pause *= 0.8 + 0.4 * secrets.randbelow(1001) / 1000
    return timedelta(seconds=max(pause, min(wish_seconds or 0.0, LONGEST_WISH)))
