"""What of an event is shown to whom, in the shapes of the API."""

from typing import get_args

import msgspec
import pytest

from matches.engine import Auditor, SeatViewer, Spectator, Viewer, rules_for, visible_event
from matches.engine.events import (
    BidPlaced,
    CardPlayed,
    Doubled,
    Event,
    HandDealt,
    HandScored,
    HandThrownIn,
    MatchAbandoned,
    MatchCreated,
    MatchStarted,
    MatchVoided,
    MatchWon,
    Passed,
    PlayerReplaced,
    ScoreAdjusted,
    SeatLeft,
    SeatTaken,
    TrumpNamed,
)
from matches.engine.room import Room
from tests.cast import ANCHOR, SALMA, SALT, whole_suits

EVERYBODY: tuple[Viewer, ...] = (*(SeatViewer(seat) for seat in range(4)), Spectator(), Auditor(0), Auditor(99))


DEALT = HandDealt(3, 2, 1, whole_suits(), SALT)

SHOWN_TO_ALL: list[tuple[Event, dict[str, object]]] = [
    (SeatLeft(1, "basim"), {"seat": 1, "player": "basim"}),
    (MatchStarted(2), {"first_dealer": 2}),
    (BidPlaced(1, 9, "H"), {"seat": 1, "tricks": 9, "trump": "H"}),
    (BidPlaced(1, 9), {"seat": 1, "tricks": 9, "trump": None}),
    (Passed(1), {"seat": 1}),
    (Doubled(2), {"seat": 2}),
    (HandThrownIn(2, 1), {"hand": 2, "deal": 1}),
    (TrumpNamed(1, "NT"), {"seat": 1, "trump": "NT"}),
    (CardPlayed(1, "AS"), {"seat": 1, "card": "AS"}),
    (
        HandScored(2, 1, 9, 10, doubled=True, points=(0, 20), totals=(3, 29)),
        {"hand": 2, "declarer": 1, "bid": 9, "won": 10, "doubled": True, "points": [0, 20], "totals": [3, 29]},
    ),
    (MatchWon(1, (3, 42)), {"winner": 1, "totals": [3, 42]}),
    (PlayerReplaced(1, SALMA, "basim"), {"seat": 1, "player": SALMA, "replaced": "basim"}),
    (MatchAbandoned("rain"), {"reason": "rain"}),
    (MatchVoided("signals"), {"reason": "signals"}),
    (
        ScoreAdjusted((0, -5), (3, 37), 1, "a card seen"),
        {"points": [0, -5], "totals": [3, 37], "winner": 1, "reason": "a card seen"},
    ),
]


@pytest.mark.parametrize("viewer", EVERYBODY)
@pytest.mark.parametrize(("event", "shown"), SHOWN_TO_ALL)
def test_an_event_without_a_secret_is_shown_whole(event: Event, shown: dict[str, object], viewer: Viewer) -> None:
    assert visible_event(event, viewer, deals=1) == shown


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_the_creation_shows_rules_room_and_anchor(viewer: Viewer) -> None:
    rules, room = rules_for("egyptian"), Room(turn_seconds=30)
    shown = visible_event(MatchCreated(rules, room, ANCHOR, "before"), viewer, deals=0)
    assert shown["anchor"] == ANCHOR
    assert shown["previous_match"] == "before"
    assert shown["rules"] == msgspec.structs.asdict(rules)
    assert shown["room"] == msgspec.structs.asdict(room)


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_a_seat_taken_shows_who_sits_there(viewer: Viewer) -> None:
    shown = visible_event(SeatTaken(1, "basim", "ab" * 32), viewer, deals=0)
    assert (shown["seat"], shown["player"]) == (1, "basim")


@pytest.mark.parametrize("seat", range(4))
def test_a_deal_shows_each_seat_its_own_cards(seat: int) -> None:
    assert visible_event(DEALT, SeatViewer(seat), deals=5) == {
        "hand": 3,
        "deal": 2,
        "dealer": 1,
        "holding": list(whole_suits()[seat]),
    }


@pytest.mark.parametrize("viewer", [Spectator(), Auditor(0), Auditor(4)])
def test_a_deal_shows_no_card_to_whom_it_is_not_open(viewer: Viewer) -> None:
    assert visible_event(DEALT, viewer, deals=5) == {"hand": 3, "deal": 2, "dealer": 1}


@pytest.mark.parametrize("open_deals", [5, 6])
def test_a_deal_that_is_open_shows_an_auditor_everything(open_deals: int) -> None:
    assert visible_event(DEALT, Auditor(open_deals), deals=5) == {
        "hand": 3,
        "deal": 2,
        "dealer": 1,
        "holdings": [list(holding) for holding in whole_suits()],
        "salt": SALT,
    }


def test_every_event_is_looked_at_here() -> None:
    looked_at = {type(event) for event, _ in SHOWN_TO_ALL} | {MatchCreated, SeatTaken, HandDealt}
    assert looked_at == set(get_args(Event))


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_what_is_shown_of_an_event_is_ready_for_json(viewer: Viewer) -> None:
    others: list[Event] = [MatchCreated(rules_for("egyptian"), Room(), ANCHOR), SeatTaken(1, "basim"), DEALT]
    for event in [*others, *(event for event, _ in SHOWN_TO_ALL)]:
        shown = visible_event(event, viewer, deals=1)
        assert msgspec.json.decode(msgspec.json.encode(shown)) == shown
