"""A `manage.py up` under test: started as a person would, watched from outside."""

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 180
OF_THE_TESTS = {
    "BROKER_URL", "CACHE_URL", "DATABASE_URL", "DEAL_SECRETS_KEY", "DEMO", "LOCAL_DIR", "PORT", "SECRET_KEY",
    "STATIC_ROOT", "WEB_DATABASE_POOL_SIZE", "WEB_WORKERS",
}  # fmt: skip
SERVERS = ("postgres", "valkey-server", "redis-server")


def wait_for(condition: Callable[[], bool], complaint: Callable[[], str]) -> None:
    """Come back when it holds; fail with the complaint after a time that no working machine needs."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, complaint()
        time.sleep(0.1)


class RunningUp:
    """One LOCAL_DIR and the `up` that runs on it, or has run."""

    def __init__(self, *, owner: str | None = None) -> None:
        # Not pytest's own directory, which other users cannot enter.
        self.home = Path(tempfile.mkdtemp(prefix="tarneeb-e2e-", dir="/tmp"))
        self.local_dir = self.home / "local"
        self.local_dir.mkdir()
        self._prefix: list[str] = []
        if owner is not None:
            self.home.chmod(0o711)
            account = pwd.getpwnam(owner)
            os.chown(self.local_dir, account.pw_uid, account.pw_gid)
            self._prefix = _become(account)
        self._output = self.home / "output"
        self.http = httpx.Client(timeout=60, trust_env=False)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, **environment: str) -> "RunningUp":
        """Start it, without the demo table unless DEMO=1 is given, and come back when all is up and played."""
        already = self.output().count("Where to look")
        self.process = self.run_beside("up", **{"DEMO": "0", **environment})
        process = self.process
        wait_for(lambda: self.output().count("Where to look") > already or process.poll() is not None, self.describe)
        assert process.poll() is None, self.describe()
        return self

    def run_beside(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start another command of the project on the same directory, its output with the rest."""
        inherited = {name: value for name, value in os.environ.items() if name not in OF_THE_TESTS}
        with self._output.open("ab") as output:
            return subprocess.Popen(
                [*self._prefix, sys.executable, "manage.py", *arguments],
                cwd=ROOT,
                env={"PORT": "18000", **inherited, "LOCAL_DIR": str(self.local_dir), **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Signal it and wait for its end; tells the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_SECONDS)

    def clean_up(self) -> None:
        """End whatever is left, and remove the directory."""
        self.http.close()
        for process in self.processes():
            process.kill()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home)

    def output(self) -> str:
        """All that was said so far."""
        return self._output.read_text(errors="replace") if self._output.exists() else ""

    def describe(self) -> str:
        """Output and logs, for the message of a failed test."""
        logs = [
            f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in self.local_dir.glob("log/*.log")
        ]
        return "\n".join([self.output()[-3000:], *logs])

    # Its processes

    def processes(self) -> list[psutil.Process]:
        """Everything that belongs to this directory, found without asking `up`."""
        found = []
        for process in psutil.process_iter(["environ", "cwd", "name", "status"]):
            marked = (process.info["environ"] or {}).get("TARNEEB_UP") == str(self.local_dir)
            serves = process.info["name"] in SERVERS and (process.info["cwd"] or "").startswith(str(self.local_dir))
            if (marked or serves) and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process)
        return found

    def child(self, word: str) -> psutil.Process:
        """The child of `up` in whose command line this word stands, waited for if it is being started again."""
        wait_for(lambda: len(self._children(word)) == 1, self.describe)
        return self._children(word)[0]

    def _children(self, word: str) -> list[psutil.Process]:
        assert self.process is not None
        found = []
        for child in psutil.Process(self.process.pid).children():
            with contextlib.suppress(psutil.NoSuchProcess):
                if word in child.cmdline()[:8] or word in child.name():
                    found.append(child)
        return found

    # Its API

    def credentials(self) -> dict[str, Any]:
        """What `credentials.json` says."""
        content: dict[str, Any] = json.loads((self.local_dir / "credentials.json").read_text())
        return content

    def request(self, method: str, path: str, *, player: str | None = None, **options: Any) -> httpx.Response:
        """One request with the tenant's key."""
        access = self.credentials()
        headers = {"Authorization": f"Bearer {access['tenant']['key']}"} | ({"X-Player": player} if player else {})
        return self.http.request(method, access["base_url"] + path, headers=headers, **options)

    def is_ready(self) -> bool:
        """Whether /readyz says so."""
        try:
            return self.request("GET", "/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def new_match(self) -> str:
        """The path of a match of four players, in its first auction."""
        body = {"players": ["amal", "basim", "carla", "dina"], "turn_seconds": None}
        answer = self.request("POST", "/api/v1/matches", json=body)
        assert answer.status_code == 201, answer.text
        return f"/api/v1/matches/{answer.json()['id']}"

    def version(self, match: str) -> int:
        """How many events the match has."""
        answer = self.request("GET", match)
        assert answer.status_code == 200, answer.text
        return int(answer.json()["version"])

    def play(self, match: str) -> int:
        """Let whose turn it is do the first thing that is legal; tells the version after it."""
        view = self.request("GET", match).json()
        player = view["seats"][view["turn"]["seat"]]["player"]
        action = self.request("GET", match, player=player).json()["you"]["legal_actions"][0]
        answer = self.request("POST", f"{match}/actions", player=player, json=action)
        assert answer.status_code == 201, answer.text
        return int(answer.json()["version"])


def _become(account: pwd.struct_passwd) -> list[str]:
    """The command that runs another as this user.

    Where the interpreter or the project lies in a place that is closed to them, they are let read it, and no more.
    """
    identity = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
    plain = ["setpriv", *identity, "--inh-caps=-all"]
    # To be run is not enough: an interpreter that cannot read its own library may find another's.
    show = [sys.executable, "-c", "import sys, django; print(sys.base_prefix)"]
    shown = subprocess.run([*plain, *show], cwd=ROOT, capture_output=True, text=True, check=False)
    if (shown.returncode, shown.stdout.strip()) == (0, sys.base_prefix):
        return plain
    return ["setpriv", *identity, "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"]


def gone(processes: Sequence[psutil.Process]) -> bool:
    """Whether none of them runs any more."""
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)
