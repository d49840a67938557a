"""What is asked of the database: Django's own statements and those that go past its cursors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tarneeb_service import database


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements sent by this thread inside, complete when the block ends."""
    sent: list[str] = []
    send = database._sent

    def noting(driver: Any, statement: database.Statement) -> Any:
        sent.append(statement.sql)
        return send(driver, statement)

    with monkeypatch.context() as patched, CaptureQueriesContext(connection) as queries:
        patched.setattr(database, "_sent", noting)
        yield sent
    sent.extend(query["sql"] for query in queries.captured_queries)
