"""What the local default consists of, as services for the supervisor."""

import http.client
import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from kombu.exceptions import OperationalError

from tarneeb_service.celery import app
from tarneeb_service.local.directory import LocalDirectory
from tarneeb_service.local.postgres import PostgresServer
from tarneeb_service.local.processes import Program
from tarneeb_service.local.supervisor import Service
from tarneeb_service.local.valkey import ValkeyServer

MODULE = (sys.executable, "-m")
WEB_DRAIN_SECONDS = 3
"""How long open streams are waited for when the web server stops. They resume from where they were."""


def database(directory: LocalDirectory) -> Service:
    """The embedded PostgreSQL."""
    server = PostgresServer(directory.path / "postgres", directory.sockets)
    server.prepare()
    return Service(server.program(), server.is_ready, server.prepare)


def broker(directory: LocalDirectory) -> Service:
    """The embedded Valkey."""
    server = ValkeyServer(directory.path / "valkey", directory.sockets)
    return Service(server.program(), server.is_ready, server.prepare)


def web(directory: LocalDirectory, listener: socket.socket) -> Service:
    """The web server, on a socket that is open already."""
    host, port = listener.getsockname()
    descriptor = listener.fileno()
    options = ["-c", "python:tarneeb_service.gunicorn_conf", "--graceful-timeout", str(WEB_DRAIN_SECONDS)]
    command = [*MODULE, "gunicorn", *options, "--bind", f"fd://{descriptor}", "tarneeb_service.wsgi"]

    def answers() -> bool:
        connection = http.client.HTTPConnection(host, port, timeout=2)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return Service(_python(directory, "web", command, descriptors=(descriptor,)), answers)


def worker(directory: LocalDirectory) -> Service:
    """One Celery worker for all queues."""
    queues = ",".join(queue.name for queue in settings.CELERY_TASK_QUEUES)
    options = [
        "worker",
        "-Q",
        queues,
        "--concurrency",
        "2",
        "--without-gossip",
        "--without-mingle",
        "--loglevel",
        "INFO",
    ]

    # The transport's own too: a connection kept from before breaks when the broker is started again.
    broker_errors: tuple[type[BaseException], ...] = (OperationalError, *app.connection_for_write().connection_errors)

    def answers() -> bool:
        try:
            return bool(app.control.ping(timeout=0.5))
        except broker_errors:
            return False

    return Service(_python(directory, "worker", [*MODULE, "celery", "-A", "tarneeb_service", *options]), answers)


def beat(directory: LocalDirectory) -> Service:
    """Celery's clock."""
    options = ["beat", "--schedule", str(directory.path / "beat"), "--pidfile=", "--loglevel", "INFO"]
    return Service(_python(directory, "beat", [*MODULE, "celery", "-A", "tarneeb_service", *options]))


def demo_command(directory: LocalDirectory) -> list[str]:
    """The demo table's command line."""
    return [*MODULE, "tarneeb_service.local.demo", "--credentials", str(directory.credentials)]


def demo(directory: LocalDirectory) -> Program:
    """The demo table, to run once."""
    return _python(directory, "demo", demo_command(directory), stop_signal=signal.SIGINT, stop_seconds=3)


def _python(
    directory: LocalDirectory,
    name: str,
    command: list[str],
    *,
    stop_signal: signal.Signals = signal.SIGTERM,
    stop_seconds: float = 15,
    descriptors: tuple[int, ...] = (),
) -> Program:
    environment: Mapping[str, str] = {
        **directory.mark,
        "LOCAL_DIR": str(directory.path),
        "STATIC_ROOT": os.environ.get("STATIC_ROOT", str(directory.static)),
        "PYTHONUNBUFFERED": "1",
        # Whoever tries webhooks on one machine receives them there.
        "WEBHOOK_ALLOW_PRIVATE": os.environ.get("WEBHOOK_ALLOW_PRIVATE", "1"),
    }
    return Program(
        name,
        list[str | Path](command),
        stop_signal=stop_signal,
        stop_seconds=stop_seconds,
        environment=environment,
        directory=settings.BASE_DIR,
        descriptors=descriptors,
    )
