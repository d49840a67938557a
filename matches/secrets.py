"""The seeds that deals come from, sealed at rest.

A seed decides every deal of its match, so the table that holds it is worth stealing. It is kept under
AES-256-GCM with a key from the settings, bound to its stream: a row copied to another match does not open.
"""

import os
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

SEED_BYTES = 32
_NONCE_BYTES = 12
_CONTEXT = b"tarneeb/deal-seed/1"


def new_seed() -> bytes:
    """A seed from the system's source of randomness."""
    return os.urandom(SEED_BYTES)


def seal(seed: bytes, stream: UUID) -> bytes:
    """The seed as it may be stored: nonce, then ciphertext with its tag."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + _cipher().encrypt(nonce, seed, _CONTEXT + stream.bytes)


def unseal(sealed: bytes, stream: UUID) -> bytes:
    """The seed behind a stored one.

    Raises `cryptography.exceptions.InvalidTag` under another key, for another stream, or if bytes were changed.
    """
    return _cipher().decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _CONTEXT + stream.bytes)


def _cipher() -> AESGCM:
    secret = str(settings.DEAL_SECRETS_KEY).encode()
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=None, info=_CONTEXT).derive(secret))
