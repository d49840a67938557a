"""Start child processes that do not outlive their parent, and end them."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import psutil

LAUNCHER = Path(__file__).with_name("launch.py")


class LocalError(Exception):
    """The local default cannot do what was asked; the message says why and what to do, for a person to read."""


@dataclass(frozen=True, slots=True)
class Program:
    """What to run and how. `stop_signal` asks it to end in good order; after `stop_seconds` it is killed."""

    name: str
    command: Sequence[str | Path]
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 15.0
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    user: tuple[int, int] | None = None
    reach: bool = False
    descriptors: tuple[int, ...] = ()
    """Open files that it inherits."""


def launch(program: Program, *, output: IO[bytes] | int | None = None) -> subprocess.Popen[bytes]:
    """Start the program in a session of its own, so that a Ctrl-C in the terminal reaches only its parent.

    `output` takes both its streams. On Linux the program is signalled when this process dies.
    """
    arguments: list[str | Path] = [sys.executable, "-I", "-S", LAUNCHER]
    # Forked children of the program (gunicorn's and Celery's workers, backends of Postgres) watch their own parent.
    arguments += ["--parent", str(os.getpid()), "--signal", str(int(program.stop_signal))]
    if program.user is not None:
        arguments += ["--user", "{}:{}".format(*program.user)]
        arguments += ["--reach"] if program.reach else []
    return subprocess.Popen(
        [*arguments, "--", *program.command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output is not None else None,
        cwd=program.directory,
        env={**os.environ, **program.environment},
        start_new_session=True,
        pass_fds=program.descriptors,
    )


def end(process: subprocess.Popen[bytes], program: Program) -> None:
    """Ask the program to stop and see to it that it and its process group are gone."""
    if process.poll() is None:
        process.send_signal(program.stop_signal)
        try:
            process.wait(program.stop_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    kill_group(process.pid)


def processes_in(directory: Path, *names: str) -> list[psutil.Process]:
    """The processes of these names that work in this directory: what is left of a server, whoever started it."""
    place = str(directory.resolve())
    return [
        process
        for process in psutil.process_iter(["name", "cwd"])
        if process.info["name"] in names and process.info["cwd"] == place
    ]


def processes_marked(mark: Mapping[str, str]) -> list[psutil.Process]:
    """The processes that have these variables in their environment."""
    return [
        process
        for process in psutil.process_iter(["environ"])
        if process.info["environ"] and mark.items() <= process.info["environ"].items()
    ]


def end_all(processes: Sequence[psutil.Process], stop_signal: signal.Signals, *, seconds: float) -> None:
    """Signal them and wait until they are gone. Raises LocalError if one stays."""
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(stop_signal)
    deadline = time.monotonic() + seconds
    while alive := [process for process in processes if _is_alive(process)]:
        if time.monotonic() > deadline:
            left = ", ".join(str(process.pid) for process in alive)
            raise LocalError(f"Processes of an earlier start do not stop: {left}. End them and start again.")
        time.sleep(0.02)


def _is_alive(process: psutil.Process) -> bool:
    try:
        # Nobody may be there to reap it: a container's first process need not.
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def kill_group(leader: int) -> None:
    """Kill what is left of a process group, if anything is."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
