"""Whole matches over the API as it is documented, with a network that fails now and then."""

import io
from collections import Counter
from collections.abc import Callable, Sequence

import httpx
import pytest

from matches.engine.events import CardPlayed, HandDealt
from matches.engine.state import Over
from matches.engine.variants import VARIANTS
from tarneeb_service.local.demo.client import Client
from tarneeb_service.local.demo.ending import count_events
from tarneeb_service.local.demo.faces import Faces
from tarneeb_service.local.demo.failures import ActionRefused, DemoFailed
from tarneeb_service.local.demo.pace import Pace
from tarneeb_service.local.demo.screen import PlainScreen
from tarneeb_service.local.demo.story import Story
from tarneeb_service.local.demo.table import MOST_REFUSALS, STUCK_AFTER, Table
from tarneeb_service.local.demo.texts import Texts
from tarneeb_service.local.demo.views import MatchView
from tests.unit.demo.fake_clock import FakeClock
from tests.unit.demo.fake_server import BASE_URL, KEY, FakeServer

CAST = ("amal", "basim", "carla", "dina")


class Played:
    """One match over a fake server, and what was shown of it."""

    def __init__(self, server: FakeServer, variant: str = "classic", seed: int = 1) -> None:
        self.server = server
        self.clock = FakeClock()
        self.tenant = self._client(None)
        self.players = [self._client(player) for player in CAST]
        self.variant = variant
        self.seed = seed
        self.shown = io.StringIO()

    def play(self) -> MatchView:
        match = self.tenant.create_match(
            {
                "variant": self.variant,
                "target": 31,
                "turn_seconds": None,
                "visibility": "tenant",
                "players": list(CAST),
            }
        )
        pace = Pace("fast", clock=self.clock)
        story = Story(PlainScreen(self.shown), Faces(CAST, Texts("en")), pace, lambda: self._holdings(match.id))
        return Table(match.id, self.players, story, seed=self.seed, clock=self.clock).play()

    def _holdings(self, match: str) -> list[Sequence[str]]:
        views = [player.view(match) for player in self.players]
        return [view.you.holding for view in views if view.you is not None]

    def _client(self, player: str | None) -> Client:
        return Client(BASE_URL, KEY, player, clock=self.clock, transport=self.server.transport)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_match_is_played_to_its_end(variant: str) -> None:
    table = Played(FakeServer(seed=11), variant)
    ended = table.play()
    assert ended.status == "completed"
    assert ended.result is not None
    assert max(ended.result.totals) >= 31
    assert isinstance(table.server.state, Over)
    assert count_events(table.tenant, ended.id) == len(table.server.log) == ended.version


def test_every_action_is_sent_by_the_player_whose_turn_it_is() -> None:
    table = Played(FakeServer(seed=11))
    table.play()
    actions = [request for request in table.server.requests if request.url.path.endswith("/actions")]
    cards = [event for event in table.server.log if isinstance(event, CardPlayed)]
    sent = [CAST.index(request.headers["X-Player"]) for request in actions if b'"play"' in request.content]
    assert sent == [event.seat for event in cards]
    assert all(request.headers["Idempotency-Key"] for request in actions)


def test_every_trick_of_every_hand_is_shown_once_and_in_order() -> None:
    table = Played(FakeServer(seed=11))
    table.play()
    hands = sum(isinstance(event, HandDealt) for event in table.server.log)
    tricks = [line.split()[0] for line in table.shown.getvalue().splitlines() if "*" in line]
    assert tricks == [str(number) for number in range(1, 14)] * hands


def test_a_lost_answer_never_becomes_a_second_action() -> None:
    server = FakeServer(seed=11)
    server.after = every(7, lambda _request: httpx.ReadError("the connection broke"))
    ended = Played(server).play()
    undisturbed = Played(FakeServer(seed=11))
    undisturbed.play()
    assert ended.status == "completed"
    assert server.log == undisturbed.server.log


def test_a_server_that_restarts_is_waited_for() -> None:
    server = FakeServer(seed=11)
    server.before = every(
        50, lambda _request: httpx.Response(503, headers={"Retry-After": "1"}, json={"code": "unavailable"})
    )
    table = Played(server)
    assert table.play().status == "completed"
    assert 1.0 in table.clock.slept


