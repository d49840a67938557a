"""The kinds of credential. Another kind is one more module here, of the shape of `CredentialKind`, named in `KINDS`."""

from tarneeb_service.access.credentials import api_keys, moderator_tokens
from tarneeb_service.access.credentials.kind import CredentialKind

KINDS: tuple[CredentialKind, ...] = (api_keys, moderator_tokens)
