"""LOCAL_DIR: who may use it, and the secrets in it."""

import fcntl
import os
import signal
from collections.abc import Collection
from pathlib import Path
from typing import IO

import psutil

from tarneeb_service.local.discovery import SECRETS, SHORT_PARENT, socket_directory, write_private
from tarneeb_service.local.processes import LocalError, end_all, processes_marked

LOCK = "up.lock"
MARK = "TARNEEB_UP"
"""In the environment of every process that `up` starts: its LOCAL_DIR, to find what a killed `up` left behind."""


class LocalDirectory:
    """The directory, held by one `up` at a time. Use as a context manager. Raises LocalError if another holds it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "log"
        self.static = self.path / "static"
        self.credentials = self.path / "credentials.json"
        self.sockets = socket_directory(self.path)
        self.mark = {MARK: str(self.path)}
        self._lock: IO[str] | None = None

    def __enter__(self) -> "LocalDirectory":
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            for below in (self.logs, self.static):
                below.mkdir(exist_ok=True)
            self._lock = (self.path / LOCK).open("a+")
        except PermissionError as error:
            raise LocalError(f"{error.filename} belongs to another user: set another LOCAL_DIR.") from None
        except (FileExistsError, NotADirectoryError) as error:
            raise LocalError(f"{error.filename} is no directory: set another LOCAL_DIR.") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.seek(0)
            holder = self._lock.read().strip() or "?"
            raise LocalError(
                f"`up` runs already on {self.path} (process {holder}). Stop that one, or set another LOCAL_DIR."
            ) from None
        self._lock.truncate(0)
        self._lock.write(f"{os.getpid()}\n")
        self._lock.flush()
        self._end_leftovers()
        self._make_socket_parent()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._lock is not None:
            self._lock.close()

    def keep_secrets(self, supplied: Collection[str]) -> None:
        """Keep for the next start what this process made up because nothing was set: its SECRET_KEY."""
        if "SECRET_KEY" in supplied and not (self.path / SECRETS).exists():
            write_private(self.path / SECRETS, {"SECRET_KEY": os.environ["SECRET_KEY"]})

    def _end_leftovers(self) -> None:
        """End what an `up` that was killed left behind, save the servers: those are ended before they are started."""
        own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
        left = [process for process in processes_marked(self.mark) if process.pid not in own]
        try:
            end_all(left, signal.SIGTERM, seconds=10)
        except LocalError:
            end_all(left, signal.SIGKILL, seconds=10)

    def _make_socket_parent(self) -> None:
        parent = self.sockets.parent
        if parent.parent != SHORT_PARENT or parent == self.path:
            return
        # Anybody can make a directory there first, under the name that this one will have.
        parent.mkdir(mode=0o711, exist_ok=True)
        found = parent.lstat()
        if found.st_uid not in {os.geteuid(), self.path.stat().st_uid} or found.st_mode & 0o022 or parent.is_symlink():
            raise LocalError(f"{parent} is not ours: remove it, or set LOCAL_DIR to a shorter path.")
