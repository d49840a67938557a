"""The services that `up` consists of."""

import os
import signal
from pathlib import Path

import pytest
from celery import Celery

from tarneeb_service.local import parts
from tarneeb_service.local.directory import LocalDirectory
from tests.services import ThrowAwayServers


def test_a_broker_that_goes_away_makes_the_worker_not_ready_and_no_more(
    durable_servers: ThrowAwayServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = durable_servers
    servers.valkey.start(servers.directory / "log")
    monkeypatch.setattr(parts, "app", Celery("alone", broker=servers.valkey.broker_url, set_as_current=False))
    worker = parts.worker(LocalDirectory(tmp_path))
    assert not worker.is_ready()

    os.kill(servers.valkey.pid, signal.SIGKILL)
    assert not worker.is_ready()

    servers.valkey.start(servers.directory / "log")
    assert not worker.is_ready()
