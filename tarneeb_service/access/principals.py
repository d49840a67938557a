"""Who asks: what authentication finds out, and all that the rest of the service knows of it."""

from typing import ClassVar, Literal, TypeAlias
from uuid import UUID

from msgspec import Struct
from rest_framework.request import Request

from tarneeb_service.http.errors import NotAuthenticated

PrincipalKind: TypeAlias = Literal["tenant", "player", "moderator"]
Scope: TypeAlias = Literal["play", "read", "manage"]
Role: TypeAlias = Literal["moderator", "senior", "auditor"]

SCOPES: tuple[Scope, ...] = ("play", "read", "manage")


class PlayerRef(Struct, frozen=True, gc=False):
    """A player. `ref` is random and all that events know; `external_id` is the tenant's own id."""

    ref: UUID
    external_id: str


class Principal(Struct, frozen=True, gc=False):
    """One caller. `player_ref` and `external_id` are a player's, `moderator_id` and `role` a moderator's.

    `key_id` names the credential used by its public part (`tk_…` without the secret), for the trail.
    """

    kind: PrincipalKind
    tenant_id: UUID
    scopes: frozenset[Scope]
    key_id: str
    player_ref: UUID | None = None
    external_id: str | None = None
    moderator_id: int | None = None
    role: Role | None = None

    is_authenticated: ClassVar[bool] = True

    @property
    def actor(self) -> str:
        """This caller as one string, the same whichever of its credentials it uses."""
        return f"{self.kind}:{self.tenant_id}:{self.player_ref or self.moderator_id or ''}"


def principal_of(request: Request) -> Principal:
    """Who asks. Raises `NotAuthenticated` where nobody said so."""
    principal: object = request.user
    if not isinstance(principal, Principal):
        raise NotAuthenticated("Send a credential: Authorization: Bearer …")
    return principal
