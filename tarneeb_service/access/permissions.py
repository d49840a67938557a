"""Who may use a view. Reading needs the scope `read`; creating matches, taking seats and acting need `play`;
substituting, abandoning and everything about keys and hooks needs `manage`.

All refuse a caller without a credential with `NotAuthenticated`, and one who may not with `Forbidden`.
"""

from collections.abc import Callable
from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from tarneeb_service.access.principals import Principal, PrincipalKind, Role, Scope, principal_of
from tarneeb_service.http.errors import Forbidden


class Authenticated(BasePermission):
    """Anybody with a credential."""

    def has_permission(self, request: Request, view: Any) -> bool:  # noqa: ARG002  DRF's signature
        """True, or an error that says why not."""
        self.check(principal_of(request), request)
        return True

    def check(self, principal: Principal, request: Request) -> None:
        """Raises `Forbidden` for a caller who may not. Subclasses say who that is."""


class ReadOrPlay(Authenticated):
    """The default: `read` for GET and HEAD, `play` for every other method."""

    def check(self, principal: Principal, request: Request) -> None:
        """Raises `Forbidden` without the method's scope."""
        require_scope(principal, "read" if request.method in SAFE_METHODS else "play")


class RequireScope(Authenticated):
    """One scope for every method: `permission_classes = [RequireScope("manage")]`."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def __call__(self) -> "RequireScope":
        """DRF calls what it finds in `permission_classes`."""
        return self

    def check(self, principal: Principal, request: Request) -> None:  # noqa: ARG002  the base's signature
        """Raises `Forbidden` without the scope."""
        require_scope(principal, self.scope)


class _KindOnly(Authenticated):
    kind: PrincipalKind

    def check(self, principal: Principal, request: Request) -> None:  # noqa: ARG002  the base's signature
        if principal.kind != self.kind:
            raise Forbidden(f"Only a {self.kind} can do this.", required_kind=self.kind)


class TenantOnly(_KindOnly):
    """The tenant itself: its key without `X-Player`."""

    kind = "tenant"


class PlayerOnly(_KindOnly):
    """A player."""

    kind = "player"


class ModeratorOnly(_KindOnly):
    """A moderator of any role."""

    kind = "moderator"


def require_scope(principal: Principal, scope: Scope) -> None:
    """Raises `Forbidden`, naming the scope, for a caller whose credential lacks it."""
    if scope not in principal.scopes:
        raise Forbidden(f"This needs a credential with the scope {scope}.", required_scope=scope)


def require_role(*roles: Role) -> Callable[[], BasePermission]:
    """Moderators of these roles only: `permission_classes = [require_role("senior", "auditor")]`."""

    class RoleOnly(ModeratorOnly):
        def check(self, principal: Principal, request: Request) -> None:
            super().check(principal, request)
            if principal.role not in roles:
                raise Forbidden(f"This needs the role {' or '.join(roles)}.", required_role=list(roles))

    return RoleOnly
