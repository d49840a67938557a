"""What a view of a match holds, in the shapes of the API. What it must not hold is a property of its own."""

from typing import Any

import msgspec
import pytest

from matches.engine import Auditor, SeatViewer, Spectator, Viewer, fold, rules_for, visible_state
from matches.engine.cards import DECK
from matches.engine.commands import AbandonMatch, AdjustScore, PlayCard, ReplacePlayer, VoidMatch
from matches.engine.events import (
    CardPlayed,
)
from matches.engine.room import Room
from tests.cast import MODERATOR, SALMA, SALT, TENANT, EngineMatch, whole_suits

EVERYBODY: tuple[Viewer, ...] = (*(SeatViewer(seat) for seat in range(4)), Spectator(), Auditor(0), Auditor(99))


def seen(match: EngineMatch, viewer: Viewer | None = None) -> dict[str, Any]:
    """The view as it is sent."""
    view: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(visible_state(match.state, viewer or Spectator())))
    return view


def in_play() -> EngineMatch:
    """Seat 3 declares 9 spades; one trick is over (winner seat 3) and two cards of the next lie on the table."""
    match = EngineMatch("classic", first_dealer=2)
    match.deal(whole_suits())
    match.calls("9", "pass", "pass", "pass")
    match.name("S")
    match.play("2S 2C 2D 2H 3S 3C")
    return match


def test_a_waiting_match() -> None:
    match = EngineMatch(rules_for("eram", target=61), room=Room(turn_seconds=30), seated=2)
    view = seen(match, SeatViewer(1))
    assert view["status"] == "waiting"
    assert view["players"] == ["amal", "basim", None, None]
    assert (view["hand"], view["turn_seat"], view["result"], view["previous_match"]) == (None, None, None, None)
    assert (view["totals"], view["cards_left"]) == ([0, 0], [0, 0, 0, 0])
    assert view["you"] == {"seat": 1, "holding": [], "legal_actions": []}
    assert (view["rules"]["variant"], view["rules"]["target"], view["room"]["turn_seconds"]) == ("eram", 61, 30)


@pytest.mark.parametrize("variant", ["classic", "egyptian", "lebanese"])
def test_the_whole_rules_are_shown(variant: str) -> None:
    rules = rules_for(variant, target=77)
    assert seen(EngineMatch(rules))["rules"] == msgspec.structs.asdict(rules)


def test_an_auction() -> None:
    match = EngineMatch("egyptian", first_dealer=2)
    match.deal(whole_suits())
    match.calls("9H", "pass", "pass", "double")
    view = seen(match)
    assert (view["status"], view["turn_seat"], view["cards_left"]) == ("playing", 3, [13, 13, 13, 13])
    assert view["hand"] == {
        "number": 1,
        "deal": 1,
        "dealer": 2,
        "phase": "auction",
        "calls": [
            {"seat": 3, "type": "bid", "tricks": 9, "trump": "H"},
            {"seat": 0, "type": "pass"},
            {"seat": 1, "type": "pass"},
            {"seat": 2, "type": "double"},
        ],
        "highest_bid": {"seat": 3, "tricks": 9, "trump": "H"},
        "doubled_by": 2,
        "contract": None,
        "trick": None,
        "last_trick": None,
        "tricks_won": [0, 0],
    }
    match.calls("9S")
    hand = seen(match)["hand"]
    assert (hand["highest_bid"], hand["doubled_by"]) == ({"seat": 3, "tricks": 9, "trump": "S"}, None)


def test_an_auction_by_number_has_no_suit_in_its_bids() -> None:
    match = EngineMatch("classic")
    match.deal()
    assert seen(match)["hand"]["highest_bid"] is None
    match.calls("8")
    hand = seen(match)["hand"]
    assert hand["calls"] == [{"seat": 1, "type": "bid", "tricks": 8}]
    assert hand["highest_bid"] == {"seat": 1, "tricks": 8, "trump": None}


