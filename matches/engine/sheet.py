"""The paper form of the ledger: whole numbers from zero up, lines and debts (R-SHT)."""

from collections.abc import Iterable

from msgspec import Struct

from matches.engine.events import Points


class TeamSheet(Struct, frozen=True, gc=False):
    """Where a team stands: `line - debt == signed`, and `line` is the highest `signed` so far, from 0 (R-SHT-2)."""

    line: int
    debt: int
    signed: int


class SheetRow(Struct, frozen=True, gc=False):
    """One row, figures by team: the signed points, what was entered for them, and lines and debts after it."""

    points: Points
    entries: Points
    lines: Points
    debts: Points


class Sheet(Struct, frozen=True, gc=False):
    """The whole ledger: where each team stands, team 0 first, and how it came there."""

    teams: tuple[TeamSheet, TeamSheet]
    rows: tuple[SheetRow, ...]


def sheet(rows: Iterable[Points]) -> Sheet:
    """The sheet of these signed points, one pair a hand, team 0's first."""
    first = second = TeamSheet(0, 0, 0)
    entered = []
    for points in rows:
        left, right = _entered(first, points[0]), _entered(second, points[1])
        entries = (left.line - first.line, right.line - second.line)
        entered.append(SheetRow(points, entries, (left.line, right.line), (left.debt, right.debt)))
        first, second = left, right
    return Sheet((first, second), tuple(entered))


def _entered(team: TeamSheet, points: int) -> TeamSheet:
    """The team after these points: a cost adds to the debt, a gain pays it first."""
    owed = team.debt - points
    return TeamSheet(line=team.line + max(0, -owed), debt=max(0, owed), signed=team.signed + points)
