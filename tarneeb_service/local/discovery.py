"""Where the local default keeps what: addresses of its servers and secrets, found again by every command.

The addresses follow from the directory alone, `secrets.json` is made at the first start. Settings look here, so that a
command beside a running `up` speaks to the same servers without a word in its environment.
"""

import hashlib
import json
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from tarneeb_service.local.postgres import database_url
from tarneeb_service.local.valkey import broker_url, cache_url

SECRETS = "secrets.json"
SHORT_PARENT = Path("/tmp")  # noqa: S108  the directory below it is ours alone, see `up`
LONGEST_SOCKET_DIRECTORY = 80
"""In bytes. A socket's whole path fits into 108 on Linux and 104 on macOS, and the file names take some."""


def local_environment(local_dir: Path) -> frozenset[str]:
    """Fill in what the environment leaves open, from `local_dir` as far as it exists; tells the names filled in.

    Nothing is started, written or connected to: with no servers there, commands that need none still run.
    """
    found = _secrets_of(local_dir)
    # `up` keeps what is made up here. Elsewhere a key of one process only will do where no database is named, for then
    # there is nothing that another could have signed; a deployment that lacks its key is to be told so.
    if not os.environ.get("DATABASE_URL") or sys.argv[1:2] == ["up"]:
        found = {"SECRET_KEY": secrets.token_urlsafe(48), **found}
    found |= addresses(socket_directory(local_dir))
    if os.environ.get("BROKER_URL"):
        del found["CACHE_URL"]
    supplied = {name: value for name, value in found.items() if not os.environ.get(name)}
    os.environ.update(supplied)
    return frozenset(supplied)


def addresses(sockets: Path) -> dict[str, str]:
    """The environment that leads to the embedded servers whose sockets lie in this directory."""
    return {"DATABASE_URL": database_url(sockets), "BROKER_URL": broker_url(sockets), "CACHE_URL": cache_url(sockets)}


def socket_directory(local_dir: Path) -> Path:
    """Where the sockets lie: below `local_dir` if their paths fit there, else in a place with a short name."""
    below = local_dir.absolute() / "run"
    # libpq takes a comma for the end of one host and the beginning of another.
    if len(os.fsencode(below)) <= LONGEST_SOCKET_DIRECTORY and "," not in str(below):
        return below
    name = hashlib.sha256(os.fsencode(local_dir.resolve())).hexdigest()[:16]
    return SHORT_PARENT / f"tarneeb-{name}" / "run"


def cache_beside(broker: str) -> str:
    """The cache's URL if none is given: the broker's own server, another database of it.

    A broker that is no Redis or Valkey cannot be the cache: then the address of its port on this machine.
    """
    parts = urlsplit(broker)
    if parts.scheme in {"redis", "rediss"}:
        return parts._replace(path="/1").geturl()
    return "redis://localhost:6379/1"


def write_private(path: Path, content: Mapping[str, object]) -> None:
    """Write JSON that only the owner can read, whole or not at all."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    unfinished.replace(path)


def _secrets_of(local_dir: Path) -> dict[str, str]:
    try:
        content = json.loads((local_dir / SECRETS).read_text())
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        return {}
    return {str(name): str(value) for name, value in content.items()}