@pytest.mark.parametrize("conditional", [True, False])
def test_a_hand_that_is_dealt_late_is_waited_for(conditional: bool) -> None:
    table = Played(FakeServer(seed=11, deals_late=True, conditional=conditional))
    assert table.play().status == "completed"
    assert table.clock.slept


def test_what_others_did_in_between_is_shown_too() -> None:
    server = FakeServer(seed=11)
    server.before = every(20, lambda _request: server.play_for_the_absent())
    table = Played(server)
    assert table.play().status == "completed"
    hands = sum(isinstance(event, HandDealt) for event in server.log)
    shown = [line for line in table.shown.getvalue().splitlines() if "*" in line]
    thrown_in = table.shown.getvalue().count("thrown in")
    assert len(shown) == 13 * (hands - thrown_in)


def test_the_same_seed_plays_the_same_match() -> None:
    logs = []
    for seed in (1, 1, *range(2, 8)):
        table = Played(cut_short(after=40), "lebanese", seed=seed)
        table.play()
        logs.append(tuple(table.server.log))
    assert logs[0] == logs[1]
    assert len(Counter(logs)) > 1


def test_actions_that_are_refused_over_and_over_end_the_demo() -> None:
    server = FakeServer(seed=11)
    refusal = httpx.Response(409, json={"status": 409, "code": "not_your_turn", "detail": "It is the turn of seat 2."})
    server.before = lambda request: refusal if request.url.path.endswith("/actions") else None
    with pytest.raises(ActionRefused):
        Played(server).play()
    assert sum(request.url.path.endswith("/actions") for request in server.requests) == MOST_REFUSALS


def test_a_match_that_stands_still_ends_the_demo() -> None:
    server = FakeServer(seed=11, never_deals=True)
    table = Played(server)
    with pytest.raises(DemoFailed) as caught:
        table.play()
    assert caught.value.text == "stuck"
    assert table.clock.time >= STUCK_AFTER


def test_an_abandoned_match_is_returned_as_it_ended() -> None:
    server = FakeServer(seed=11)
    server.before = once_after(100, lambda _request: server.abandon())
    assert Played(server).play().status == "abandoned"


def test_a_gap_in_the_log_is_found() -> None:
    server = cut_short()
    table = Played(server)
    ended = table.play()
    server.hidden_versions = {5}
    with pytest.raises(DemoFailed) as caught:
        count_events(table.tenant, ended.id)
    assert (caught.value.text, caught.value.facts["version"]) == ("gap", 5)


def test_a_log_that_ends_early_is_found() -> None:
    server = cut_short()
    table = Played(server)
    ended = table.play()
    server.hidden_versions = {ended.version}
    with pytest.raises(DemoFailed) as caught:
        count_events(table.tenant, ended.id)
    assert (caught.value.text, caught.value.facts["version"]) == ("gap", ended.version)


def cut_short(after: int = 200) -> FakeServer:
    """A server that ends the match after so many requests, where a test needs no more of it."""
    server = FakeServer(seed=11)
    server.before = once_after(after, lambda _request: server.abandon())
    return server


Trouble = Callable[[httpx.Request], httpx.Response | httpx.TransportError | None]


def every(period: int, trouble: Trouble) -> Callable[[httpx.Request], httpx.Response | None]:
    """The trouble with every so many requests."""
    return _counted(lambda count: count % period == 0, trouble)


def once_after(number: int, trouble: Trouble) -> Callable[[httpx.Request], httpx.Response | None]:
    """The trouble with one request."""
    return _counted(lambda count: count == number, trouble)


def _counted(due: Callable[[int], bool], trouble: Trouble) -> Callable[[httpx.Request], httpx.Response | None]:
    count = 0

    def fault(request: httpx.Request) -> httpx.Response | None:
        nonlocal count
        count += 1
        result = trouble(request) if due(count) else None
        if isinstance(result, httpx.TransportError):
            raise result
        return result

    return fault