def test_a_trump_to_be_named() -> None:
    match = EngineMatch("classic")
    match.deal()
    match.calls("13")
    view = seen(match, SeatViewer(1))
    assert (view["hand"]["phase"], view["hand"]["contract"], view["turn_seat"]) == ("naming_trump", None, 1)
    assert view["hand"]["highest_bid"] == {"seat": 1, "tricks": 13, "trump": None}
    assert view["you"]["legal_actions"] == [
        {"type": "name_trump", "trump": trump} for trump in ("C", "D", "H", "S", "NT")
    ]


def test_a_hand_in_play() -> None:
    view = seen(in_play())
    hand = view["hand"]
    assert hand["phase"] == "play"
    assert hand["contract"] == {"declarer": 3, "tricks": 9, "trump": "S", "doubled": False}
    assert hand["last_trick"] == {
        "number": 1,
        "leader": 3,
        "winner": 3,
        "plays": [
            {"seat": 3, "card": "2S"},
            {"seat": 0, "card": "2C"},
            {"seat": 1, "card": "2D"},
            {"seat": 2, "card": "2H"},
        ],
    }
    assert hand["trick"] == {
        "number": 2,
        "leader": 3,
        "plays": [{"seat": 3, "card": "3S"}, {"seat": 0, "card": "3C"}],
    }
    assert hand["tricks_won"] == [0, 1]
    assert (view["turn_seat"], view["cards_left"]) == (1, [11, 12, 12, 11])


def test_plays_go_round_clockwise_where_the_match_does() -> None:
    match = EngineMatch("clockwise")
    match.deal(whole_suits())
    match.calls("13")
    match.name("S")
    match.play("2S 2H 2D 2C 3S 3H")
    hand = seen(match)["hand"]
    assert [play["seat"] for play in hand["last_trick"]["plays"]] == [3, 2, 1, 0]
    assert [play["seat"] for play in hand["trick"]["plays"]] == [3, 2]


def test_your_own_cards_and_what_you_may_do() -> None:
    match = EngineMatch("classic")
    match.deal()
    match.calls("13")
    match.name("S")
    match.act(PlayCard(match.holding(1)[5]))
    for seat in range(4):
        you = seen(match, SeatViewer(seat))["you"]
        assert you["seat"] == seat
        assert you["holding"] == sorted(you["holding"], key=DECK.index) == list(match.holding(seat))
        assert bool(you["legal_actions"]) == (seat == match.turn)
    led = match.events[-1]
    assert isinstance(led, CardPlayed)
    follower = seen(match, SeatViewer(2))["you"]
    following = [card for card in follower["holding"] if card[1] == led.card[1]] or follower["holding"]
    assert follower["legal_actions"] == [{"type": "play", "card": card} for card in following]


def test_bids_and_passes_are_offered_as_the_api_takes_them() -> None:
    match = EngineMatch("egyptian")
    match.deal()
    match.calls("13S")
    assert seen(match, SeatViewer(2))["you"]["legal_actions"] == [
        {"type": "bid", "tricks": 13, "trump": "NT"},
        {"type": "pass"},
        {"type": "double"},
    ]
    classic = EngineMatch("classic")
    classic.deal()
    classic.calls("12")
    assert seen(classic, SeatViewer(2))["you"]["legal_actions"] == [{"type": "bid", "tricks": 13}, {"type": "pass"}]


@pytest.mark.parametrize("viewer", [Spectator(), Auditor(0), Auditor(99)])
def test_who_holds_no_seat_has_no_you(viewer: Viewer) -> None:
    assert seen(in_play(), viewer)["you"] is None


def test_between_two_hands_the_last_one_is_shown() -> None:
    match = in_play()
    match.play_out()
    view = seen(match, SeatViewer(0))
    assert (view["status"], view["turn_seat"], view["cards_left"]) == ("playing", None, [0, 0, 0, 0])
    assert (view["totals"], view["result"]) == ([0, 16], None)
    hand = view["hand"]
    assert (hand["number"], hand["dealer"], hand["phase"], hand["tricks_won"]) == (1, 2, "play", [0, 13])
    assert hand["trick"] is None
    assert (hand["last_trick"]["number"], hand["last_trick"]["winner"]) == (13, 3)
    assert view["you"] == {"seat": 0, "holding": [], "legal_actions": []}


