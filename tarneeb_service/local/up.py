"""`manage.py up`: the whole service on this machine, from nothing, until a signal ends it."""

import os
import shlex
import socket
import time
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from tarneeb_service.local import parts
from tarneeb_service.local.console import Console
from tarneeb_service.local.credentials import ensure_credentials
from tarneeb_service.local.directory import LocalDirectory
from tarneeb_service.local.listening import listen
from tarneeb_service.local.processes import LocalError, end, launch
from tarneeb_service.local.supervisor import Stopped, Supervisor


def up(*, port: int, demo: bool, console: Console) -> None:
    """Start everything, play the demo match if `demo`, and serve until a signal.

    Raises LocalError if it cannot start.
    """
    begun = time.monotonic()
    with (
        LocalDirectory(settings.LOCAL_DIR) as directory,
        listen(port) as listener,
        Supervisor(directory.logs, console) as supervisor,
    ):
        directory.keep_secrets(settings.LOCALLY_SUPPLIED)
        try:
            base_url = _start(directory, listener, supervisor, console, port)
            console.quiet()
            console.line(f"Up after {time.monotonic() - begun:.1f} s. Ctrl-C stops everything.")
            if demo:
                _play(directory, supervisor, console)
            _show_addresses(directory, base_url, console)
            supervisor.watch()
        except Stopped:
            pass
    console.quiet()
    console.line("Stopped.")


def _start(
    directory: LocalDirectory, listener: socket.socket, supervisor: Supervisor, console: Console, wanted_port: int
) -> str:
    console.line(f"Tarneeb, on this machine, in {directory.path}")
    host, port = listener.getsockname()
    base_url = f"http://{host}:{port}"
    if wanted_port not in {port, 0}:
        console.warning(f"Port {wanted_port} is taken, so it is {port} this time.")
    servers = []
    if "DATABASE_URL" in settings.LOCALLY_SUPPLIED:
        with console.step("database") as remarks:
            new = not (directory.path / "postgres").exists()
            servers.append(parts.database(directory))
            remarks.append("made" if new else "kept")
    if "BROKER_URL" in settings.LOCALLY_SUPPLIED:
        servers.append(parts.broker(directory))
    supervisor.start(*servers)
    try:
        with console.step("migrations") as remarks:
            remarks.append(f"{_migrate()} applied")
        ensure_credentials(directory.credentials, base_url)
    except OperationalError as error:
        raise LocalError(f"The database of DATABASE_URL cannot be used: {error}") from None
    # What follows lasts as long as somebody plays; no connection is to be kept for that.
    connection.close()
    supervisor.start(parts.web(directory, listener), parts.worker(directory), parts.beat(directory))
    return base_url


def _migrate() -> int:
    """Apply what is pending; tells how many."""
    executor = MigrationExecutor(connection)
    pending = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if pending:
        call_command("migrate", verbosity=0, interactive=False)
    return pending


def _play(directory: LocalDirectory, supervisor: Supervisor, console: Console) -> None:
    """Run the demo table to its end, its output on ours."""
    program = parts.demo(directory)
    process = launch(program)
    try:
        supervisor.watch(until=lambda: process.poll() is not None)
    finally:
        end(process, program)
    if process.returncode:
        console.warning(f"The demo table ended with exit code {process.returncode}. The service goes on.")


def _show_addresses(directory: LocalDirectory, base_url: str, console: Console) -> None:
    def shown(path: Path) -> str:
        return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)

    console.line("\nWhere to look")
    console.table(
        {
            "API pages": f"{base_url}/api/docs",
            "health": f"{base_url}/readyz",
            "credentials": shown(directory.credentials),
            "logs": shown(directory.logs),
            "play again": shlex.join([shown(Path(part)) for part in parts.demo_command(directory)]),
        }
    )
    console.line("Ctrl-C stops everything.")
