"""Secrets of webhooks, and signatures as Standard Webhooks has them.

A message is signed with every secret that is still valid, so that a receiver can change to the next one at leisure.
"""

import os
from base64 import b64encode
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.conf import settings
from standardwebhooks import Webhook as Signer

from tarneeb_service.sealing import Sealer

SECRET_BYTES = 32
PREFIX = "whsec_"


def new_secret() -> bytes:
    """A secret from the system's source of randomness."""
    return os.urandom(SECRET_BYTES)


def shown(secret: bytes) -> str:
    """The secret as its owner gets to see it, once: what the libraries of Standard Webhooks take."""
    return PREFIX + b64encode(secret).decode()


def seal(secret: bytes, webhook_id: UUID) -> bytes:
    """The secret as it may be stored with this webhook."""
    return _sealer().seal(secret, webhook_id.bytes)


def unseal(sealed: bytes, webhook_id: UUID) -> bytes:
    """The secret behind a stored one. Raises `cryptography.exceptions.InvalidTag` if it is not this webhook's."""
    return _sealer().open(sealed, webhook_id.bytes)


def signed_headers(*, message_id: UUID, at: datetime, body: bytes, secrets: Iterable[bytes]) -> dict[str, str]:
    """The headers of one attempt, made at `at` (in UTC), newest secret's signature first."""
    text = body.decode()
    signatures = (Signer(secret).sign(str(message_id), at, text) for secret in secrets)
    return {
        "webhook-id": str(message_id),
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _sealer() -> Sealer:
    return Sealer(str(settings.WEBHOOK_SECRETS_KEY), b"tarneeb/webhook-secret/1")
