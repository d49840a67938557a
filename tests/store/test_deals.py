"""Chance, from the sealed seed to the stored deals."""

import os
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest
from cryptography.exceptions import InvalidTag
from django.db import connection
from pytest_django import Settings

from matches import deals, secrets, services
from matches.engine import dealing
from matches.engine.commands import Pass
from matches.engine.events import HandDealt, MatchCreated, MatchStarted
from tests.tables import House, Table, events_of, open_table, stored_rows

ENTROPIES = ["a word of mine", "كلمة", "", None]


@pytest.fixture
def fair(cast: House) -> Table:
    """A match to whose shuffles three of the players added something, thrown in once and then a hand played."""
    table = open_table(cast, players=[])
    for seat, (player, entropy) in enumerate(zip(cast.four, ENTROPIES, strict=True)):
        table.took(
            services.take_seat(
                match_id=table.match_id, tenant_id=cast.tenant_id, seat=seat, player=player, entropy=entropy
            )
        )
        table.seated[seat] = player
    for _ in range(4):
        table.act(Pass())
    table.finish_hand()
    return table


def sealed_row(table: Table) -> bytes:
    """The seed as the database holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sealed_seed FROM matches_dealsecret WHERE stream_id = %s", [table.match_id])
        [(sealed,)] = cursor.fetchall()
    return bytes(sealed)


def test_every_deal_follows_from_the_secret_that_was_committed_to_before(fair: Table) -> None:
    events, seed = events_of(fair.match_id), deals.kept_seed(fair.match_id)
    created = events[0]
    assert isinstance(created, MatchCreated)
    whole: dict[str, Any] = {
        "match": str(fair.match_id),
        "entropies": [None if text is None else sha256(text.encode()).hexdigest() for text in ENTROPIES],
    }
    [started] = [event for event in events if isinstance(event, MatchStarted)]
    assert dealing.secret_fits_anchor(dealing.nth_secret(seed, 0), 0, created.anchor)
    assert started.first_dealer == dealing.first_dealer(dealing.nth_secret(seed, 0), **whole)

    dealt = [event for event in events if isinstance(event, HandDealt)]
    assert [(event.hand, event.deal) for event in dealt] == [(1, 1), (1, 2), (2, 1)]
    for number, event in enumerate(dealt, 1):
        secret = dealing.nth_secret(seed, number)
        assert dealing.secret_fits_anchor(secret, number, created.anchor)
        deck = dealing.shuffled_deck(secret, deal=number, **whole)
        assert event.holdings == dealing.dealt(deck, event.dealer, created.rules)
        assert event.salt == dealing.salt_for(secret, match=str(fair.match_id), deal=number)
    assert len({event.holdings for event in dealt}) == 3


def test_the_log_holds_neither_the_seed_nor_what_players_typed(fair: Table) -> None:
    log = " ".join(row.body for row in stored_rows(fair.match_id))
    seed = deals.kept_seed(fair.match_id)
    assert seed.hex() not in log
    assert all(dealing.nth_secret(seed, number).hex() not in log for number in range(4))
    assert "a word of mine" not in log
    assert "كلمة" not in log


def test_matches_have_seeds_of_their_own(cast: House) -> None:
    seeds = {deals.kept_seed(open_table(cast).match_id) for _ in range(5)}
    assert len(seeds) == 5
    assert {len(seed) for seed in seeds} == {32}


def test_the_seed_is_sealed_and_bound_to_its_match(fair: Table, cast: House, settings: Settings) -> None:
    seed, sealed, other = deals.kept_seed(fair.match_id), sealed_row(fair), open_table(cast)
    assert seed not in sealed
    assert secrets.unseal(sealed, fair.match_id) == seed
    with pytest.raises(InvalidTag):
        secrets.unseal(sealed, other.match_id)
    with pytest.raises(InvalidTag):
        secrets.unseal(sealed[:-1] + bytes([sealed[-1] ^ 1]), fair.match_id)
    settings.DEAL_SECRETS_KEY = "another key"
    with pytest.raises(InvalidTag):
        deals.kept_seed(fair.match_id)


def test_sealing_twice_never_gives_the_same_bytes() -> None:
    seed, stream = os.urandom(32), uuid4()
    assert secrets.seal(seed, stream) != secrets.seal(seed, stream)
