"""Non-interference: dealing the hidden cards differently changes no byte of the feed and of what webhooks are sent.

The same match is played twice. Between the two, every card that does not come to the table lies in another hand.
"""

from typing import cast

import pytest

from matches import state_cache
from matches.engine.events import Holdings
from tests.api.callers import House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.api.test_hidden_cards import ONE, PLAYED, anonymous, dealt_otherwise
from tests.cast import cards
from tests.webhooks.hooks import deliver_until, hook, wait_for_feed, waiting
from tests.webhooks.receiver import Receiver


def told(
    north: House, receiver: Receiver, chance: Chance, holdings: Holdings, variant: str
) -> tuple[list[bytes], bytes, list[int]]:
    """Bodies of the webhooks, the feed, and the sizes of the answers to it, page by page, of one match."""
    chance.holdings = holdings
    state_cache.clear()
    wait_for_feed()
    page = north.backend.get("events?limit=1000").ok()
    while page["more"]:
        page = north.backend.get(f"events?limit=1000&cursor={page['next_cursor']}").ok()
    cursor = page["next_cursor"]
    receiver.received.clear()
    game = Game(north, variant=variant, turn_seconds=3600)
    game.call("9S" if variant == "egyptian" else "9", "pass", "pass", "pass")
    if variant == "egyptian":
        game.call("pass")
    else:
        game.name("S")
    game.play(PLAYED)
    north.backend.post(f"{game.path}/abandon", {"reason": "rain"}).ok()
    wait_for_feed()
    deliver_until(lambda: waiting() == 0 and bool(receiver.received) and receiver.received[-1].version > game.version)
    state_cache.clear()
    feed = north.backend.get(f"events?limit=1000&cursor={cursor}").body
    sizes = []
    while True:
        answer = north.backend.get(f"events?limit=3&cursor={cursor}")
        sizes.append(len(anonymous(answer.body, game.id)))
        cursor = answer.ok()["next_cursor"]
        if not answer.json["more"]:
            break
    return [anonymous(each.body, game.id) for each in receiver.received], anonymous(feed, game.id), sizes


@pytest.mark.parametrize("variant", ["classic", "egyptian"])
def test_hidden_cards_change_no_byte(north: House, receiver: Receiver, chance: Chance, variant: str) -> None:
    hook(north, receiver)
    one = cast("Holdings", tuple(cards(text) for text in ONE))
    other = dealt_otherwise(None)
    assert one != other
    first = told(north, receiver, chance, one, variant)
    second = told(north, receiver, chance, other, variant)
    assert len(first[0]) > 10
    assert first == second


def test_what_lies_on_the_table_is_told(north: House, receiver: Receiver, chance: Chance) -> None:
    """The comparison above sees what there is to see, and nothing else is there."""
    hook(north, receiver)
    bodies, feed, _ = told(north, receiver, chance, cast("Holdings", tuple(cards(text) for text in ONE)), "classic")
    everything = b"".join([*bodies, feed])
    for card in cards(" ".join(ONE)):
        assert (f'"{card}"'.encode() in everything) == (card in cards(PLAYED)), card
