"""Fair deals: every shuffle follows from a secret that was committed to before anybody could influence it.

For each match the server draws a random seed. Hashing it over and over gives a chain; the end of the chain, the
*anchor*, is published when the match is created. The links are used from the anchor's side backwards: secret 0 decides
the first dealer, secret k (from 1) the k-th deal of the match, throw-ins counted. A revealed secret hashes to the one
before it, the first of them to the anchor, and tells nothing of the next. The players add entropy of their own after
the anchor is known, so that neither side alone decides the cards. Whoever has the secret, the entropies and the match's
id can deal again and compare.

All hashes are SHA-256, each for one purpose that its first bytes name.
"""

import hmac
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256

from matches.engine.cards import DECK, Card
from matches.engine.errors import DealsExhausted
from matches.engine.events import Holdings
from matches.engine.rules import Rules
from matches.engine.seats import SEATS, Seat, seats_after

CHAIN_LENGTH = 4096
"""Secrets in a chain: the first dealer and 4,095 deals.

A match to 501 takes some hundred deals. Only players who pass for ever can need more, and they get `DealsExhausted`: to
use a secret again would be to deal known cards. Walking the whole chain takes a few milliseconds, so a process that
deals hand after hand remembers every 64th link.
"""
_STRIDE = 64

Entropies = Sequence[str | None]
"""What each seat added, seat 0 first; None for a seat that added nothing."""


def anchor_of(seed: bytes) -> str:
    """The public end of the chain of `seed`, in hex."""
    return _landmarks(seed)[-1].hex()


def nth_secret(seed: bytes, k: int) -> bytes:
    """Secret k of the chain of `seed`, 32 bytes. Raises `DealsExhausted` where the chain has no secret k."""
    if not 0 <= k < CHAIN_LENGTH:
        raise DealsExhausted(CHAIN_LENGTH - 1)
    landmark, steps = divmod(CHAIN_LENGTH - 1 - k, _STRIDE)
    return _hashed(_landmarks(seed)[landmark], steps)


def secret_chain(seed: bytes) -> tuple[bytes, ...]:
    """All secrets of `seed` in the order of their use, secret 0 first."""
    links = [seed]
    for _ in range(CHAIN_LENGTH - 1):
        links.append(_hashed(links[-1], 1))
    return tuple(reversed(links))


def secret_fits_anchor(secret: bytes, k: int, anchor: str) -> bool:
    """Whether `secret` is secret k of the chain that `anchor` (hex) was published for."""
    if not 0 <= k < CHAIN_LENGTH:
        return False
    return hmac.compare_digest(_hashed(secret, k + 1).hex().encode(), anchor.encode())


def shuffled_deck(secret: bytes, *, match: str, deal: int, entropies: Entropies) -> tuple[Card, ...]:
    """The deck for deal number `deal` of the match (from 1, throw-ins counted), uniform over all 52! orders.

    `match` is the match's id as the API writes it. The order is a Fisher-Yates shuffle of `cards.DECK`.
    """
    draws = _bytes_of(secret, _encoded("tarneeb/deck/v1", match, str(deal), *entropies))
    deck = list(DECK)
    for last in range(len(deck) - 1, 0, -1):
        chosen = _below(last + 1, draws)
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return tuple(deck)


def first_dealer(secret: bytes, *, match: str, entropies: Entropies) -> Seat:
    """Who deals first, uniform over the four seats (R-DEAL-1)."""
    return _below(len(SEATS), _bytes_of(secret, _encoded("tarneeb/first-dealer/v1", match, *entropies)))


def salt_for(secret: bytes, *, match: str, deal: int) -> str:
    """The salt of the deal's event: 16 bytes in hex, as secret as the cards until the secret is revealed."""
    return hmac.digest(secret, _encoded("tarneeb/salt/v1", match, str(deal)), "sha256")[:16].hex()


def dealt(deck: Sequence[Card], dealer: Seat, rules: Rules) -> Holdings:
    """The holdings by seat, each in the order in which it was dealt (R-DEAL-2). `deck` is 52 cards, top first."""
    by_seat: list[tuple[Card, ...]] = [()] * len(SEATS)
    for place, seat in enumerate(seats_after(dealer, rules.direction)):
        if rules.deal_style == "one_by_one":
            by_seat[seat] = tuple(deck[place :: len(SEATS)])
        else:
            by_seat[seat] = tuple(deck[13 * place : 13 * place + 13])
    return by_seat[0], by_seat[1], by_seat[2], by_seat[3]


@lru_cache(maxsize=2048)
def _landmarks(seed: bytes) -> tuple[bytes, ...]:
    """Every 64th link from the seed to the anchor: 2 KB a match."""
    links = [seed]
    for _ in range(CHAIN_LENGTH // _STRIDE):
        links.append(_hashed(links[-1], _STRIDE))
    return tuple(links)


def _hashed(link: bytes, times: int) -> bytes:
    for _ in range(times):
        link = sha256(b"tarneeb/chain/v1\0" + link).digest()
    return link


def _encoded(*texts: str | None) -> bytes:
    """Texts as one string that can be read in one way only: each after its length, an absent one unlike an empty."""
    parts = []
    for text in texts:
        if text is None:
            parts.append(b"-")
        else:
            body = text.encode()
            parts.append(b"+" + len(body).to_bytes(4, "big") + body)
    return b"".join(parts)


def _bytes_of(secret: bytes, purpose: bytes) -> Iterator[int]:
    """Endless random bytes: HMAC-SHA256 under the secret over the purpose and a counter."""
    counter = 0
    while True:
        yield from hmac.digest(secret, purpose + counter.to_bytes(8, "big"), "sha256")
        counter += 1


def _below(bound: int, draws: Iterator[int]) -> int:
    """A number from 0 to `bound` - 1, `bound` at most 256, all equally likely.

    A byte beyond the last whole multiple of `bound` is thrown away: folding it in would favour the low numbers.
    """
    fair = 256 - 256 % bound
    return next(draw for draw in draws if draw < fair) % bound
