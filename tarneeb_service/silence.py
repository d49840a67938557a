"""Connections that give up a server which says nothing: frozen, swapped out, or behind a network that drops everything.

The server's own `statement_timeout` ends what takes too long as long as the server runs. This is for when it does not.
"""

from collections.abc import Generator
from time import monotonic
from typing import Any, ClassVar, TypeVar

import psycopg

T = TypeVar("T")


class ServerSilent(psycopg.OperationalError):
    """No word from the server in time. The connection is closed; what was sent may yet be carried out."""


class ImpatientConnection(psycopg.Connection[Any]):
    """Waits for each answer `patience` seconds and no longer."""

    patience: ClassVar[float]

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """As psycopg's own. Raises `ServerSilent`."""
        try:
            return super().wait(_bounded(gen, self.patience), *args, **kwargs)
        except ServerSilent:
            # In the middle of an exchange: nothing else can be asked of it.
            self.close()
            raise


def impatient(seconds: float) -> type[ImpatientConnection]:
    """The class of connections that wait so long, for psycopg's pool."""
    return type("Impatient", (ImpatientConnection,), {"patience": seconds})


def _bounded(exchange: Generator[Any, Any, T], seconds: float) -> Generator[Any, Any, T]:
    # psycopg asks again a few times a second while nothing arrives, with a 0 for "not ready".
    deadline = monotonic() + seconds
    try:
        wanted = next(exchange)
        while True:
            ready = yield wanted
            if not ready and monotonic() > deadline:
                raise ServerSilent("the server did not answer in time")
            wanted = exchange.send(ready)
    except StopIteration as end:
        result: T = end.value
        return result
