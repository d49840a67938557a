"""The credentials, as the OpenAPI document describes them."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its own hook is untyped
    """A tenant's key, alone or with `X-Player`, or a moderator's token."""

    target_class = "tarneeb_service.access.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:  # noqa: ARG002  drf-spectacular's signature
        """The security scheme object."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": (
                "`tk_…`: a tenant's API key. Alone it speaks for the tenant itself; with the header `X-Player`, the "
                "tenant's own id of a player, for that player. `mt_…`: a moderator of the tenant."
            ),
        }
