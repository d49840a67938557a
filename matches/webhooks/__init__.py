"""Webhooks: what happens in a tenant's matches, sent to where the tenant wants it.

The log is the outbox: `fan_out` reads each webhook's way through its tenant's feed and turns what is wanted into
deliveries, `pump` sends them. `enqueue` is for what is no event of a match. See docs/decisions/0007-webhooks.md.
"""

from collections.abc import Mapping
from uuid import UUID

from matches import outbox
from matches.webhooks.kinds import Kind
from tarneeb_service.database import Statement, rows_of

__all__ = ["enqueue"]


def enqueue(*, tenant_id: UUID, match_id: UUID, kind: Kind, data: Mapping[str, object]) -> bool:
    """Tell the tenant's webhooks of something that is no event of the match; False if none of them wants to know.

    In the caller's transaction, if there is one: sent if that commits, not if not. `data` is ready for JSON and goes
    out as `details`: only what everybody may see, players by their references. Costs one look where nobody listens.
    """
    wanting = rows_of(Statement(_WANTED, (tenant_id, kind)))
    return bool(wanting) and outbox.put(tenant_id=tenant_id, match_id=match_id, kind=kind, details=data)


# A disabled one too: it goes on from where it stopped.
_WANTED = "SELECT 1 FROM webhooks_webhook WHERE tenant_id = %s AND %s = ANY(events) LIMIT 1"
