"""Where chance enters: the seed of a match, kept apart from the log, and the deals that follow from it."""

from hashlib import sha256
from uuid import UUID

from matches import secrets
from matches.engine import dealing
from matches.engine.commands import Deal
from matches.engine.seats import Seat
from matches.engine.state import State
from tarneeb_service.database import Statement, rows_of, write


def new_seed() -> bytes:
    """A seed for all the deals of one match."""
    return secrets.new_seed()


def anchor_of(seed: bytes) -> str:
    """The public commitment to the seed, in hex: the end of its chain of secrets."""
    return dealing.anchor_of(seed)


def entropy_digest(text: str | None) -> str | None:
    """SHA-256 in hex of what a player added to the shuffle: the text itself is a person's and stays out of the log."""
    return None if text is None else sha256(text.encode()).hexdigest()


def keep_seed(match_id: UUID, seed: bytes) -> None:
    """Store the seed of a match, sealed."""
    write(
        Statement(
            "INSERT INTO matches_dealsecret (stream_id, sealed_seed) VALUES (%s, %s)",
            (match_id, secrets.seal(seed, match_id)),
        )
    )


def kept_seed(match_id: UUID) -> bytes:
    """The seed of a match."""
    [(sealed,)] = rows_of(Statement("SELECT sealed_seed FROM matches_dealsecret WHERE stream_id = %s", (match_id,)))
    return secrets.unseal(bytes(sealed), match_id)


def first_dealer(seed: bytes, match_id: UUID, state: State) -> Seat:
    """The first dealer of a match, by its secret 0 (R-DEAL-1)."""
    secret = dealing.nth_secret(seed, 0)
    return dealing.first_dealer(secret, match=str(match_id), entropies=state.table.entropies)


def next_deal(seed: bytes, match_id: UUID, state: State) -> Deal:
    """The next deal of a match: its k-th uses secret k. Raises `DealsExhausted` after thousands of throw-ins."""
    number = state.table.deals + 1
    secret = dealing.nth_secret(seed, number)
    deck = dealing.shuffled_deck(secret, match=str(match_id), deal=number, entropies=state.table.entropies)
    return Deal(deck, dealing.salt_for(secret, match=str(match_id), deal=number))
