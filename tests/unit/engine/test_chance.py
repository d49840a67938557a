"""Fair deals: the chain of secrets, and decks that follow from a secret without any bias."""

import hashlib
import hmac
import math
from collections import Counter
from collections.abc import Callable
from itertools import islice, pairwise

import pytest

from matches.engine import dealing
from matches.engine.cards import DECK
from matches.engine.dealing import (
    CHAIN_LENGTH,
    anchor_of,
    first_dealer,
    nth_secret,
    salt_for,
    secret_chain,
    secret_fits_anchor,
    shuffled_deck,
)
from matches.engine.errors import DealsExhausted

SEED = b"a seed that nobody knows, really"
MATCH = "0190a5c2-7d1e-7000-8000-000000000001"
ENTROPIES = ("aa" * 32, None, "bb" * 32, "cc" * 32)

KNOWN_ANCHOR = "894c9436a7e6f6b174a268fa58bb01ed4c097f3e031ee6f502495dc74f02dc77"
KNOWN_DECK = (
    "JH AS AC 3H 9C 3D 2H 2S 7S TC KC 6S JS 6H 8C AD TH KS 5D 7D 2D 9S KH 3S 8D JD "
    "9H 9D TS 7C 3C 2C 5S 5C JC AH 4S 4H TD 6D KD QH 4C QD 7H 6C 5H 4D QS 8S QC 8H"
)
KNOWN_DEALER = 3
KNOWN_SALT = "e5ae0474253e38421b925a917b4b0a7e"


def secrets(count: int) -> list[bytes]:
    """That many unlike secrets, always the same."""
    return [hashlib.sha256(f"secret {number}".encode()).digest() for number in range(count)]


def critical_chi_square(degrees: int) -> float:
    """What chi-square exceeds once in a hundred thousand times (Wilson and Hilferty's approximation, z = 4.265)."""
    spread = 2 / (9 * degrees)
    return degrees * float(1 - spread + 4.265 * math.sqrt(spread)) ** 3


def chi_square(counts: Counter[int], outcomes: int) -> float:
    """How far the counts are from all outcomes being equally frequent."""
    expected = counts.total() / outcomes
    return sum((counts[outcome] - expected) ** 2 / expected for outcome in range(outcomes))


# The chain


def test_each_revealed_secret_hashes_to_the_one_before_and_the_first_to_the_anchor() -> None:
    chain = secret_chain(SEED)
    assert len(chain) == CHAIN_LENGTH
    assert len(set(chain)) == CHAIN_LENGTH
    links = [bytes.fromhex(anchor_of(SEED)), *chain[:50]]
    for before, after in pairwise(links):
        assert hashlib.sha256(b"tarneeb/chain/v1\0" + after).digest() == before


def test_the_secrets_can_be_had_one_by_one() -> None:
    chain = secret_chain(SEED)
    assert tuple(nth_secret(SEED, k) for k in range(CHAIN_LENGTH)) == chain
    assert nth_secret(SEED, CHAIN_LENGTH - 1) == SEED


@pytest.mark.parametrize("k", [0, 1, 2, 40])
def test_a_secret_fits_its_anchor_in_its_place_only(k: int) -> None:
    anchor, secret = anchor_of(SEED), nth_secret(SEED, k)
    assert secret_fits_anchor(secret, k, anchor)
    assert not secret_fits_anchor(secret, k + 1, anchor)
    assert not secret_fits_anchor(secret, k - 1, anchor)
    assert not secret_fits_anchor(secret, k, anchor_of(b"another"))
    assert not secret_fits_anchor(bytes(32), k, anchor)
    flipped = bytes([secret[0] ^ 1]) + secret[1:]
    assert not secret_fits_anchor(flipped, k, anchor)


@pytest.mark.parametrize("anchor", ["", "zz", "not hex at all", "ü" * 64])
def test_an_anchor_that_is_none_fits_nothing(anchor: str) -> None:
    assert not secret_fits_anchor(nth_secret(SEED, 0), 0, anchor)


@pytest.mark.parametrize("k", [-1, CHAIN_LENGTH, CHAIN_LENGTH + 1])
def test_a_secret_beyond_the_chain_is_an_error_never_a_secret_again(k: int) -> None:
    with pytest.raises(DealsExhausted) as refusal:
        nth_secret(SEED, k)
    assert refusal.value.code == "deals_exhausted"
    assert not secret_fits_anchor(SEED, k, anchor_of(SEED))


def test_the_chain_is_longer_than_any_match_that_is_played() -> None:
    # 501 at one point a hand for both sides in turn, and as many throw-ins.
    assert CHAIN_LENGTH > 4 * 501


# The deck


def test_a_deck_is_all_cards_and_always_the_same_for_the_same_inputs() -> None:
    secret = nth_secret(SEED, 1)
    deck = shuffled_deck(secret, match=MATCH, deal=1, entropies=ENTROPIES)
    assert sorted(deck) == sorted(DECK)
    assert deck == shuffled_deck(secret, match=MATCH, deal=1, entropies=list(ENTROPIES))


