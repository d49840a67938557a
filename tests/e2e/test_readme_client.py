"""The README's client of twenty lines plays a whole match, also where answers are lost on the way."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from matches.engine.state import Over
from matches.models import Match
from tarneeb_service.access.services import create_key, create_tenant
from tests.e2e.serving import ROOT, WebServer
from tests.tables import check_chain, folded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


class LossyWay:
    """A way to the server on which every so-manieth answer is lost: passed on to nobody, the connection closed."""

    def __init__(self, port: int, every: int) -> None:
        self.server = ("127.0.0.1", port)
        self.every = every
        self.answers = self.lost = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)

    @contextmanager
    def open(self) -> Iterator["LossyWay"]:
        """Open while the block runs."""
        self._thread.start()
        yield self
        self.listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self.listener.close()

    def _serve(self) -> None:
        # One client, one request at a time: a connection is done with before the next is taken.
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client, socket.create_connection(self.server) as server:
                while request := client.recv(1 << 20):
                    server.sendall(request + self._rest(client, request))
                    answer = server.recv(1 << 20)
                    answer += self._rest(server, answer)
                    self.answers += 1
                    if self.answers % self.every == 0:
                        self.lost += 1
                        break
                    client.sendall(answer)

    def _rest(self, sender: socket.socket, start: bytes) -> bytes:
        """What is still to come of a message."""
        more = b""
        while b"\r\n\r\n" not in start + more:
            more += sender.recv(1 << 20)
        headers, _, body = (start + more).partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", headers)
        missing = int(length[1]) - len(body) if length else 0
        while missing > 0:
            piece = sender.recv(missing)
            more, missing = more + piece, missing - len(piece)
        return more


def test_the_client_of_the_readme_plays_a_whole_match_though_answers_are_lost(
    web_server: WebServer, tmp_path: Path
) -> None:
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 24
    _, key = create_key(tenant=create_tenant(name="north"))
    with LossyWay(web_server.port, every=100).open() as way:
        made = {"base_url": f"http://127.0.0.1:{way.port}", "tenant": {"key": key}}
        (tmp_path / ".local").mkdir()
        (tmp_path / ".local" / "credentials.json").write_text(json.dumps(made))
        # A minute of patience after each lost answer would take long: the code is the README's but for that.
        quick = code.replace("time.sleep(1)", "time.sleep(0)")
        assert quick != code
        played = subprocess.run(
            [sys.executable, "-c", quick], cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False
        )
    assert played.returncode == 0, played.stdout + played.stderr
    [match] = Match.objects.all()
    assert match.status == "completed"
    assert f"'totals': [{match.total_0}, {match.total_1}]" in played.stdout
    assert way.lost > 3
    assert played.stdout.count("once more") == way.lost

    rows = check_chain(match.id)
    assert isinstance(folded(match.id), Over)
    assert len({row.command_id for row in rows}) == sum(row.actor_kind == "player" for row in rows) + 1
