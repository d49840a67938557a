"""What a watcher sees: events in, lines out."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from tarneeb_service.local.demo.faces import Faces
from tarneeb_service.local.demo.pace import Pace
from tarneeb_service.local.demo.screen import PlainScreen, RichScreen
from tarneeb_service.local.demo.story import Story
from tarneeb_service.local.demo.texts import Language, Texts
from tarneeb_service.local.demo.views import Event
from tests.unit.demo.fake_clock import FakeClock
from tests.unit.demo.synthetic import cards

CAST = ("amal", "basim", "carla", "dina")
HOLDINGS = [cards(told) for told in ("AK2-2345-QJ-AT98", "QJ-AKQ6-A2-76543", "T98-JT-K9876-KQJ", "76543-987-T543-2")]

Told = tuple[str, int | None, dict[str, object]]

DEALT: Told = ("hand_dealt", None, {"hand": 3, "deal": 1, "dealer": 1})
AUCTION: list[Told] = [
    ("bid_placed", 2, {"tricks": 7, "trump": None}),
    ("passed", 3, {}),
    ("bid_placed", 0, {"tricks": 8, "trump": None}),
    ("passed", 1, {}),
    ("passed", 2, {}),
]
NAMED: Told = ("trump_named", 0, {"trump": "S"})
TRICK: list[Told] = [("card_played", seat, {"card": card}) for seat, card in enumerate(["TS", "3S", "KS", "2S"])]


def story_on(screen: PlainScreen | RichScreen, language: Language = "en") -> Story:
    pace = Pace("fast", clock=FakeClock())
    return Story(screen, Faces(CAST, Texts(language)), pace, lambda: HOLDINGS)


def told(*events: Told, language: Language = "en") -> list[str]:
    """The lines that these events lead to, without colour."""
    shown = io.StringIO()
    story = story_on(PlainScreen(shown), language)
    for version, (kind, seat, data) in enumerate(events, start=1):
        story.tell(Event(version, kind, seat, data))
    return shown.getvalue().splitlines()


def scored(*, declarer: int, bid: int, won: int, points: list[int], totals: list[int]) -> Told:
    data = {"declarer": declarer, "bid": bid, "won": won, "points": points, "totals": totals, "doubled": False}
    return ("hand_scored", None, data)


def test_a_deal_shows_its_number_its_dealer_and_four_holdings_in_columns() -> None:
    lines = told(DEALT)
    assert lines[1] == "Hand 3 · dealer basim"
    assert lines[2] == "  amal   ♠ A 10 9 8    ♥ Q J         ♦ 5 4 3 2   ♣ A K 2"
    assert lines[3] == "  basim  ♠ 7 6 5 4 3   ♥ A 2         ♦ A K Q 6   ♣ Q J"
    assert [line.index("♣") for line in lines[2:6]] == [lines[2].index("♣")] * 4


def test_an_auction_is_one_line_and_the_contract_another() -> None:
    lines = told(DEALT, *AUCTION, NAMED)
    assert "  auction: carla 7 · dina pass · amal 8 · basim pass · carla pass" in lines
    assert "  contract: amal 8♠" in lines


def test_a_contract_without_trumps_says_so() -> None:
    assert "  contract: amal 8 no trumps" in told(DEALT, *AUCTION, ("trump_named", 0, {"trump": "NT"}))


def test_a_trick_is_one_line_with_its_leader_and_winner_marked() -> None:
    assert told(DEALT, *AUCTION, NAMED, *TRICK)[-1] == "    1 ›10♠    3♠     K♠*    2♠    1-0"


def test_columns_of_tricks_stand_below_the_names() -> None:
    *_, names, trick = told(DEALT, *AUCTION, NAMED, *TRICK)
    for name, card in (("amal", "10♠"), ("basim", "3♠"), ("carla", "K♠"), ("dina", "2♠")):
        assert names.index(name) == trick.index(card)
    assert names.index("tricks") == trick.index("1-0")


def test_where_suits_are_bid_the_contract_is_shown_before_the_first_card() -> None:
    calls: list[Told] = [("bid_placed", 2, {"tricks": 7, "trump": "H"}), ("doubled", 3, {}), *[("passed", 0, {})] * 3]
    lines = told(DEALT, *calls, *TRICK)
    assert "  contract: carla 7♥ · double" in lines
    assert "  auction: carla 7♥ · dina double · amal pass · amal pass · amal pass" in lines


def test_a_later_bid_takes_the_double_away() -> None:
    calls: list[Told] = [
        ("bid_placed", 2, {"tricks": 7, "trump": "H"}),
        ("doubled", 3, {}),
        ("bid_placed", 0, {"tricks": 8, "trump": "S"}),
    ]
    assert "  contract: amal 8♠" in told(DEALT, *calls, *TRICK)


def test_a_ruff_wins_the_trick() -> None:
    ruffed: list[Told] = [
        ("card_played", seat, {"card": card}) for seat, card in ((2, "KH"), (3, "AH"), (0, "2S"), (1, "3H"))
    ]
    assert told(DEALT, *AUCTION, NAMED, *ruffed)[-1] == "    1  2♠*    3♥    ›K♥     A♥    1-0"


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            scored(declarer=0, bid=8, won=10, points=[10, 0], totals=[22, 5]),
            "  amal and carla bid 8 and took 10: +10",
        ),
        (
            scored(declarer=1, bid=8, won=6, points=[7, -8], totals=[22, 5]),
            "  basim and dina bid 8 but took 6: -8; amal and carla: +7",
        ),
        (
            scored(declarer=1, bid=9, won=13, points=[0, 16], totals=[22, 5]),
            "  Kaboot! basim and dina took all thirteen: +16",
        ),
    ],
)
def test_a_scored_hand_says_what_was_bid_and_won_and_the_totals(event: Told, line: str) -> None:
    assert told(event) == [line, "  points: amal and carla 22 · basim and dina 5"]


def test_a_hand_thrown_in_says_so() -> None:
    lines = told(DEALT, *[("passed", seat, {}) for seat in (2, 3, 0, 1)], ("hand_thrown_in", None, {"hand": 3}))
    assert lines[-2] == "  auction: carla pass · dina pass · amal pass · basim pass"
    assert "thrown in" in lines[-1]


def test_a_new_deal_begins_with_nothing_of_the_last() -> None:
    thrown: Told = ("hand_thrown_in", None, {"hand": 3})
    lines = told(DEALT, *[("passed", seat, {}) for seat in (2, 3, 0, 1)], thrown, DEALT, *AUCTION, NAMED, *TRICK)
    assert "  auction: carla 7 · dina pass · amal 8 · basim pass · carla pass" in lines
    assert lines[-1].startswith("    1 ")


def test_an_event_told_before_is_passed_over() -> None:
    shown = io.StringIO()
    story = story_on(PlainScreen(shown))
    for _ in range(2):
        story.tell(Event(1, *scored(declarer=0, bid=8, won=8, points=[8, 0], totals=[8, 0])))
    assert len(shown.getvalue().splitlines()) == 2


def test_events_that_have_nothing_to_show_are_passed_over_in_silence() -> None:
    assert told(("match_created", None, {}), ("player_replaced", 1, {}), ("something_new", None, {})) == []


def test_a_seat_may_stand_in_the_data_alone() -> None:
    assert "  auction: dina pass" in told(DEALT, ("passed", None, {"seat": 3}), ("hand_thrown_in", None, {"hand": 3}))


def test_arabic_uses_its_own_words_and_keeps_the_columns() -> None:
    lines = told(DEALT, *AUCTION, NAMED, *TRICK, language="ar")
    bare = [line.replace("\u200e", "") for line in lines]
    assert bare[1] == "جولة 3 · الموزّع باسم"
    assert "  المزايدة: كارلا 7 · دينا باس · أمل 8 · باسم باس · كارلا باس" in bare
    assert "  الطلب: أمل 8♠" in bare
    assert bare[-2].split() == ["أمل", "باسم", "كارلا", "دينا", "لمّات"]
    assert bare[-1] == "    1 ›10♠    3♠     K♠*    2♠    1-0"


# On a terminal


def terminal() -> tuple[Console, io.StringIO]:
    shown = io.StringIO()
    return Console(file=shown, force_terminal=True, color_system="standard", width=100, highlight=False), shown


def test_a_terminal_sees_the_line_grow_and_then_stand() -> None:
    console, shown = terminal()
    story = story_on(RichScreen(console))
    for version, (kind, seat, data) in enumerate([DEALT, *AUCTION[:2]], start=1):
        story.tell(Event(version, kind, seat, data))
    text = shown.getvalue()
    assert "\x1b[" in text
    assert Text.from_ansi(text.rsplit("\r", 1)[-1]).plain.strip() == "auction: carla 7 · dina pass"


def test_a_terminal_keeps_its_cursor_when_the_story_stops_in_the_middle() -> None:
    console, shown = terminal()
    screen = RichScreen(console)
    screen.draft(Text("half a li"))
    assert shown.getvalue().count("\x1b[?25h") == 0
    screen.close()
    assert shown.getvalue().count("\x1b[?25l") == shown.getvalue().count("\x1b[?25h") == 1


def test_hearts_are_red_and_clubs_are_green() -> None:
    console, shown = terminal()
    story_on(RichScreen(console)).tell(Event(1, *DEALT))
    assert "\x1b[31m♥ Q J" in shown.getvalue()
    assert "\x1b[32m♣ A K 2" in shown.getvalue()


def test_plain_lines_have_no_colours() -> None:
    assert "\x1b" not in "".join(told(DEALT, *AUCTION, NAMED, *TRICK))
