"""The last page: who won, the paper sheet, what was stored, and where to look next."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table as Columns
from rich.text import Text

from tarneeb_service.local.demo.client import Client
from tarneeb_service.local.demo.faces import QUIET, STRONG, TEAM_STYLES, Faces, quiet
from tarneeb_service.local.demo.failures import DemoFailed
from tarneeb_service.local.demo.screen import Screen
from tarneeb_service.local.demo.texts import Texts
from tarneeb_service.local.demo.views import MatchView, Sheet, SheetRow


def show_ending(screen: Screen, faces: Faces, tenant: Client, match: MatchView) -> None:
    """Show how the match ended. Raises `DemoFailed` if nobody won or the log has a gap."""
    if match.status != "completed" or match.result is None or match.result.winner is None:
        raise DemoFailed("no_winner", status=match.status)
    texts, winner, totals = faces.texts, match.result.winner, match.result.totals
    screen.line(Text())
    screen.line(
        Text(
            texts(
                "winner",
                team=faces.team_name(winner),
                points=texts.signed(totals[winner]),
                others_points=texts.signed(totals[1 - winner]),
            ),
            style=f"bold {TEAM_STYLES[winner]}",
        )
    )
    _show_sheet(screen, faces, tenant.sheet(match.id))
    screen.line(Text(texts("events", count=count_events(tenant, match.id))))


def count_events(tenant: Client, match: str) -> int:
    """How many events the match has. Raises `DemoFailed` if their versions are not 1, 2, 3 … to the last."""
    seen = 0
    while True:
        page = tenant.events(match, seen)
        for event in page.events:
            if event.version != seen + 1:
                raise DemoFailed("gap", expected=page.version, count=seen, version=seen + 1)
            seen = event.version
        if not page.events:
            if seen != page.version:
                raise DemoFailed("gap", expected=page.version, count=seen, version=seen + 1)
            return seen


def _show_sheet(screen: Screen, faces: Faces, sheet: Sheet) -> None:
    texts = faces.texts
    # Narrow enough for 80 cells.
    paper = Columns(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    paper.add_column(_cell(texts, "column_hand"), justify="right")
    paper.add_column(_cell(texts, "column_bidder"))
    paper.add_column(_cell(texts, "column_bid"), justify="right")
    paper.add_column(_cell(texts, "column_won"), justify="right")
    for team in (0, 1):
        style = TEAM_STYLES[team]
        paper.add_column(faces.stacked_names(team), justify="right")
        paper.add_column(_cell(texts, "column_line"), justify="right", style=f"bold {style}")
        paper.add_column(_cell(texts, "column_debt"), justify="right", style="red")
    for row in sheet.rows:
        paper.add_row(*_row(faces, row))
    screen.line(Text())
    screen.line(Text(texts("sheet"), style=STRONG))
    screen.block(paper)
    screen.line(Text())
    for team, line in enumerate(sheet.teams):
        if line.debt:
            owed = texts("in_debt", team=faces.team_name(team), debt=line.debt, signed=texts.signed(line.signed))
            screen.line(Text(owed, style=QUIET))


def _row(faces: Faces, row: SheetRow) -> Sequence[str | Text]:
    bid = f"{row.bid}×2" if row.doubled else str(row.bid)
    bidders = Text(f"{faces.team_name(row.declarer_team)}{faces.texts.mark}", style=TEAM_STYLES[row.declarer_team])
    cells: list[str | Text] = [str(row.hand), bidders, bid, str(row.won)]
    for team in (0, 1):
        debt = row.debts[team]
        cells += [str(row.entries[team]), str(row.lines[team]), str(debt) if debt else ""]
    return cells


def _cell(texts: Texts, key: str) -> str:
    return f"{texts(key)}{texts.mark}"


def show_addresses(
    screen: Screen, texts: Texts, *, base_url: str, match: str, credentials: Path, named_url: str | None
) -> None:
    """Show where to look next and commands that can be pasted into a shell as they are.

    `named_url` is the address from the command line, None where the credentials file named it.
    """
    address = f"{base_url}/api/v1/matches/{match}"
    screen.line(Text())
    for key, shown in (
        ("the_match", address),
        ("the_events", f"{address}/events"),
        ("the_docs", f"{base_url}/api/docs"),
        ("play_again", play_again_command(credentials, named_url)),
        ("ask", curl_command(address, credentials)),
    ):
        screen.line(quiet(f"{texts(key)}: ").append(shown))


def play_again_command(credentials: Path, named_url: str | None) -> str:
    """The command line that plays another match on the same server."""
    command = [_here(Path(sys.executable)), "-m", "tarneeb_service.local.demo", "--credentials", _here(credentials)]
    return shlex.join(command if named_url is None else [*command, "--base-url", named_url])


def curl_command(address: str, credentials: Path) -> str:
    """A request for the match's sheet, with the key read from the file and so on no screen."""
    read = 'import json, sys; print(json.load(open(sys.argv[1]))["tenant"]["key"])'
    key = shlex.join([_here(Path(sys.executable)), "-c", read, _here(credentials)])
    return f'curl -s -H "Authorization: Bearer $({key})" {shlex.quote(address + "/sheet")}'


def _here(path: Path) -> str:
    """The path as someone in this directory would type it."""
    # Not resolved: a virtual environment's python is a link, and is itself only under that name.
    whole = Path.cwd() / path
    return str(whole.relative_to(Path.cwd())) if whole.is_relative_to(Path.cwd()) else str(whole)