@pytest.mark.parametrize(
    "other",
    [
        lambda _: shuffled_deck(nth_secret(SEED, 2), match=MATCH, deal=1, entropies=ENTROPIES),
        lambda secret: shuffled_deck(secret, match=MATCH[:-1] + "2", deal=1, entropies=ENTROPIES),
        lambda secret: shuffled_deck(secret, match=MATCH, deal=2, entropies=ENTROPIES),
        lambda secret: shuffled_deck(secret, match=MATCH, deal=1, entropies=(*ENTROPIES[:3], "cd" * 32)),
        lambda secret: shuffled_deck(secret, match=MATCH, deal=1, entropies=(*ENTROPIES[:3], None)),
        lambda secret: shuffled_deck(secret, match=MATCH, deal=1, entropies=ENTROPIES[::-1]),
    ],
)
def test_every_input_changes_the_deck(other: Callable[[bytes], object]) -> None:
    secret = nth_secret(SEED, 1)
    assert other(secret) != shuffled_deck(secret, match=MATCH, deal=1, entropies=ENTROPIES)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param((MATCH, 1, ("ab", "c", None, None)), (MATCH, 1, ("a", "bc", None, None)), id="entropies run on"),
        pytest.param((MATCH, 1, ("", None, "a", "b")), (MATCH, 1, (None, "", "a", "b")), id="empty or absent"),
        pytest.param(("match1", 1, (None,) * 4), ("match", 11, (None,) * 4), id="match and deal run on"),
        pytest.param((MATCH, 1, ("+", "-", None, None)), (MATCH, 1, ("+-", "", None, None)), id="marks inside"),
    ],
)
def test_inputs_are_encoded_so_that_no_two_look_alike(
    one: tuple[str, int, tuple[str | None, ...]], other: tuple[str, int, tuple[str | None, ...]]
) -> None:
    secret = nth_secret(SEED, 1)
    decks = [
        shuffled_deck(secret, match=match, deal=deal, entropies=entropies) for match, deal, entropies in (one, other)
    ]
    assert decks[0] != decks[1]


def test_every_card_is_equally_likely_in_every_place() -> None:
    places = [Counter[int]() for _ in range(52)]
    for secret in secrets(2_000):
        for place, card in enumerate(shuffled_deck(secret, match=MATCH, deal=1, entropies=ENTROPIES)):
            places[place][DECK.index(card)] += 1
    figures = [chi_square(counts, 52) for counts in places]
    assert max(figures) < critical_chi_square(51)
    assert sum(figures) < critical_chi_square(51 * 51)


def test_pairs_of_neighbouring_cards_are_equally_likely_too() -> None:
    gaps: Counter[int] = Counter()
    for secret in secrets(2_000):
        deck = [DECK.index(card) for card in shuffled_deck(secret, match=MATCH, deal=3, entropies=ENTROPIES)]
        gaps.update((after - before) % 52 - 1 for before, after in pairwise(deck))
    assert chi_square(gaps, 51) < critical_chi_square(50)


def test_the_first_dealer_is_uniform_over_the_four_seats_R_DEAL_1() -> None:
    dealers = Counter(first_dealer(secret, match=MATCH, entropies=ENTROPIES) for secret in secrets(4_000))
    assert set(dealers) == {0, 1, 2, 3}
    assert chi_square(dealers, 4) < critical_chi_square(3)


def test_the_first_dealer_depends_on_match_and_entropies() -> None:
    chosen = {
        tuple(first_dealer(secret, match=match, entropies=entropies) for secret in secrets(64))
        for match in (MATCH, "another")
        for entropies in (ENTROPIES, ENTROPIES[::-1])
    }
    assert len(chosen) == 4


@pytest.mark.parametrize("bound", [2, 3, 5, 7, 52, 100, 129, 200, 255, 256])
def test_draws_are_rejected_rather_than_folded_in(bound: int) -> None:
    # Every byte once: what is kept must be a whole number of rounds through the outcomes, so that none is favoured.
    draws = iter(range(256))
    kept: Counter[int] = Counter()
    while True:
        try:
            kept[dealing._below(bound, draws)] += 1
        except (StopIteration, RuntimeError):
            break
    assert set(kept) == set(range(bound))
    assert len(set(kept.values())) == 1
    assert kept.total() == 256 - 256 % bound


def test_the_stream_is_hmac_sha256_in_counter_mode_and_never_runs_out() -> None:
    secret = nth_secret(SEED, 1)
    stream = bytes(islice(dealing._bytes_of(secret, b"purpose"), 200))
    expected = b"".join(
        hmac.new(secret, b"purpose" + counter.to_bytes(8, "big"), hashlib.sha256).digest() for counter in range(7)
    )
    assert stream == expected[:200]


def test_salts_are_sixteen_bytes_unlike_for_every_deal_and_say_nothing_of_the_deck() -> None:
    salts = [salt_for(nth_secret(SEED, k), match=MATCH, deal=k) for k in range(1, 40)]
    assert all(len(bytes.fromhex(salt)) == 16 for salt in salts)
    assert len(set(salts)) == len(salts)
    secret = nth_secret(SEED, 1)
    assert salt_for(secret, match=MATCH, deal=1) != salt_for(secret, match=MATCH, deal=2)
    assert salt_for(secret, match=MATCH, deal=1) != salt_for(secret, match="another", deal=1)
    assert salts[0] not in secret.hex()


def test_known_answers_for_one_seed() -> None:
    # Matches are verified years later: the same inputs must go on giving the same cards.
    secret = nth_secret(SEED, 1)
    deck = shuffled_deck(secret, match=MATCH, deal=1, entropies=ENTROPIES)
    assert anchor_of(SEED) == KNOWN_ANCHOR
    assert " ".join(deck) == KNOWN_DECK
    assert first_dealer(nth_secret(SEED, 0), match=MATCH, entropies=ENTROPIES) == KNOWN_DEALER
    assert salt_for(secret, match=MATCH, deal=1) == KNOWN_SALT
