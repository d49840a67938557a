"""What a key may be used for."""

from collections.abc import Iterable

from tarneeb_service.access.errors import UnacceptableValue
from tarneeb_service.access.principals import SCOPES, Scope


def written_scopes(scopes: Iterable[str]) -> str:
    """Scopes as a key keeps them, in one fixed order. Raises `UnacceptableValue` for none, and for unknown ones."""
    asked = set(scopes)
    unknown = asked.difference(SCOPES)
    if unknown or not asked:
        raise UnacceptableValue(f"Scopes are one or more of {', '.join(SCOPES)}.")
    return " ".join(scope for scope in SCOPES if scope in asked)


def read_scopes(stored: str) -> frozenset[Scope]:
    """The scopes that a key keeps. What is not known here allows nothing."""
    words = stored.split()
    return frozenset(scope for scope in SCOPES if scope in words)
