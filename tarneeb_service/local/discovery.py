"""Where the local default keeps what: addresses of its servers and secrets, found again by every command.

`up` writes `servers.json` when it starts; `secrets.json` is made once. Settings read both, so that a command beside a
running `up` speaks to the same servers without a word in its environment.
"""

import json
import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tarneeb_service.local.postgres import database_url
from tarneeb_service.local.valkey import broker_url, cache_url

SERVERS = "servers.json"
SECRETS = "secrets.json"
LONGEST_SOCKET_DIRECTORY = 80
"""In bytes. A socket's whole path fits into 108 on Linux and 104 on macOS, and the file names take some."""


def local_environment(local_dir: Path) -> None:
    """Fill in what the environment leaves open, from `local_dir` as far as it exists.

    Nothing is started, written or connected to: with no servers there, commands that need none still run.
    """
    for name, value in _read(local_dir / SECRETS).items():
        os.environ.setdefault(name, value)
    if "DATABASE_URL" not in os.environ:
        # No database, nothing that a key could have signed before or could sign for later.
        os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(48))
    servers = {**addresses(local_dir / "run"), **_read(local_dir / SERVERS)}
    if "BROKER_URL" in os.environ:
        del servers["CACHE_URL"]
    for name, value in servers.items():
        os.environ.setdefault(name, value)


def addresses(sockets: Path) -> dict[str, str]:
    """The environment that leads to the embedded servers whose sockets lie in this directory."""
    return {"DATABASE_URL": database_url(sockets), "BROKER_URL": broker_url(sockets), "CACHE_URL": cache_url(sockets)}


def socket_directory(local_dir: Path) -> Path:
    """A directory for the sockets: below `local_dir` if their paths fit there, else a new one with a short name."""
    below = local_dir / "run"
    if len(os.fsencode(below)) <= LONGEST_SOCKET_DIRECTORY:
        return below
    # Not in TMPDIR, which may be as long.
    return Path(tempfile.mkdtemp(prefix="tarneeb-", dir="/tmp"))


def write_private(path: Path, content: Mapping[str, object]) -> None:
    """Write JSON that only the owner can read, whole or not at all."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    unfinished.replace(path)


def _read(path: Path) -> dict[str, str]:
    try:
        content = json.loads(path.read_text())
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        return {}
    return {str(name): str(value) for name, value in content.items()}
