"""A Valkey server of one's own: broker, cache and wake-ups, reached over a Unix socket only."""

import signal
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

import redis

from tarneeb_service.local.binaries import valkey_server
from tarneeb_service.local.processes import LocalError, Program, end, end_all, launch, processes_in

SOCKET = "valkey.sock"


def broker_url(sockets: Path) -> str:
    """The broker's URL as Celery takes it."""
    return f"redis+socket://{quote(str(sockets / SOCKET))}"


def cache_url(sockets: Path) -> str:
    """The cache's URL: another database of the same server, so that clearing the cache empties no queue."""
    return f"unix://{quote(str(sockets / SOCKET))}?db=1"


class ValkeyServer:
    """One server: its data in `directory`, its socket in `sockets`, both made on need.

    Not `durable` keeps nothing on disk: for tests. The methods raise LocalError with a message for a person.
    """

    def __init__(self, directory: Path, sockets: Path, *, durable: bool = True) -> None:
        self.directory = directory
        self.sockets = sockets
        self.durable = durable
        self.broker_url = broker_url(sockets)
        self.cache_url = cache_url(sockets)
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Make the directories and end a server that was left behind."""
        self.directory.mkdir(mode=0o700, exist_ok=True)
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        end_all(processes_in(self.directory, "valkey-server", "redis-server"), signal.SIGTERM, seconds=30)
        (self.sockets / SOCKET).unlink(missing_ok=True)

    def program(self) -> Program:
        """The server in the foreground."""
        settings = {
            "port": "0",
            "unixsocket": str(self.sockets / SOCKET),
            "unixsocketperm": "700",
            "dir": str(self.directory),
            "appendonly": "yes" if self.durable else "no",
            "save": "",
            # Tasks may not be thrown out to make room.
            "maxmemory-policy": "noeviction",
        }
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return Program("valkey", [valkey_server(), *options], directory=self.directory)

    def is_ready(self) -> bool:
        """Whether it answers."""
        if not (self.sockets / SOCKET).exists():
            return False
        try:
            with self._client() as client:
                return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError):
            return False

    def start(self, log: Path, *, timeout: float = 30) -> None:
        """Run it, its output in `log`; comes back once it answers. Stop it with `stop`."""
        self.stop()
        self.prepare()
        with log.open("ab") as output:
            self._process = launch(self.program(), output=output)
        deadline = time.monotonic() + timeout
        while not self.is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise LocalError(f"Valkey did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop what `start` started; once more does nothing."""
        if self._process is not None:
            end(self._process, self.program())
            self._process = None

    @property
    def pid(self) -> int:
        """The process id of the server that `start` started."""
        if self._process is None:
            raise LocalError("The server is not running.")
        return self._process.pid

    def _client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.sockets / SOCKET), socket_timeout=5)
