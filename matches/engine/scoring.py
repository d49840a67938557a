"""What a hand is worth, and who has won by it (R-SCO, R-MAT-1)."""

from matches.engine.events import HandScored, Points
from matches.engine.rules import HIGHEST_BID, Rules
from matches.engine.seats import Team, team_of
from matches.engine.state import Play

TRICKS = 13


def score(rules: Rules, *, declarer_team: Team, bid: int, won: int, doubled: bool) -> Points:
    """The points of a hand, one figure a team, team 0 first (R-SCO-1 to R-SCO-7).

    `bid` is the number bid, 7 to 13; `won` the tricks of the declarer's team, 0 to 13. A cost is negative.
    """
    boldest = bid == HIGHEST_BID
    defenders = 0
    if won < bid:
        declarers = -16 if boldest else -bid
        defenders = (TRICKS - won) * (2 if boldest else 1)
    elif boldest:
        declarers = 26
    else:
        declarers = 16 if won == TRICKS else won
    if doubled:
        declarers *= 2
        if rules.double_defenders:
            defenders *= 2
    return (declarers, defenders) if declarer_team == 0 else (defenders, declarers)


def hand_score(play: Play) -> HandScored:
    """The score of a hand whose thirteen tricks have been played, as the log records it."""
    table, contract = play.table, play.contract
    team = team_of(contract.declarer)
    won = play.tricks_won[team]
    points = score(table.rules, declarer_team=team, bid=contract.tricks, won=won, doubled=contract.doubled)
    return HandScored(
        hand=table.hand,
        declarer=contract.declarer,
        bid=contract.tricks,
        won=won,
        doubled=contract.doubled,
        points=points,
        totals=added(table.totals, points),
    )


def added(totals: Points, points: Points) -> Points:
    """The totals after these points."""
    return (totals[0] + points[0], totals[1] + points[1])


def winner_by(totals: Points, target: int, standing: Team | None = None) -> Team | None:
    """The team with the higher total, if that reaches `target` (R-MAT-1); None if neither does.

    On equal totals that reach it, which only a moderator can bring about, the winner stays who it was: `standing`.
    """
    if max(totals) < target:
        return None
    if totals[0] == totals[1]:
        return standing
    return 0 if totals[0] > totals[1] else 1
