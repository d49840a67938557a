"""The table: looks whose turn it is, lets that player decide from their own view, sends what they decided."""

import hashlib
from collections.abc import Iterable, Sequence

from tarneeb_service.local.demo.client import Client
from tarneeb_service.local.demo.clock import Clock
from tarneeb_service.local.demo.failures import ActionRefused, DemoFailed
from tarneeb_service.local.demo.story import Story
from tarneeb_service.local.demo.strategy import choose
from tarneeb_service.local.demo.views import Event, MatchView

LONG_POLL = 5
"""Seconds that one wait for another's move may take."""

SHORT_SLEEP = 0.2
"""Seconds between looks where the server does not wait."""

STUCK_AFTER = 120
"""Seconds without any change after which the demo gives up."""

MOST_REFUSALS = 10
"""Actions in a row that may come too late before something must be wrong."""


class Table:
    """Four players at one match. `players` are indexed by seat; `seed` fixes their moods."""

    def __init__(
        self,
        match: str,
        players: Sequence[Client],
        story: Story,
        *,
        seed: int,
        clock: Clock,
    ) -> None:
        self._match = match
        self._players = players
        self._story = story
        self._seed = seed
        self._clock = clock

    def play(self) -> MatchView:
        """Play until the match is over, and return it as it ended. Raises `DemoFailed` when it does not get there."""
        refusals = 0
        view = self._players[0].view(self._match)
        while view.status in {"waiting", "playing"}:
            self._catch_up(view.version)
            if view.turn is None:
                view = self._wait(view)
                continue
            player = self._players[view.turn.seat]
            if view.you is None or view.you.seat != view.turn.seat:
                view = player.view(self._match)
                continue
            if not view.you.legal_actions:
                view = self._wait(view)
                continue
            try:
                answer = player.act(self._match, choose(view, self._nerve(view)), seen=view.version)
            except ActionRefused:
                refusals += 1
                if refusals >= MOST_REFUSALS:
                    raise
                view = player.view(self._match)
                continue
            refusals = 0
            self._tell(answer.events)
            view = answer.match
        self._catch_up(view.version)
        return view

    def _wait(self, view: MatchView) -> MatchView:
        """The match once something has changed, by its own answer or after short pauses."""
        since = self._clock.now()
        looker = self._players[view.you.seat if view.you is not None else 0]
        while self._clock.now() - since < STUCK_AFTER:
            asked = self._clock.now()
            newer = looker.newer_view(self._match, view.version, wait=LONG_POLL)
            if newer is not None:
                return newer
            if self._clock.now() - asked < SHORT_SLEEP:
                self._clock.sleep(SHORT_SLEEP)
        raise DemoFailed("stuck", seconds=STUCK_AFTER, version=view.version)

    def _tell(self, events: Iterable[Event]) -> None:
        for event in events:
            # What others did in between, the clock for one, is not in an action's answer.
            self._catch_up(event.version - 1)
            self._story.tell(event)

    def _catch_up(self, version: int) -> None:
        while self._story.version < version:
            page = self._players[0].events(self._match, self._story.version)
            if not page.events:
                return
            for event in page.events:
                self._story.tell(event)

    def _nerve(self, view: MatchView) -> float:
        """How bold this player is in this hand, from -0.5 to 0.5 tricks: the same for the same seed."""
        seat = view.you.seat if view.you is not None else 0
        hand = view.hand.number if view.hand is not None else 0
        drawn = hashlib.sha256(f"{self._seed}:{seat}:{hand}".encode()).digest()
        return drawn[0] / 255 - 0.5
