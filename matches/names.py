"""Random player references, as events carry them, to the tenants' own ids, as the API shows them."""

import time
from collections.abc import Iterable
from uuid import UUID

from tarneeb_service.access.selectors import external_ids as stored_external_ids

ERASED = "erased player"
KEPT_SECONDS = 30.0
"""How long a process may go on showing an id after it was erased."""
_CAPACITY = 20_000
_REFERENCES = ("player", "replaced")

_kept: dict[str, tuple[float, str]] = {}


def external_ids(references: Iterable[str]) -> dict[str, str]:
    """The tenant's own id for each reference; `ERASED` for a player who was forgotten."""
    now = time.monotonic()
    found: dict[str, str] = {}
    missing = []
    for reference in references:
        kept = _kept.get(reference)
        if kept is not None and kept[0] > now:
            found[reference] = kept[1]
        else:
            missing.append(reference)
    if missing:
        stored = stored_external_ids([UUID(reference) for reference in missing])
        if len(_kept) > _CAPACITY:
            _kept.clear()
        for reference in missing:
            found[reference] = stored.get(UUID(reference), ERASED)
            _kept[reference] = (now + KEPT_SECONDS, found[reference])
    return found


def with_external_ids(data: dict[str, object]) -> dict[str, object]:
    """An event's visible data with the tenant's own ids in place of references."""
    references = {key: str(data[key]) for key in _REFERENCES if data.get(key) is not None}
    if not references:
        return data
    known = external_ids(references.values())
    return data | {key: known[reference] for key, reference in references.items()}


def forget() -> None:
    """Drop what this process keeps."""
    _kept.clear()
