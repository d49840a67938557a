"""Start child processes that do not outlive their parent, and end them."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

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


def kill_group(leader: int) -> None:
    """Kill what is left of a process group, if anything is."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
