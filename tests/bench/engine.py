"""The engine's budgets on one core: folding a log, decoding and folding it, and playing matches.

    python -m tests.bench.engine

Matches of every variant, played by seats that mostly pass and then play any legal card. Time is the processor's own,
and of several rounds the best counts: whatever else the machine does can only slow a round down.
"""

import sys
import time
from collections.abc import Callable
from random import Random

from matches.codec import decode, encode
from matches.engine import VARIANTS, SeatViewer, decide, evolve, fold, legal_actions, rules_for, turn_of, visible_state
from matches.engine.cards import DECK, Card
from matches.engine.commands import SYSTEM, Actor, CreateMatch, Deal, Pass, PlaceBid, PlayerAction, StartMatch, TakeSeat
from matches.engine.dealing import nth_secret, shuffled_deck
from matches.engine.events import Event
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.state import Over, State
from tests.bench._report import line, note

ROUNDS = 9
MATCHES = 8
SALT = "00" * 16
PLAYERS = tuple(Actor("player", seat) for seat in range(4))
PASS = Pass()

Log = list[Event]


def main() -> int:
    """Print every budget beside what was measured; 1 if one was missed."""
    logs: list[Log] = []
    actions = 0
    seconds = float("inf")
    for _ in range(ROUNDS):
        decks = [_deck(Random(seed)) for seed in range(4096)]
        logs.clear()
        started = time.process_time()
        actions = sum(_played(rules_for(variant), seed, decks, logs) for variant in VARIANTS for seed in range(MATCHES))
        seconds = min(seconds, time.process_time() - started)
    events = sum(len(log) for log in logs)
    stored = [[encode(event) for event in log] for log in logs]
    print(f"  {len(logs)} matches, {events} events, {actions} actions; Python {sys.version.split()[0]}")

    kept = [
        line("fold, in memory", events / _best(lambda: [fold(log) for log in logs]), 600_000, "events/s"),
        line(
            "decode and fold",
            events / _best(lambda: [fold([decode(*text) for text in log]) for log in stored]),
            300_000,
            "events/s",
        ),
        line("self-play: legal actions, decide, evolve", actions / seconds, 150_000, "actions/s"),
    ]
    state = fold(logs[0][:40])
    note(
        "a view of a match in play",
        _best(lambda: [visible_state(state, SeatViewer(0)) for _ in range(1000)]) * 1e3,
        "µs",
    )
    note("the secret of a deal", _best(lambda: nth_secret(b"seed", 1)) * 1e6, "µs")
    note("a shuffle", _best(lambda: shuffled_deck(b"secret", match="m", deal=1, entropies=(None,) * 4)) * 1e6, "µs")
    return 0 if all(kept) else 1


def _best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several rounds."""
    seconds = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        seconds = min(seconds, time.process_time() - started)
    return seconds


def _deck(chance: Random) -> tuple[Card, ...]:
    deck = list(DECK)
    chance.shuffle(deck)
    return tuple(deck)


def _played(rules: Rules, seed: int, decks: list[tuple[Card, ...]], logs: list[Log]) -> int:
    """Play one match to its end, append its log to `logs`, and return the number of the players' actions."""
    chance = Random(seed)
    log: Log = list(decide(None, SYSTEM, CreateMatch(rules, Room(), "")))
    state = fold(log)
    for seat, player in enumerate(("amal", "basim", "carla", "dina")):
        state = _done(state, SYSTEM, TakeSeat(seat, player), log)
    state = _done(state, SYSTEM, StartMatch(seed % 4), log)
    actions = 0
    while not isinstance(state, Over):
        turn = turn_of(state)
        if turn is None:
            state = _done(state, SYSTEM, Deal(chance.choice(decks), SALT), log)
            continue
        action = _chosen(legal_actions(state, turn), chance)
        for event in decide(state, PLAYERS[turn], action):
            state = evolve(state, event)
            log.append(event)
        actions += 1
    logs.append(log)
    return actions


def _chosen(actions: tuple[PlayerAction, ...], chance: Random) -> PlayerAction:
    """Any action, but mostly a pass or a low bid in the auction: who bids at random never gets to the target."""
    if isinstance(actions[0], PlaceBid):
        return PASS if PASS in actions and chance.random() < 0.7 else actions[0]
    return actions[int(chance.random() * len(actions))]


def _done(state: State, actor: Actor, command: TakeSeat | StartMatch | Deal, log: Log) -> State:
    events = decide(state, actor, command)
    log.extend(events)
    return fold(events, state)


if __name__ == "__main__":
    raise SystemExit(main())
