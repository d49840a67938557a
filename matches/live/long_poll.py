"""A look at a match that waits for news of it."""

import time
from collections.abc import Callable
from uuid import UUID

from django.db import connection

from matches import selectors
from matches.answers import MatchAnswer
from matches.live import wakeups
from matches.selectors import Viewer

LOOK_UP_SECONDS = 1.0
"""How often a wait asks whether this process goes on serving."""


def match_awaited(*, match_id: UUID, viewer: Viewer, known: Callable[[int], bool], seconds: float) -> MatchAnswer:
    """The match as soon as this viewer may see a version that they do not know, or as it stands after so many seconds.

    Holds no database connection while it waits. Raises `StreamNotFound`, also where the viewer may no longer see it.
    """
    end = time.monotonic() + seconds
    with wakeups.waiting_for(match_id) as waiter:
        while True:
            match = selectors.match_seen(match_id=match_id, viewer=viewer)
            if not known(match.version) or time.monotonic() >= end:
                return match
            visible = selectors.seconds_until_visible(match_id=match_id, viewer=viewer, version=match.version + 1)
            look_again = end if visible is None else min(end, time.monotonic() + visible)
            # Goes back to the pool: thousands wait where a few connections serve.
            if not connection.in_atomic_block:
                connection.close()
            _wait(waiter, look_again)
            if not wakeups.goes_on():
                return match


def _wait(waiter: wakeups.Waiter, until: float) -> None:
    while wakeups.goes_on() and (left := until - time.monotonic()) > 0:
        if waiter.wait(min(left, LOOK_UP_SECONDS)):
            return
