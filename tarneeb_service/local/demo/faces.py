"""How players, cards, calls and points look on the screen."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from tarneeb_service.local.demo.cards import GLYPHS, NO_TRUMPS, of_suit, shown_rank, suit
from tarneeb_service.local.demo.texts import Texts

SUIT_STYLES = {"C": "green", "D": "yellow", "H": "red", "S": "bold"}
TEAM_STYLES = ("cyan", "magenta")
QUIET = "bright_black"
STRONG = "bold"
SHOWN_ORDER = "SHDC"


class Faces:
    """The four players' names and colours in one language. `players` are indexed by seat."""

    def __init__(self, players: Sequence[str], texts: Texts) -> None:
        self.texts = texts
        self.names = [texts.name(player) for player in players]
        self.width = max(cell_len(name) for name in self.names)

    def name(self, seat: int, *, padded: bool = False) -> Text:
        """A player's name in the team's colour."""
        # The mark counts no column but would count as a character, so the padding is reckoned from the name alone.
        filling = " " * (self.width - cell_len(self.names[seat])) if padded else ""
        return Text(f"{self.names[seat]}{self.texts.mark}{filling}", style=TEAM_STYLES[seat % 2])

    def team_name(self, team: int) -> str:
        """Both names of a team."""
        return self.texts("team", first=self.names[team], second=self.names[team + 2])

    def stacked_names(self, team: int) -> Text:
        """Both names of a team above each other, for a narrow column."""
        return Text("\n").join([self.name(team), self.name(team + 2)])

    def holding(self, cards: Sequence[str], widths: dict[str, int]) -> Text:
        """A holding by suits, each suit in a column of `widths[suit]` cells."""
        line = Text()
        for one in SHOWN_ORDER:
            ranks = " ".join(shown_rank(card) for card in of_suit(cards, one)) or "-"
            line.append(f"{GLYPHS[one]} {ranks}".ljust(widths[one] + 5), style=SUIT_STYLES[one])
        return line

    def trump(self, trump: str) -> Text:
        """A trump suit, or no trumps in words."""
        if trump == NO_TRUMPS:
            return Text(self.texts("no_trumps"))
        return Text(GLYPHS[trump], style=SUIT_STYLES[trump])

    def bid(self, tricks: int, trump: str | None) -> Text:
        """A bid as players say it: a number, and the suit where one is named."""
        said = Text(str(tricks), style=STRONG)
        if trump is not None:
            said.append(" " if trump == NO_TRUMPS else "").append_text(self.trump(trump))
        return said

    def card_cell(self, card: str | None, *, led: bool, won: bool) -> Text:
        """A card in a trick's line: `›` before the one led, `*` after the one that won."""
        cell = quiet("›" if led else " ")
        shown = "" if card is None else f"{shown_rank(card)}{GLYPHS[suit(card)]}"
        style = "" if card is None else SUIT_STYLES[suit(card)]
        cell.append(shown, style=f"{style} reverse" if won else style)
        cell.append("*" if won else "")
        cell.append(" " * (max(self.width, 4) + 2 - len(cell.plain)))
        return cell

    def totals(self, totals: tuple[int, int]) -> Text:
        """The running totals of both teams."""
        line = Text()
        for team in (0, 1):
            line.append(" · " if team else "", style=QUIET)
            line.append(self.team_name(team), style=TEAM_STYLES[team])
            line.append(f" {self.texts.signed(totals[team])}", style=STRONG)
        return line


def quiet(words: str) -> Text:
    """Words in the background, to which others can be appended in their own style."""
    return Text().append(words, style=QUIET)


def holding_widths(holdings: Sequence[Sequence[str]]) -> dict[str, int]:
    """How many cells the ranks of each suit need, so that four holdings stand in columns."""
    return {
        one: max(len(" ".join(shown_rank(card) for card in of_suit(cards, one))) for cards in holdings)
        for one in SHOWN_ORDER
    }
