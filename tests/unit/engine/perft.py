"""How many ways an auction and the end of a hand can go: counts that a wrong rule can hardly leave alone.

`python -m tests.unit.engine.perft` counts anew with the engine, counts again with the oracle, which shares no code with
it, and writes `perft.json` when both agree.
"""

import copy
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from matches.engine import VARIANTS, autoplay, decide, evolve, legal_actions, rules_for, turn_of
from matches.engine.commands import SYSTEM, Deal, PlayerAction
from matches.engine.rules import Rules
from matches.engine.state import Auction, Dealing, Over, Play, State
from tests.cast import SALT, EngineMatch, call, cards, player, shuffled
from tests.property.oracle import team
from tests.property.oracle_match import OracleMatch
from tests.property.strategies import knobs_of, plain

DATA = Path(__file__).parent / "perft.json"

AUCTIONS: list[tuple[str, dict[str, Any], str, int]] = [
    *((variant, {}, "", 3 if variant == "egyptian" else 99) for variant in VARIANTS),
    ("lebanese", {"dealer_may_match": False}, "", 99),
    ("lebanese", {"dealer_must_bid": True}, "", 99),
    ("egyptian", {"doubling": False}, "", 3),
    ("egyptian", {"no_trumps": False, "direction": "clockwise"}, "", 3),
    ("egyptian", {}, "13C", 99),
    ("egyptian", {"doubling": False}, "12S", 99),
    ("egyptian", {"no_trumps": False}, "pass 13C pass", 99),
]
"""A variant, its overridden knobs, the calls made already, and how many more to count; 99 for all there are."""

ENDINGS: list[tuple[str, int, int]] = [
    *((variant, seed, 3) for seed, variant in enumerate(VARIANTS, start=20)),
    *((variant, seed, 4) for seed, variant in zip((49, 71, 101, 139, 169, 190, 227), VARIANTS, strict=True)),
]
"""A variant, the seed of a deck, and how many tricks are left when counting begins; by seeds of a few thousand ways."""


MOST = 10_000
"""More ways than any of these has at one depth: a count that goes beyond is given up rather than waited for."""


def dealt(rules: Rules, deck: str, dealer: int) -> State:
    """The first hand, just dealt."""
    match = EngineMatch(rules, first_dealer=dealer)
    match.give(SYSTEM, Deal(cards(deck), SALT))
    return match.state


def called(state: State, calls: str) -> State:
    """The state after these calls."""
    for text in calls.split():
        state = after(state, call(text))
    return state


def after(state: State, action: PlayerAction) -> State:
    """The state after the seat to act has done this."""
    for event in decide(state, player(turn_of(state)), action):
        state = evolve(state, event)
    return state


def near_the_end(state: State, tricks_left: int) -> State:
    """The state once the clock has played all but the last tricks."""
    while not isinstance(state, Play) or sum(state.tricks_won) < 13 - tricks_left:
        state = after(state, autoplay(state))
    return state


def auctions(state: State, depth: int) -> list[dict[str, int]]:
    """For 1 to `depth` calls: the sequences of that many calls, and how many end in a contract or a throw-in."""
    counts = [Counter[str]() for _ in range(depth)]

    def count(state: State, calls: int) -> None:
        seat = turn_of(state)
        assert seat is not None
        for action in legal_actions(state, seat):
            reached = after(state, action)
            counts[calls]["sequences"] += 1
            assert counts[calls]["sequences"] < MOST, "an auction without end"
            counts[calls]["contracts"] += not isinstance(reached, Auction | Dealing)
            counts[calls]["thrown_in"] += isinstance(reached, Dealing)
            if isinstance(reached, Auction) and calls + 1 < depth:
                count(reached, calls + 1)

    count(state, 0)
    return [_plain_counts(counted) for counted in counts if counted]


def endings(state: State) -> dict[str, int]:
    """The ways to play the hand to its end, by the tricks that the declarer's team takes in all."""
    counts = Counter[int]()

    def count(state: State) -> None:
        seat = turn_of(state)
        assert seat is not None
        for action in legal_actions(state, seat):
            reached = after(state, action)
            if isinstance(reached, Play):
                count(reached)
                continue
            assert counts.total() < MOST, "more ways than there can be"
            finished = reached.last if isinstance(reached, Over) else reached
            assert isinstance(finished, Dealing)
            assert finished.scored is not None
            counts[finished.scored.tricks_won[finished.scored.contract.declarer % 2]] += 1

    count(state)
    return {str(won): counts[won] for won in sorted(counts)}


def _plain_counts(counted: Counter[str]) -> dict[str, int]:
    return {kind: counted[kind] for kind in ("sequences", "contracts", "thrown_in")}


# The oracle's counts


def oracle_dealt(rules: Rules, deck: str, dealer: int) -> OracleMatch:
    """The first hand, just dealt."""
    match = OracleMatch(knobs_of(rules), dealer)
    match.deal_out(deck.split())
    return match


def oracle_auctions(match: OracleMatch, depth: int) -> list[dict[str, int]]:
    """As `auctions`."""
    counts = [Counter[str]() for _ in range(depth)]

    def count(match: OracleMatch, calls: int) -> None:
        for act in match.allowed():
            reached = copy.deepcopy(match)
            reached.do(act)
            counts[calls]["sequences"] += 1
            counts[calls]["contracts"] += reached.phase in {"naming_trump", "play"}
            counts[calls]["thrown_in"] += reached.phase == "dealing"
            if reached.phase == "auction" and calls + 1 < depth:
                count(reached, calls + 1)

    count(match, 0)
    return [_plain_counts(counted) for counted in counts if counted]


def oracle_endings(match: OracleMatch, tricks_left: int) -> dict[str, int]:
    """As `endings`, after the oracle has played to the last tricks by itself."""
    while match.phase != "play" or sum(match.tricks) < 13 - tricks_left:
        match.do(match.automatic())
    counts = Counter[int]()

    def count(match: OracleMatch) -> None:
        for act in match.allowed():
            reached = copy.deepcopy(match)
            reached.do(act)
            if reached.phase == "play":
                count(reached)
            else:
                counts[reached.tricks[team(reached.declarer)]] += 1

    count(match)
    return {str(won): counts[won] for won in sorted(counts)}


def main() -> None:
    """Count with both, compare, write."""
    data: dict[str, list[dict[str, Any]]] = {"auctions": [], "endings": []}
    for number, (variant, knobs, opening, depth) in enumerate(AUCTIONS):
        rules, dealer, deck = rules_for(variant, **knobs), number % 4, " ".join(shuffled(number))
        counts = auctions(called(dealt(rules, deck, dealer), opening), depth)
        oracle = oracle_dealt(rules, deck, dealer)
        for text in opening.split():
            oracle.do(plain(call(text)))
        assert counts == oracle_auctions(oracle, depth), (variant, knobs, opening)
        given = {"variant": variant, "knobs": knobs, "dealer": dealer, "deck": deck, "opening": opening, "depth": depth}
        data["auctions"].append({**given, "calls": counts})
    for number, (variant, seed, tricks) in enumerate(ENDINGS):
        rules, dealer, deck = rules_for(variant), number % 4, " ".join(shuffled(seed))
        ways = endings(near_the_end(dealt(rules, deck, dealer), tricks))
        assert ways == oracle_endings(oracle_dealt(rules, deck, dealer), tricks), (variant, seed, tricks)
        given = {"variant": variant, "dealer": dealer, "deck": deck, "tricks_left": tricks}
        data["endings"].append({**given, "ways_by_tricks_won": ways})
    DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{DATA.name} written\n")


if __name__ == "__main__":
    main()
