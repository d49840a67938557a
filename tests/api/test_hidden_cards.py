"""Non-interference over the API: dealing what a viewer may not see differently changes no byte of what they get.

The same match is played twice. Between the two, the cards that stay hidden from a viewer all along lie in other hands.
"""

import re
from collections.abc import Iterable
from itertools import chain
from typing import cast

import pytest
from django.test import Client

from matches import state_cache
from matches.engine.events import Holdings
from tests.api.callers import Answer, Caller, House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import OMAR, SALMA, cards

pytestmark = pytest.mark.slow

ONE = (
    "AC KC QC 2C 3H 4H 5H 9D 8D 7D 2S 3S 4S",
    "JC TC 9C 3C 6H 7H 8H TD JD QD 5S 6S 7S",
    "8C 7C 6C 4C AH KH QH KD AD 6D 8S 9S TS",
    "5C JH TH 9H 2H 5D 4D 3D 2D JS QS KS AS",
)
PLAYED = "AC 3C 4C 5C KC 9C 6C 2D"
"""amal leads two clubs; trump is spades."""


OUT_OF_TURN = ({"type": "play", "card": "AS"}, {"type": "bid", "tricks": 13}, {"type": "double"})


def dealt_otherwise(viewer: int | None) -> Holdings:
    """ONE with all cards turned round among the seats, save those of the viewer and those that come to the table."""
    shown = set(cards(PLAYED))
    hands = [list(cards(text)) for text in ONE]
    moving = [seat for seat in range(4) if seat != viewer]
    # What a player follows with stays lawful in both deals: only suits that are not led move.
    places = [[p for p, card in enumerate(hands[seat]) if card not in shown and card[1] != "C"] for seat in moving]
    count = min(map(len, places))
    for step in range(count):
        taken = [hands[seat][place[step]] for seat, place in zip(moving, places, strict=True)]
        for seat, place, card in zip(moving, places, taken[1:] + taken[:1], strict=True):
            hands[seat][place[step]] = card
    assert sorted(chain(*hands)) == sorted(chain(*(cards(text) for text in ONE)))
    return cast("Holdings", tuple(tuple(hand) for hand in hands))


def told(caller: Caller, north: House, chance: Chance, holdings: Holdings, variant: str) -> list[bytes]:
    """Everything that the caller is answered while a match is played with these holdings."""
    chance.holdings = holdings
    state_cache.clear()
    game = Game(north, variant=variant, turn_seconds=3600)
    answers: list[Answer] = []

    def look() -> None:
        answers.append(caller.get(game.path))
        answers.append(caller.get(f"{game.path}/events"))
        answers.append(caller.get(f"{game.path}/sheet"))
        answers.append(caller.get("matches?limit=1"))
        if north.four[game.turn or 0] != caller:
            answers.extend(caller.act(game.id, body) for body in OUT_OF_TURN)

    look()
    game.call("9S" if variant == "egyptian" else "9", "pass", "pass", "pass")
    look()
    if variant == "egyptian":
        game.call("pass")
    else:
        game.name("S")
    for card in PLAYED.split():
        look()
        game.play(card)
    look()
    north.backend.post(f"{game.path}/abandon", {"reason": "rain"}).ok()
    look()
    return [anonymous(body, game.id) for body in (*streamed(caller, game), *(answer.body for answer in answers))]


def streamed(caller: Caller, game: Game) -> list[bytes]:
    """All that a stream sends of a match that is over, piece by piece."""
    headers = {"Authorization": f"Bearer {caller.token}", "Last-Event-ID": "1"}
    if caller.player is not None:
        headers["X-Player"] = caller.player
    pieces: Iterable[bytes] = Client().get(f"/api/v1/{game.path}/stream", headers=headers)
    sent = list(pieces)
    assert len(sent) > len(PLAYED.split())
    return sent


VARYING: Iterable[tuple[bytes, bytes]] = (
    (rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", b"TIME"),
    (rb'"seconds_left":\d+\.\d', b'"seconds_left":0'),
    (rb'"(deal_)?anchor":"[0-9a-f]{64}"', b'"anchor":""'),
    (rb'"next_cursor":(null|"[^"]*")', b'"next_cursor":null'),
)


def anonymous(body: bytes, match: str) -> bytes:
    """The body without what differs between any two matches: id, times, and the commitment to the shuffle."""
    body = body.replace(match.encode(), b"MATCH")
    for pattern, text in VARYING:
        body = re.sub(pattern, text, body)
    return body


@pytest.mark.parametrize("variant", ["classic", "egyptian"])
@pytest.mark.parametrize("viewer", ["amal", "basim", "carla", "dina", SALMA, OMAR, "backend", "moderator"])
def test_hidden_cards_change_no_byte(north: House, chance: Chance, viewer: str, variant: str) -> None:
    seat = ["amal", "basim", "carla", "dina"].index(viewer) if viewer in ("amal", "basim", "carla", "dina") else None
    named = {"backend": north.backend, "moderator": north.moderator()}
    caller = named.get(viewer) or north.player(viewer)
    one = cast("Holdings", tuple(cards(text) for text in ONE))
    other = dealt_otherwise(seat)
    assert one != other
    first = told(caller, north, chance, one, variant)
    second = told(caller, north, chance, other, variant)
    if viewer == "moderator":
        # Once the hand is over a moderator does see the deal: the end of the match opens it.
        first, second = first[:-7], second[:-7]
    assert first == second
