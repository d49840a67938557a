"""`credentials.json`: how the demo table, and whoever tries the service out, gets in."""

import json
import secrets
from pathlib import Path
from typing import TypedDict

from tarneeb_service.access import services
from tarneeb_service.access.models import ApiKey, Tenant
from tarneeb_service.local.discovery import write_private

TENANT = "local"
MODERATOR = "moderator"
SCOPES = ["play", "read", "manage"]


class TenantAccess(TypedDict):
    name: str
    key: str


class ModeratorAccess(TypedDict):
    username: str
    password: str
    token: str


class Credentials(TypedDict):
    base_url: str
    tenant: TenantAccess
    moderator: ModeratorAccess


def ensure_credentials(path: Path, base_url: str) -> Credentials:
    """The credentials kept in this file, with the address where the service is now.

    Made, with a tenant and a moderator, where there are none or the database does not know them: it was another then.
    """
    kept = _read(path)
    if kept is None or not _is_known(kept["tenant"]["key"]):
        kept = _create(base_url)
    kept["base_url"] = base_url
    write_private(path, kept)
    return kept


def _create(base_url: str) -> Credentials:
    tenant = Tenant.objects.filter(name=TENANT).order_by("id").first() or services.create_tenant(name=TENANT)
    _, key = services.create_key(tenant=tenant, scopes=SCOPES)
    # A name of its own each time: who lost the file has no way to the account of before.
    username = f"{MODERATOR}-{secrets.token_hex(3)}"
    password = secrets.token_urlsafe(16)
    _, token = services.create_moderator(tenant=tenant, username=username, password=password)
    return {
        "base_url": base_url,
        "tenant": {"name": TENANT, "key": key},
        "moderator": {"username": username, "password": password, "token": token},
    }


def _is_known(key: str) -> bool:
    _, prefix, _ = key.split("_", 2)
    return ApiKey.objects.filter(prefix=prefix, revoked_at=None).exists()


def _read(path: Path) -> Credentials | None:
    try:
        content: Credentials = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return content
