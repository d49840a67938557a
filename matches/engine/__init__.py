"""The rules of Tarneeb as pure functions: a state and a command in, events out; events in, a state out.

Nothing here knows a clock, a dice, a database or Django. `decide` says what a command brings about, `evolve` and `fold`
what the events make of the match, `legal_actions` what a seat may do, `autoplay` what is done for one that does not,
`visible_state` and `visible_event` what may be shown to whom, `score` and `sheet` what it all adds up to.
"""

from matches.engine.autoplay import autoplay
from matches.engine.commands import Actor, Command
from matches.engine.decide import decide
from matches.engine.events import Event
from matches.engine.evolve import evolve, fold
from matches.engine.legality import legal_actions
from matches.engine.rules import Rules
from matches.engine.scoring import score
from matches.engine.sheet import sheet
from matches.engine.state import State, turn_of
from matches.engine.variants import VARIANTS, rules_for
from matches.engine.views import Auditor, MatchView, SeatViewer, Spectator, Viewer
from matches.engine.visibility import visible_event, visible_state

__all__ = [
    "VARIANTS",
    "Actor",
    "Auditor",
    "Command",
    "Event",
    "MatchView",
    "Rules",
    "SeatViewer",
    "Spectator",
    "State",
    "Viewer",
    "autoplay",
    "decide",
    "evolve",
    "fold",
    "legal_actions",
    "rules_for",
    "score",
    "sheet",
    "turn_of",
    "visible_event",
    "visible_state",
]
