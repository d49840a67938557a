"""Counted ways through the auction and through the end of a hand, against the counts kept as data (`perft.json`).

Engine and oracle agreed on them when they were written; see `perft.py`.
"""

import json
from typing import Any

import pytest

from matches.engine import VARIANTS, rules_for
from tests.unit.engine import perft

DATA: dict[str, list[dict[str, Any]]] = json.loads(perft.DATA.read_text(encoding="utf-8"))


def named(given: dict[str, Any]) -> str:
    knobs = ",".join(f"{knob}={value}" for knob, value in given.get("knobs", {}).items())
    tricks = f"{given['tricks_left']} tricks" if "tricks_left" in given else ""
    return " ".join(part for part in (given["variant"], knobs, given.get("opening"), tricks) if part)


def test_every_variant_is_counted() -> None:
    assert {given["variant"] for given in DATA["auctions"]} == set(VARIANTS)
    assert {given["variant"] for given in DATA["endings"]} == set(VARIANTS)


@pytest.mark.parametrize("given", DATA["auctions"], ids=named)
def test_the_ways_an_auction_can_go(given: dict[str, Any]) -> None:
    state = perft.dealt(rules_for(given["variant"], **given["knobs"]), given["deck"], given["dealer"])
    state = perft.called(state, given["opening"])
    assert perft.auctions(state, given["depth"]) == given["calls"]


@pytest.mark.slow
@pytest.mark.parametrize("given", DATA["endings"], ids=named)
def test_the_ways_a_hand_can_end(given: dict[str, Any]) -> None:
    ending = perft.near_the_end(
        perft.dealt(rules_for(given["variant"]), given["deck"], given["dealer"]), given["tricks_left"]
    )
    assert perft.endings(ending) == given["ways_by_tricks_won"]
