"""What the services of this package refuse."""


class AccessError(Exception):
    """Nothing was changed."""


class TenantNameTaken(AccessError):
    """Another tenant has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a tenant named {name} already.")


class UsernameTaken(AccessError):
    """Another user has this name."""

    def __init__(self, username: str) -> None:
        super().__init__(f"There is a user named {username} already.")


class UnknownTenant(AccessError):
    """No tenant has this name or id."""

    def __init__(self, named: str) -> None:
        super().__init__(f"There is no tenant {named}.")


class UnknownCredential(AccessError):
    """No credential has this prefix."""

    def __init__(self) -> None:
        super().__init__("There is no such key or token.")


class UnacceptableValue(AccessError):
    """A name, scope, role or time that cannot be."""
