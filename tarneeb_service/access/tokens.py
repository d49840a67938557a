"""How a secret looks: kind, public prefix, secret. `tk_abcdefghijkl_…`."""

import hashlib
import re
import secrets
from typing import Literal, NamedTuple, TypeAlias

TokenKind: TypeAlias = Literal["tk", "mt"]

_PREFIX_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_PREFIX_LENGTH = 12
_SECRET_BYTES = 32
_TOKEN = re.compile(r"(tk|mt)_([a-z2-7]{12})_([A-Za-z0-9_-]{43})")


class IssuedToken(NamedTuple):
    """A new secret. `text` is shown once, the other two are kept."""

    prefix: str
    hash: bytes
    text: str


class PresentedToken(NamedTuple):
    """A secret that somebody sent."""

    kind: str
    prefix: str
    hash: bytes


def issue_token(kind: TokenKind) -> IssuedToken:
    """A new random secret of 256 bits."""
    prefix = "".join(secrets.choice(_PREFIX_LETTERS) for _ in range(_PREFIX_LENGTH))
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    return IssuedToken(prefix, _hash(secret), f"{kind}_{prefix}_{secret}")


def read_token(text: str) -> PresentedToken | None:
    """The parts of a secret, None if it does not even look like one."""
    match = _TOKEN.fullmatch(text)
    return None if match is None else PresentedToken(match[1], match[2], _hash(match[3]))


def _hash(secret: str) -> bytes:
    # 256 random bits cannot be guessed: a slow hash would only slow down every request.
    return hashlib.sha256(secret.encode()).digest()
