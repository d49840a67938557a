"""A PostgreSQL server of one's own, reached over a Unix socket only.

PostgreSQL refuses to run as root. Started by root it runs as `postgres`, or else as `nobody`, and its data directory
belongs to that user. Where the path to that directory, or to the server's program, is closed to them (a clone below a
root-owned 0700 directory, say) the server is started with one capability, CAP_DAC_OVERRIDE, that lets it pass. That
opens nothing which was shut: who can send it SQL is root already, by peer authentication.
"""

import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

from tarneeb_service.local.binaries import postgres_binaries
from tarneeb_service.local.processes import LocalError, Program, end, end_all, launch, processes_in

ROLE = DATABASE = "tarneeb"
PORT = 5432
"""Names the socket's file; nothing listens on the network."""

HBA = "local all all peer map=local\n"


def database_url(sockets: Path, database: str = DATABASE) -> str:
    """The URL of a database of the server whose socket lies in this directory."""
    # As a parameter: a host is folded to lower case on its way into Django's settings.
    return f"postgresql://{ROLE}@/{database}?host={quote(str(sockets))}&port={PORT}"


class PostgresServer:
    """One cluster: its data in `directory`, its socket in `sockets`. Both are made on need, their parents must exist.

    `durable` False trades the safety of the data in a crash of the machine for speed: for tests. `settings` go over
    those chosen here. The methods raise LocalError with a message for a person.
    """

    def __init__(
        self, directory: Path, sockets: Path, *, durable: bool = True, settings: Mapping[str, str] | None = None
    ) -> None:
        self.directory = directory
        self.sockets = sockets
        self.durable = durable
        self.settings = dict(settings or {})
        self.url = database_url(sockets)
        self._process: subprocess.Popen[bytes] | None = None

    # In parts, for a supervisor

    def prepare(self) -> None:
        """Make the cluster if there is none, end a server that was left behind, and let this user in."""
        binaries = postgres_binaries()
        for path in (self.directory, self.sockets):
            if path.exists() and os.geteuid() not in (0, path.stat().st_uid):
                owner = _name_of(path.stat().st_uid)
                raise LocalError(f"{path} belongs to the user {owner}. Start as {owner}, or set another LOCAL_DIR.")
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        self._give_to_server(self.sockets)
        if not (self.directory / "PG_VERSION").exists():
            self._initialise(binaries)
        self._check_version(binaries)
        self._end_leftover()
        self._write_authentication()

    def program(self) -> Program:
        """The server in the foreground."""
        settings = {
            "listen_addresses": "",
            # A list, whose elements are quoted like names in SQL.
            "unix_socket_directories": '"{}"'.format(str(self.sockets).replace('"', '""')),
            "port": str(PORT),
            "max_connections": "100",
            "timezone": "UTC",
            "log_timezone": "UTC",
            # Statements here are short; compiling one costs more than running it.
            "jit": "off",
            **({} if self.durable else {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}),
            **self.settings,
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command: list[str | Path] = [postgres_binaries() / "postgres", "-D", self.directory, *options]
        # SIGINT is Postgres's fast shutdown: clients are cut off, the data is written out.
        return self._as_server(Program("postgres", command, stop_signal=signal.SIGINT, stop_seconds=30))

    def is_ready(self) -> bool:
        """Whether it answers; makes the service's database at the first time that it does."""
        try:
            with psycopg.connect(
                database_url(self.sockets, "postgres"), autocommit=True, connect_timeout=5
            ) as connection:
                found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
                if found is None:
                    connection.execute(f"CREATE DATABASE {DATABASE}")
        except psycopg.OperationalError:
            return False
        return True

    # Whole, for tests

    def start(self, log: Path, *, timeout: float = 60) -> None:
        """Run it, its output in `log`; comes back once it answers. Stop it with `stop`."""
        self.stop()
        self.prepare()
        with log.open("ab") as output:
            self._process = launch(self.program(), output=output)
        deadline = time.monotonic() + timeout
        while not self.is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise LocalError(f"PostgreSQL did not start:\n{log.read_text(errors='replace')[-2000:]}")
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

    # The user that it runs as

    @cached_property
    def _user(self) -> tuple[int, int] | None:
        """The user and group to change to; None to stay who we are."""
        if os.geteuid() != 0:
            return None
        if self.directory.exists() and (owner := self.directory.stat()).st_uid != 0:
            return owner.st_uid, owner.st_gid
        for name in ("postgres", "nobody"):
            try:
                account = pwd.getpwnam(name)
            except KeyError:
                continue
            return account.pw_uid, account.pw_gid
        raise LocalError("PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it as.")

    @cached_property
    def _reach(self) -> bool:
        """Whether the server's user cannot get at its program or its directories unaided."""
        if self._user is None:
            return False
        uid, gid = self._user
        probes: list[list[str | Path]] = [
            [postgres_binaries() / "postgres", "--version"],
            ["/bin/sh", "-c", 'cd "$0"', self.directory.parent],
            ["/bin/sh", "-c", 'cd "$0"', self.sockets],
        ]
        for probe in probes:
            try:
                subprocess.run(probe, user=uid, group=gid, extra_groups=[], cwd="/", capture_output=True, check=True)
            except (subprocess.CalledProcessError, PermissionError):
                return True
        return False

    def _as_server(self, program: Program) -> Program:
        return replace(program, user=self._user, reach=self._reach, directory=Path("/"))

    def _give_to_server(self, path: Path) -> None:
        if self._user is not None:
            os.chown(path, *self._user)

    # The cluster

    def _initialise(self, binaries: Path) -> None:
        # Made under another name and renamed: a start that is killed half-way leaves no half of a cluster.
        unfinished = self.directory.with_name(self.directory.name + ".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        self._give_to_server(unfinished)
        options = [f"--username={ROLE}", "--encoding=UTF8", "--locale=C", "--auth-local=peer", "--auth-host=reject"]
        options += [] if self.durable else ["--no-sync"]
        command: list[str | Path] = [binaries / "initdb", "-D", unfinished, *options]
        process = launch(self._as_server(Program("initdb", command)), output=subprocess.PIPE)
        output, _ = process.communicate()
        if process.returncode != 0:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise LocalError(f"initdb failed:\n{output.decode(errors='replace')[-2000:]}")
        unfinished.rename(self.directory)

    def _check_version(self, binaries: Path) -> None:
        data = (self.directory / "PG_VERSION").read_text().strip()
        shown = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
        server = shown.split()[2].split(".")[0]
        if data != server:
            raise LocalError(
                f"{self.directory} was made by PostgreSQL {data}, the server here is {server}. Dump it with the old one"
                f" and load it again, or move {self.directory} away to begin with an empty database."
            )

    def _end_leftover(self) -> None:
        """Clear up after a server that lost its parent. Whoever calls this holds the directory's lock."""
        record = self.directory / "postmaster.pid"
        try:
            recorded = int(record.read_text().split()[0])
        except (FileNotFoundError, ValueError, IndexError):
            recorded = 0
        # Its backends work in the data directory as well. They may outlive it by a moment, and while one does the
        # cluster is not to be opened: Postgres checks that itself, as long as its record is left alone.
        end_all(processes_in(self.directory, "postgres"), signal.SIGINT, seconds=60)
        # After a restart of the machine the number can be another process's by now; and in a container whose first
        # process reaps nobody, the dead keep theirs.
        if psutil.pid_exists(recorded):
            record.unlink(missing_ok=True)
        for stale in self.sockets.glob(f".s.PGSQL.{PORT}*"):
            stale.unlink(missing_ok=True)

    def _write_authentication(self) -> None:
        names = {_name_of(os.geteuid()), _name_of(self.directory.stat().st_uid), "root"}
        # `all` is a keyword here since version 16; before it is a role that does not exist.
        ident = "".join(f'local "{name}" {role}\n' for name in sorted(names) for role in (ROLE, "all"))
        for file, text in (("pg_hba.conf", HBA), ("pg_ident.conf", ident)):
            path = self.directory / file
            path.write_text(text)
            self._give_to_server(path)


def _name_of(uid: int) -> str:
    """The user's name, or its number in quotes' place where the machine knows no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
