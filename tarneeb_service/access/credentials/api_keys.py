"""A tenant's key, alone or for one of its players."""

from functools import lru_cache

from tarneeb_service.access.credentials.kind import check_secret, fetch_one, note_use, unknown_token
from tarneeb_service.access.principals import Principal, Scope
from tarneeb_service.access.scopes import read_scopes
from tarneeb_service.access.services import player_for
from tarneeb_service.access.tokens import read_token

_KEY = """
SELECT hash, tenant_id, scopes, revoked_at IS NOT NULL, coalesce(expires_at <= now(), false),
       coalesce(last_used < current_date, true), NULL
  FROM access_apikey WHERE prefix = %s
"""
_KEY_AND_PLAYER = """
SELECT k.hash, k.tenant_id, k.scopes, k.revoked_at IS NOT NULL, coalesce(k.expires_at <= now(), false),
       coalesce(k.last_used < current_date, true), p.ref
  FROM access_apikey k
  LEFT JOIN access_player p ON p.tenant_id = k.tenant_id AND p.external_id = %s
 WHERE k.prefix = %s
"""
# Of several first requests of the day, the others wait for the first one's row and then find nothing to do.
_USED_TODAY = """
UPDATE access_apikey SET last_used = current_date
 WHERE prefix = %s AND coalesce(last_used < current_date, true)
"""


def accepts(token: str) -> bool:
    """Keys begin with `tk_`."""
    return token.startswith("tk_")


def principal(token: str, player: str | None) -> Principal:
    """The tenant, or its player if one is named, who comes into being with the first request."""
    presented = read_token(token)
    if presented is None:
        raise unknown_token()
    asked = (_KEY,) if player is None else (_KEY_AND_PLAYER, player)
    row = fetch_one(*asked, presented.prefix)
    if row is None:
        raise unknown_token()
    kept_hash, tenant_id, scopes, revoked, expired, first_today, ref = row
    check_secret(presented, kept_hash, revoked=revoked, expired=expired)
    if first_today:
        note_use(_USED_TODAY, presented.prefix)
    key_id = f"tk_{presented.prefix}"
    if player is None:
        return Principal("tenant", tenant_id, _scopes(scopes), key_id)
    if ref is None:
        ref = player_for(tenant_id=tenant_id, external_id=player, field="X-Player").ref
    return Principal("player", tenant_id, _scopes(scopes), key_id, ref, player)


@lru_cache(maxsize=64)
def _scopes(stored: str) -> frozenset[Scope]:
    return read_scopes(stored)
