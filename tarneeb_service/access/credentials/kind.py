"""What every kind of credential does."""

from hmac import compare_digest
from typing import Any, Protocol

from django.db import connection

from tarneeb_service.access.principals import Principal
from tarneeb_service.access.tokens import PresentedToken
from tarneeb_service.database import Statement, first_trip
from tarneeb_service.http.errors import CHALLENGE, KeyRevoked, NotAuthenticated, TokenExpired


class CredentialKind(Protocol):
    """A module of this package that is listed in `KINDS`."""

    def accepts(self, token: str) -> bool:
        """Whether the token is of this kind, judged by its looks alone."""
        ...

    def principal(self, token: str, player: str | None) -> Principal:
        """Who sent this token, `player` being the value of `X-Player`, None if it was not sent.

        Raises `NotAuthenticated`, `KeyRevoked` or `TokenExpired`, and `Invalid` for a player that cannot be.
        """
        ...


def unknown_token() -> NotAuthenticated:
    """The refusal of a token that is none of ours. It tells nothing of why."""
    return NotAuthenticated("This credential is not known here.", challenge=f'{CHALLENGE}, error="invalid_token"')


def fetch_one(statement: str, *parameters: str) -> tuple[Any, ...] | None:
    """The one row of a credential, in one round trip and without a model instance: every request pays for this."""
    rows = first_trip(Statement(statement, tuple(parameters)))
    return rows[0] if rows else None


def check_secret(presented: PresentedToken, kept_hash: bytes, *, revoked: bool, expired: bool) -> None:
    """Raises unless this is the kept secret and still good. Only who holds the secret learns that it no longer is."""
    if not compare_digest(presented.hash, kept_hash):
        raise unknown_token()
    if revoked:
        raise KeyRevoked
    if expired:
        raise TokenExpired


def note_use(statement: str, prefix: str) -> None:
    """Write down that a credential was used today."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [prefix])
