"""Reads about tenants and players; none of them creates anything."""

from collections.abc import Iterable
from uuid import UUID

from tarneeb_service.access.errors import UnknownCredential, UnknownTenant
from tarneeb_service.access.models import ApiKey, Player, Tenant
from tarneeb_service.access.tokens import read_token


def tenant_named(*, name_or_id: str) -> Tenant:
    """The tenant with this name or id. Raises `UnknownTenant`."""
    try:
        by_id = Tenant.objects.filter(id=UUID(name_or_id)).first()
    except ValueError:
        by_id = None
    tenant = by_id or Tenant.objects.filter(name=name_or_id).first()
    if tenant is None:
        raise UnknownTenant(name_or_id)
    return tenant


def key_named(*, key: str) -> ApiKey:
    """The key with this prefix, with or without `tk_` before it and the secret behind. Raises `UnknownCredential`."""
    presented = read_token(key)
    prefix = presented.prefix if presented else key.removeprefix("tk_")
    found = ApiKey.objects.filter(prefix=prefix).select_related("tenant").first()
    if found is None:
        raise UnknownCredential
    return found


def known_player(*, tenant_id: UUID, external_id: str) -> UUID | None:
    """The reference of the tenant's player of this name, None if the service has never seen one."""
    return Player.objects.filter(tenant_id=tenant_id, external_id=external_id).values_list("ref", flat=True).first()


def external_ids(refs: Iterable[UUID]) -> dict[UUID, str]:
    """The tenants' own ids of these players, in one query. Unknown and erased players are left out."""
    found = Player.objects.filter(ref__in=set(refs), external_id__isnull=False).values_list("ref", "external_id")
    return {ref: external_id for ref, external_id in found if external_id is not None}
