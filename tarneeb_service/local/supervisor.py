"""Keep a handful of services running: start them in order, start again what dies, stop all of them.

One thread and no callbacks: a loop that looks at every service a few times a second. See docs/decisions/0002.
"""

import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import FrameType

from tarneeb_service.local.console import Console
from tarneeb_service.local.processes import LocalError, Program, kill_group, launch

TICK_SECONDS = 0.1
LOG_BYTES = 10_000_000
LONGEST_PAUSE_SECONDS = 10.0
SETTLED_SECONDS = 30.0
"""Who has been ready this long before it dies is started again at once, as if it had never failed."""


class Stopped(Exception):
    """A signal asked for the end."""


@dataclass(frozen=True, slots=True)
class Service:
    """A program to be kept running. `prepare` runs before every start; LocalError there counts as a failed start."""

    program: Program
    is_ready: Callable[[], bool] = lambda: True
    prepare: Callable[[], None] = lambda: None
    ready_seconds: float = 120.0


@dataclass(slots=True)
class _Running:
    service: Service
    process: subprocess.Popen[bytes] | None = None
    ready: bool = False
    since: float = field(default_factory=time.monotonic)
    failures: int = 0
    resume_at: float = 0.0

    @property
    def name(self) -> str:
        return self.service.program.name


class Supervisor:
    """Runs services, their output in `logs`/<name>.log.

    Use as a context manager: whatever way it is left, everything is stopped. SIGINT, SIGTERM and SIGHUP make `start`
    and `watch` raise Stopped; a second signal while stopping kills what has not stopped.
    """

    def __init__(self, logs: Path, console: Console) -> None:
        self._logs = logs
        self._console = console
        self._batches: list[list[_Running]] = []
        self._signals = 0

    def __enter__(self) -> "Supervisor":
        self._handlers = {
            number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        }
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stop()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def start(self, *services: Service) -> None:
        """Start them together and come back when all are ready. Raises LocalError, with its log's end, if one fails.

        They are stopped together too, before those that were started earlier.
        """
        if not services:
            return
        new = [_Running(service) for service in services]
        self._batches.append(new)
        self._console.starting([running.name for running in new])
        for running in new:
            self._launch(running)
        while waiting := [running for running in new if not running.ready]:
            self.check()
            for running in waiting:
                late = time.monotonic() - running.since > running.service.ready_seconds
                if running.failures or late:
                    raise LocalError(f"{running.name} did not start. {self._end_of_log(running.name)}")
            time.sleep(TICK_SECONDS)

    def watch(self, *, until: Callable[[], bool] = lambda: False) -> None:
        """Keep them running until `until`, or for good."""
        while not until():
            self.check()
            time.sleep(TICK_SECONDS)

    def check(self) -> None:
        """One look at every service. Raises Stopped after a signal."""
        if self._signals:
            raise Stopped
        for running in chain(*self._batches):
            if running.process is None:
                if time.monotonic() >= running.resume_at:
                    self._resume(running)
            elif running.process.poll() is not None:
                self._bury(running, running.process)
            elif not running.ready and running.service.is_ready():
                running.ready = True
                self._console.ready(running.name, time.monotonic() - running.since)
                running.since = time.monotonic()

    def _launch(self, running: _Running) -> None:
        running.since = time.monotonic()
        running.service.prepare()
        log = self._log(running.name)
        with suppress(FileNotFoundError):
            if log.stat().st_size > LOG_BYTES:
                log.replace(log.with_suffix(".log.1"))
        with log.open("ab") as output:
            running.process = launch(running.service.program, output=output)

    def _resume(self, running: _Running) -> None:
        try:
            self._launch(running)
        except LocalError as error:
            self._console.warning(f"{running.name}: {error}")
            self._put_off(running)

    def _bury(self, running: _Running, process: subprocess.Popen[bytes]) -> None:
        kill_group(process.pid)
        if running.ready and time.monotonic() - running.since > SETTLED_SECONDS:
            running.failures = 0
        # Who has never been ready is waited for by `start`, which gives up.
        if running.ready or running.failures:
            self._console.warning(f"{running.name} {_how_it_ended(process.returncode)}, starting it again")
        running.process = None
        running.ready = False
        self._put_off(running)

    @staticmethod
    def _put_off(running: _Running) -> None:
        pause = min(0.25 * 2**running.failures, LONGEST_PAUSE_SECONDS) if running.failures else 0.0
        running.failures += 1
        running.resume_at = time.monotonic() + pause

    # Stopping

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1

    def _stop(self) -> None:
        self._signals = 0
        for batch in reversed(self._batches):
            alive = [(running, running.process) for running in batch if running.process is not None]
            if alive:
                self._console.stopping([running.name for running, _ in alive])
            for running, process in alive:
                if process.poll() is None:
                    process.send_signal(running.service.program.stop_signal)
            for running, process in alive:
                self._await_end(running, process)
                running.process = None

    def _await_end(self, running: _Running, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + running.service.program.stop_seconds
        while process.poll() is None and not self._signals and time.monotonic() < deadline:
            time.sleep(0.02)
        if process.poll() is None:
            self._console.warning(f"{running.name} does not stop, killed")
            process.kill()
            process.wait()
        kill_group(process.pid)

    # Logs

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    def _end_of_log(self, name: str) -> str:
        log = self._log(name)
        if not log.exists():
            return "It wrote no log."
        lines = log.read_text(errors="replace").splitlines()[-25:]
        return f"The end of {log}:\n" + "\n".join(f"    {line}" for line in lines)


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
