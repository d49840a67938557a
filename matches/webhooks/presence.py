"""Who is missed and who came back, as `matches.presence` tells it, for those who want to know."""

from typing import Any, Protocol
from uuid import UUID

from matches.webhooks import enqueue
from matches.webhooks.kinds import Kind

KINDS: dict[str, Kind] = {"absent": "player.absent", "returned": "player.returned"}
"""The first sign of life is no news to anybody: it is left out."""


class Change(Protocol):
    """Somebody who holds a seat came, went or came back."""

    @property
    def match_id(self) -> UUID: ...
    @property
    def tenant_id(self) -> UUID: ...
    @property
    def player(self) -> UUID: ...
    @property
    def seat(self) -> int: ...
    @property
    def kind(self) -> str: ...


def tell(change: Change, **_: Any) -> None:
    """A receiver of the signal `presence_changed`, in the transaction that records the change."""
    kind = KINDS.get(change.kind)
    if kind is not None:
        data = {"seat": change.seat, "player": str(change.player)}
        enqueue(tenant_id=change.tenant_id, match_id=change.match_id, kind=kind, data=data)
