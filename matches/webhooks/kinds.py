"""What a webhook can be told of. The names are the API's and stand for ever.

An event of a match has at most one kind. What has a kind and is no event comes by `enqueue`.
"""

from typing import Final, Literal, TypeAlias, get_args

from matches.outbox import Happening

Kind: TypeAlias = Literal[
    "match.started",
    "turn.started",
    "hand.scored",
    "match.completed",
    "match.abandoned",
    "match.voided",
    "player.absent",
    "player.returned",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

_BY_NAME: Final[dict[str, Kind]] = {kind: kind for kind in KINDS}
_OF_EVENTS: Final[dict[str, Kind]] = {
    "match_started": "match.started",
    "hand_scored": "hand.scored",
    "match_won": "match.completed",
    "match_abandoned": "match.abandoned",
    "match_voided": "match.voided",
}


def kind_of(happening: Happening) -> Kind | None:
    """What a webhook is told of this; None where it is not told."""
    if happening.details is not None:
        return _BY_NAME.get(happening.type)
    return "turn.started" if happening.opens_turn else _OF_EVENTS.get(happening.type)
