"""Headers of the callers that tests send."""


def bearer(token: str) -> dict[str, str]:
    """Somebody with this token, and nothing else."""
    return {"Authorization": f"Bearer {token}"}


def as_player(key: str, external_id: str) -> dict[str, str]:
    """A tenant's key on behalf of a player, the id in UTF-8 as it goes over the wire."""
    return bearer(key) | {"X-Player": external_id.encode().decode("latin-1")}
