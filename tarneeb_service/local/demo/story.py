"""The match as a watcher follows it: events in, lines out."""

from collections.abc import Callable, Sequence

from rich.text import Text

from tarneeb_service.local.demo.cards import winning_place
from tarneeb_service.local.demo.faces import QUIET, STRONG, TEAM_STYLES, Faces, holding_widths, quiet
from tarneeb_service.local.demo.pace import Pace
from tarneeb_service.local.demo.screen import Screen
from tarneeb_service.local.demo.views import Event, MatchView

Holdings = Sequence[Sequence[str]]


class Story:
    """Tells each event once, in order. `holdings` asks the four players what they hold, each from their own view."""

    def __init__(self, screen: Screen, faces: Faces, pace: Pace, holdings: Callable[[], Holdings]) -> None:
        self.version = 0
        self._screen = screen
        self._faces = faces
        self._texts = faces.texts
        self._pace = pace
        self._holdings = holdings
        self._totals = (0, 0)
        self._calls: list[Text] = []
        self._bid: tuple[int, int, str | None] = (0, 0, None)
        self._doubled = False
        self._trump: str | None = None
        self._plays: list[tuple[int, str]] = []
        self._tricks = [0, 0]
        self._tellers: dict[str, Callable[[Event], None]] = {
            "hand_dealt": self._hand_dealt,
            "bid_placed": self._bid_placed,
            "passed": self._passed,
            "doubled": self._double_called,
            "hand_thrown_in": self._thrown_in,
            "trump_named": self._trump_named,
            "card_played": self._card_played,
            "hand_scored": self._hand_scored,
        }

    def open(self, match: MatchView) -> None:
        """Announce the match and who plays whom."""
        team, others = self._faces.team_name(0), self._faces.team_name(1)
        variant = self._texts.variant(match.variant)
        self._screen.line(Text(self._texts("match", variant=variant, target=match.rules.target), style=STRONG))
        opponents = Text(self._texts("against", team=team, others=others))
        opponents.highlight_words([team], TEAM_STYLES[0])
        opponents.highlight_words([others], TEAM_STYLES[1])
        self._screen.line(opponents)

    def tell(self, event: Event) -> None:
        """Show what the event brought. Events told before are passed over."""
        if event.version <= self.version:
            return
        self.version = event.version
        teller = self._tellers.get(event.type)
        if teller is not None:
            teller(event)

    def _hand_dealt(self, event: Event) -> None:
        self._calls, self._plays, self._tricks = [], [], [0, 0]
        self._trump, self._doubled = None, False
        self._pace.new_hand(self._totals)
        title = Text().append(self._texts("hand", number=event.data["hand"]), style=STRONG)
        title.append(" · ", style=QUIET)
        title.append(self._texts("dealer", name=self._faces.names[event.data["dealer"]]))
        self._screen.line(Text())
        self._screen.line(title)
        holdings = self._holdings()
        widths = holding_widths(holdings)
        for seat, cards in enumerate(holdings):
            line = Text(f"  {self._texts.mark}").append_text(self._faces.name(seat, padded=True)).append("  ")
            self._screen.line(line.append_text(self._faces.holding(cards, widths)))
        self._pace.pause(6)

    def _bid_placed(self, event: Event) -> None:
        seat, tricks, trump = _seat(event), event.data["tricks"], event.data.get("trump")
        self._bid, self._doubled = (seat, tricks, trump), False
        self._call(seat, self._faces.bid(tricks, trump))

    def _passed(self, event: Event) -> None:
        self._call(_seat(event), Text(self._texts("pass"), style=QUIET))

    def _double_called(self, event: Event) -> None:
        self._doubled = True
        self._call(_seat(event), Text(self._texts("double"), style=STRONG))

    def _call(self, seat: int, said: Text) -> None:
        self._calls.append(Text().append_text(self._faces.name(seat)).append(" ").append_text(said))
        self._screen.draft(self._auction_line())
        self._pace.pause(2)

    def _auction_line(self) -> Text:
        return quiet(f"  {self._texts('calls')}: ").append_text(quiet(" · ").join(self._calls))

    def _thrown_in(self, _event: Event) -> None:
        self._screen.line(self._auction_line())
        self._screen.line(Text(f"  {self._texts('thrown_in')}"))
        self._pace.pause(6)

    def _trump_named(self, event: Event) -> None:
        self._announce_contract(event.data["trump"])

    def _announce_contract(self, trump: str) -> None:
        self._trump = trump
        seat, tricks, _ = self._bid
        self._screen.line(self._auction_line())
        line = quiet(f"  {self._texts('contract')}: ").append_text(self._faces.name(seat))
        line.append(" ").append_text(self._faces.bid(tricks, trump))
        if self._doubled:
            line.append(f" · {self._texts('double')}", style=STRONG)
        self._screen.line(line)
        head = Text(f"  {self._texts.mark}    ")
        for place in range(4):
            head.append(" ").append_text(self._faces.name(place, padded=True))
            head.append(" " * (max(self._faces.width, 4) + 1 - self._faces.width))
        self._screen.line(head.append(self._texts("tricks"), style=QUIET))
        self._pace.pause(6)

    def _card_played(self, event: Event) -> None:
        if self._trump is None:
            # Where suits are bid nothing names the trump again: the first card follows the last call.
            self._announce_contract(self._bid[2] or "NT")
        self._plays.append((_seat(event), event.data["card"]))
        if len(self._plays) < 4:
            self._screen.draft(self._trick_line(winner=None))
            self._pace.pause(1)
            return
        winner = self._plays[winning_place([card for _, card in self._plays], self._trump or "NT")][0]
        self._tricks[winner % 2] += 1
        self._screen.line(self._trick_line(winner=winner))
        self._plays = []
        self._pace.pause(2.5)

    def _trick_line(self, winner: int | None) -> Text:
        number = sum(self._tricks) + (winner is None)
        line = quiet(f"  {self._texts.mark}{number:>3} ")
        cards = dict(self._plays)
        for seat in range(4):
            led = seat == self._plays[0][0]
            line.append_text(self._faces.card_cell(cards.get(seat), led=led, won=seat == winner))
        return line.append("" if winner is None else f"{self._tricks[0]}-{self._tricks[1]}", style=QUIET)

    def _hand_scored(self, event: Event) -> None:
        data = event.data
        team = data["declarer"] % 2
        points, won, bid = data["points"], data["won"], data["bid"]
        outcome = "failed" if won < bid else "kaboot" if won == 13 else "made"
        told = self._texts(
            outcome,
            team=self._faces.team_name(team),
            others=self._faces.team_name(1 - team),
            bid=bid,
            won=won,
            points=self._texts.gained(points[team]),
            others_points=self._texts.gained(points[1 - team]),
        )
        self._screen.line(Text(f"  {told}", style="red" if outcome == "failed" else "green"))
        self._totals = (data["totals"][0], data["totals"][1])
        self._screen.line(quiet(f"  {self._texts('totals')}: ").append_text(self._faces.totals(self._totals)))
        self._pace.pause(12)


def _seat(event: Event) -> int:
    """Whose event it is: the API says it beside the data, the data may repeat it."""
    return event.seat if event.seat is not None else int(event.data["seat"])
