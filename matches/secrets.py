"""The seeds that deals come from, sealed at rest.

A seed decides every deal of its match, so the table that holds it is worth stealing. It is kept under a key from the
settings, bound to its stream: a row copied to another match does not open.
"""

import os
from uuid import UUID

from django.conf import settings

from tarneeb_service.sealing import Sealer

SEED_BYTES = 32
_PURPOSE = b"tarneeb/deal-seed/1"


def new_seed() -> bytes:
    """A seed from the system's source of randomness."""
    return os.urandom(SEED_BYTES)


def seal(seed: bytes, stream: UUID) -> bytes:
    """The seed as it may be stored."""
    return _sealer().seal(seed, stream.bytes)


def unseal(sealed: bytes, stream: UUID) -> bytes:
    """The seed behind a stored one.

    Raises `cryptography.exceptions.InvalidTag` under another key, for another stream, or if bytes were changed.
    """
    return _sealer().open(sealed, stream.bytes)


def _sealer() -> Sealer:
    return Sealer(str(settings.DEAL_SECRETS_KEY), _PURPOSE)
