"""The supervisor over small programs of its own."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tarneeb_service.local.console import Console
from tarneeb_service.local.processes import LocalError, Program, end, launch
from tarneeb_service.local.supervisor import Service, Stopped, Supervisor

LONG = "import time; time.sleep(600)"


class RecordingConsole(Console):
    """Keeps what was said."""

    def __init__(self) -> None:
        super().__init__()
        self.warnings: list[str] = []
        self.stopped: list[str] = []

    def warning(self, text: str) -> None:
        self.warnings.append(text)

    def stopping(self, names: object) -> None:
        assert isinstance(names, list)
        self.stopped += names


@pytest.fixture
def console() -> RecordingConsole:
    return RecordingConsole()


@pytest.fixture
def supervisor(tmp_path: Path, console: RecordingConsole) -> Iterator[Supervisor]:
    with Supervisor(tmp_path, console) as supervisor:
        yield supervisor


def python(name: str, code: str, **options: object) -> Program:
    """A program of one line of Python, which writes its process id where `pid_of` finds it."""
    write_pid = f"import os, pathlib; pathlib.Path('{name}.pid').write_text(str(os.getpid()))"
    return Program(name, [sys.executable, "-c", f"{write_pid}\n{code}"], **options)  # type: ignore[arg-type]  # passed on


def pid_of(directory: Path, name: str) -> int:
    return int((directory / f"{name}.pid").read_text())


def service(directory: Path, name: str, code: str = LONG, **options: object) -> Service:
    ready = directory / f"{name}.pid"
    return Service(python(name, code, directory=directory, **options), is_ready=ready.exists)


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.01)


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_service_that_dies_is_started_again_and_said_so(
    supervisor: Supervisor, console: RecordingConsole, tmp_path: Path
) -> None:
    supervisor.start(service(tmp_path, "web"))
    first = pid_of(tmp_path, "web")
    (tmp_path / "web.pid").unlink()
    os.kill(first, signal.SIGKILL)

    supervisor.watch(until=lambda: (tmp_path / "web.pid").exists() and pid_of(tmp_path, "web") != first)

    assert console.warnings == ["web was ended by SIGKILL, starting it again"]


def test_children_of_a_service_that_dies_go_with_it(supervisor: Supervisor, tmp_path: Path) -> None:
    fork = "import os, time, pathlib\nif os.fork() == 0:\n pathlib.Path('child.pid').write_text(str(os.getpid()))\n"
    supervisor.start(service(tmp_path, "worker", fork + "time.sleep(600)"))
    wait_for((tmp_path / "child.pid").exists)
    wait_for(lambda: (tmp_path / "child.pid").read_text() != "")
    child = pid_of(tmp_path, "child")
    os.kill(pid_of(tmp_path, "worker"), signal.SIGKILL)

    supervisor.watch(until=lambda: is_gone(child))

    assert is_gone(child)


def test_what_fails_again_and_again_is_tried_less_and_less_often(
    supervisor: Supervisor, console: RecordingConsole, tmp_path: Path
) -> None:
    supervisor.start(service(tmp_path, "beat"))
    flag = tmp_path / "starts"

    def fail() -> None:
        with flag.open("a") as file:
            file.write("x")
        raise LocalError("no way")

    # The service's next starts fail; the pauses between them double, so two seconds see few of them.
    [[running]] = supervisor._batches
    object.__setattr__(running.service, "prepare", fail)
    os.kill(pid_of(tmp_path, "beat"), signal.SIGKILL)
    supervisor.watch(until=lambda: flag.exists() and len(flag.read_text()) == 3)

    assert console.warnings[1:] == ["beat: no way"] * 3
    assert running.resume_at - time.monotonic() > 0.5


def test_a_service_that_does_not_start_is_an_error_with_the_end_of_its_log(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    broken = Service(python("web", "raise SystemExit('no such port')", directory=tmp_path), is_ready=lambda: False)

    with pytest.raises(LocalError, match=r"(?s)web did not start.*no such port"):
        supervisor.start(broken)


def test_a_service_that_is_not_ready_in_time_is_an_error(supervisor: Supervisor, tmp_path: Path) -> None:
    slow = Service(python("web", LONG, directory=tmp_path), is_ready=lambda: False, ready_seconds=0.2)

    with pytest.raises(LocalError, match="web did not start"):
        supervisor.start(slow)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_in_the_reverse_order(number: int, tmp_path: Path, console: RecordingConsole) -> None:
    with Supervisor(tmp_path, console) as supervisor:
        supervisor.start(service(tmp_path, "database"))
        supervisor.start(service(tmp_path, "web"), service(tmp_path, "worker"))
        os.kill(os.getpid(), number)
        with pytest.raises(Stopped):
            supervisor.watch()

    assert console.stopped == ["web", "worker", "database"]
    assert all(is_gone(pid_of(tmp_path, name)) for name in ("database", "web", "worker"))


def test_an_error_stops_everything_too(tmp_path: Path, console: RecordingConsole) -> None:
    def fail_half_way() -> None:
        with Supervisor(tmp_path, console) as supervisor:
            supervisor.start(service(tmp_path, "web"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()

    assert is_gone(pid_of(tmp_path, "web"))


def test_who_does_not_stop_is_killed(tmp_path: Path, console: RecordingConsole) -> None:
    deaf = "import signal, time, pathlib; signal.signal(15, signal.SIG_IGN); pathlib.Path('deaf').touch()\n"
    program = python("web", deaf + "time.sleep(600)", directory=tmp_path, stop_seconds=0.2)
    with Supervisor(tmp_path, console) as supervisor:
        supervisor.start(Service(program, is_ready=(tmp_path / "deaf").exists))

    assert console.warnings == ["web does not stop, killed"]
    assert is_gone(pid_of(tmp_path, "web"))


def test_signal_handlers_are_put_back(tmp_path: Path, console: RecordingConsole) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Supervisor(tmp_path, console):
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_log_that_has_grown_large_is_put_aside(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarneeb_service.local.supervisor.LOG_BYTES", 10)
    (tmp_path / "web.log").write_text("a line of an earlier start\n")

    supervisor.start(service(tmp_path, "web"))

    assert (tmp_path / "web.log.1").read_text() == "a line of an earlier start\n"
    assert (tmp_path / "web.log").read_text() == ""


# Only Linux tells a process of its parent's death.
if sys.platform == "linux":

    def test_a_program_does_not_outlive_the_process_that_launched_it(tmp_path: Path) -> None:
        code = (
            "import os, signal, sys, time; from pathlib import Path\n"
            "from tarneeb_service.local.processes import Program, launch\n"
            f"program = Program('child', [sys.executable, '-c', {LONG!r}])\n"
            f"Path({str(tmp_path / 'child.pid')!r}).write_text(str(launch(program).pid))\n"
            "time.sleep(600)"
        )
        root = Path(__file__).parents[3]
        parent = launch(Program("parent", [sys.executable, "-c", code], directory=root))
        wait_for(lambda: (tmp_path / "child.pid").exists() and (tmp_path / "child.pid").read_text() != "")
        child = pid_of(tmp_path, "child")
        assert not is_gone(child)

        parent.kill()
        parent.wait()

        wait_for(lambda: is_gone(child))


def test_a_program_ends_when_asked() -> None:
    program = Program("sleeper", [sys.executable, "-c", LONG])
    process = launch(program)
    end(process, program)
    assert process.returncode == -signal.SIGTERM
