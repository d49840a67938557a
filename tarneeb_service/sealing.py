"""Secrets at rest: sealed under a key from the settings, each for one place.

AES-256-GCM under a key derived for the purpose. What is sealed is bound to the place where it is kept: a row copied to
another does not open.
"""

import os
from functools import lru_cache

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_NONCE_BYTES = 12


class Sealer:
    """Seals and opens secrets of one purpose. `purpose` names it for ever; `key` is any text of the settings."""

    def __init__(self, key: str, purpose: bytes) -> None:
        self._purpose = purpose
        self._cipher = _cipher(key, purpose)

    def seal(self, secret: bytes, place: bytes) -> bytes:
        """The secret as it may be stored at this place: nonce, then ciphertext with its tag."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret, self._purpose + place)

    def open(self, sealed: bytes, place: bytes) -> bytes:
        """The secret behind what is stored at this place.

        Raises `cryptography.exceptions.InvalidTag` under another key, for another place, or if bytes were changed.
        """
        return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], self._purpose + place)


@lru_cache(maxsize=32)
def _cipher(key: str, purpose: bytes) -> AESGCM:
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(key.encode()))
