"""A real gunicorn on the database of the test."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import connection

from tests.e2e.serving import WebServer


def on_this_database() -> dict[str, str]:
    """The environment of a server on the database of the test."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    return {"DATABASE_URL": url, "WEB_WORKERS": "2"}


@pytest.fixture
def web_server(tmp_path: Path) -> Iterator[WebServer]:
    """gunicorn with two workers, as it serves in production."""
    server = WebServer(tmp_path / "web.log", **on_this_database())
    server.start()
    yield server
    server.stop()
