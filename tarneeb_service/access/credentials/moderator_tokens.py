"""A moderator's token."""

from tarneeb_service.access.credentials.kind import check_secret, fetch_one, note_use, unknown_token
from tarneeb_service.access.principals import Principal, Scope
from tarneeb_service.access.tokens import read_token
from tarneeb_service.http.errors import invalid

_SCOPES: frozenset[Scope] = frozenset({"read"})

_WITH_MODERATOR = """
SELECT t.hash, m.tenant_id, m.id, m.role, t.revoked_at IS NOT NULL OR NOT u.is_active,
       coalesce(t.expires_at <= now(), false), coalesce(t.last_used < current_date, true)
  FROM access_moderatortoken t
  JOIN access_moderator m ON m.id = t.moderator_id
  JOIN access_user u ON u.id = m.user_id
 WHERE t.prefix = %s
"""
_USED_TODAY = """
UPDATE access_moderatortoken SET last_used = current_date
 WHERE prefix = %s AND coalesce(last_used < current_date, true)
"""


def accepts(token: str) -> bool:
    """Moderators' tokens begin with `mt_`."""
    return token.startswith("mt_")


def principal(token: str, player: str | None) -> Principal:
    """The moderator, who reads and never plays; a deactivated user's tokens count as revoked."""
    presented = read_token(token)
    row = None if presented is None else fetch_one(_WITH_MODERATOR, presented.prefix)
    if presented is None or row is None:
        raise unknown_token()
    kept_hash, tenant_id, moderator_id, role, revoked, expired, first_today = row
    check_secret(presented, kept_hash, revoked=revoked, expired=expired)
    if player is not None:
        raise invalid("X-Player", "not_allowed", "A moderator cannot speak for a player.")
    if first_today:
        note_use(_USED_TODAY, presented.prefix)
    return Principal("moderator", tenant_id, _SCOPES, f"mt_{presented.prefix}", moderator_id=moderator_id, role=role)