def test_a_completed_match_has_a_result_and_shows_how_the_last_hand_stood() -> None:
    match = in_play()
    match.play_out()
    match.hand_of(declarer=1, bid=13, trump="D")
    view = seen(match)
    assert (view["status"], view["turn_seat"]) == ("completed", None)
    assert view["result"] == {"winner": 1, "reason": "target", "totals": [0, 42]}
    assert (view["hand"]["number"], view["hand"]["contract"]["declarer"]) == (2, 1)


def test_an_abandoned_match_shows_the_hand_as_it_stood_and_no_hidden_card() -> None:
    match = in_play()
    match.give(TENANT, AbandonMatch("rain"))
    view = seen(match)
    assert view["status"] == "abandoned"
    assert view["result"] == {"winner": None, "reason": "rain", "totals": [0, 0]}
    assert view["turn_seat"] is None
    assert view["hand"]["trick"]["plays"] == [{"seat": 3, "card": "3S"}, {"seat": 0, "card": "3C"}]
    assert view["cards_left"] == [11, 12, 12, 11]
    you = seen(match, SeatViewer(1))["you"]
    assert (you["legal_actions"], len(you["holding"])) == ([], 12)


def test_a_moderators_decision_shows_in_the_result() -> None:
    match = in_play()
    match.play_out()
    match.hand_of(declarer=1, bid=13, trump="D")
    match.give(MODERATOR, AdjustScore((0, -12), "a card seen"))
    assert seen(match)["result"] == {"winner": None, "reason": "score_adjusted", "totals": [0, 30]}
    match.give(MODERATOR, VoidMatch("signals"))
    view = seen(match)
    assert view["status"] == "voided"
    assert view["result"] == {"winner": None, "reason": "signals", "totals": [0, 30]}


def test_a_player_who_came_later_is_shown() -> None:
    match = in_play()
    match.give(TENANT, ReplacePlayer(2, SALMA))
    assert seen(match)["players"] == ["amal", "basim", SALMA, "dina"]
    match.play_out()
    assert seen(match)["players"] == ["amal", "basim", SALMA, "dina"]


def test_an_auditor_sees_the_cards_of_the_deals_that_are_open_and_of_no_others() -> None:
    match = EngineMatch("classic")
    match.deal()
    match.calls("pass", "pass", "pass", "pass")
    match.deal(whole_suits())
    match.calls("13")
    assert "holdings" not in seen(match, Auditor(0))
    assert "holdings" not in seen(match, Auditor(1))
    assert seen(match, Auditor(2))["holdings"] == [list(holding) for holding in whole_suits()]
    match.name("D")
    match.play("2D")
    assert seen(match, Auditor(2))["holdings"][1] == list(whole_suits()[1][1:])
    for viewer in (SeatViewer(1), Spectator()):
        assert "holdings" not in seen(match, viewer)


@pytest.mark.parametrize("viewer", [SeatViewer(0), SeatViewer(3), Spectator(), Auditor(0)])
def test_all_holdings_are_shown_at_no_moment_to_whom_they_are_not_open(viewer: Viewer) -> None:
    match = EngineMatch("classic")
    match.deal()
    match.calls("pass", "7", "pass", "pass")
    match.name("H")
    match.play_out()
    match.give(TENANT, AbandonMatch("rain"))
    for length in range(1, len(match.events) + 1):
        view = visible_state(fold(match.events[:length]), viewer)
        assert view.holdings is None
        assert (view.you is None) == (not isinstance(viewer, SeatViewer))


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_nobody_sees_an_entropy_or_a_salt_in_a_view(viewer: Viewer) -> None:
    text = msgspec.json.encode(visible_state(in_play().state, viewer)).decode()
    assert SALT not in text
    assert "22" * 32 not in text
