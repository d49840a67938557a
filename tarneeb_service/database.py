"""The database as the hot path uses it: several statements in one trip, prepared, and writes held back to the end.

A move costs a handful of short statements. Sent one by one through an ORM's cursor, most of its time goes into the
waits between them and into planning the same SQL anew: `docs/decisions/0004-hot-path.md` has the figures.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from django.conf import settings
from django.db import IntegrityError, InterfaceError, OperationalError, connection, transaction
from psycopg import Cursor
from psycopg.errors import UniqueViolation

P = ParamSpec("P")
R = TypeVar("R")


class Statement(NamedTuple):
    """SQL with its parameters, in psycopg's style. `duplicate` is raised where it breaks a uniqueness."""

    sql: str
    params: Sequence[object]
    duplicate: Exception | None = None


def in_one_trip(*statements: Statement) -> list[list[tuple[Any, ...]]]:
    """Run these statements one after the other and return the rows of each.

    They go out together, and each still takes its own snapshot: a statement after a lock sees what was committed while
    the lock was waited for. Raises Django's database errors, the driver's as their cause.
    """
    connection.ensure_connection()
    driver = connection.connection
    try:
        with connection.wrap_database_errors:
            if len(statements) == 1:
                cursors = [_sent(driver, statements[0])]
            else:
                with driver.pipeline():
                    cursors = [_sent(driver, statement) for statement in statements]
            return [cursor.fetchall() if cursor.description else [] for cursor in cursors]
    except IntegrityError as error:
        duplicate = next((statement.duplicate for statement in statements if statement.duplicate), None)
        if duplicate is not None and isinstance(error.__cause__, UniqueViolation):
            raise duplicate from error
        raise


def first_trip(statement: Statement) -> list[tuple[Any, ...]]:
    """The rows of a read with which a request begins, on a connection that may have been cut off while it lay idle.

    To ask each connection whether it still lives would cost every request a trip of its own. Instead a read that finds
    it dead is sent again on another, as often as the pool may hold dead ones. Raises Django's database errors.
    """
    for _ in range(1 + settings.DATABASE_POOL_SIZE):
        try:
            [rows] = in_one_trip(statement)
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or connection.connection is None or connection.is_usable():
                raise
            connection.close()
        else:
            return rows
    [rows] = in_one_trip(statement)
    return rows


def _sent(driver: Any, statement: Statement) -> Cursor[tuple[Any, ...]]:
    return Cursor(driver).execute(statement.sql, statement.params)


def write(*statements: Statement) -> None:
    """Send these writes: at once, or together with all others at the end of `writes_together`.

    Nothing that runs before that may count on reading them.
    """
    if _is_collecting():
        _held_back().extend(statements)
    else:
        in_one_trip(*statements)


def in_transaction(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function in a transaction, its caller's if there is one, and send the writes it held back when it is done.

    Inside `writes_together` they wait for the end of that. An error drops them.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if _is_collecting():
            with transaction.atomic(savepoint=False):
                return function(*args, **kwargs)
        with transaction.atomic(savepoint=False), writes_together():
            return function(*args, **kwargs)

    return run


@contextmanager
def writes_together() -> Iterator[None]:
    """Send all writes that are held back inside together at the end, before the caller's transaction commits."""
    held_back = _held_back()
    held_back.clear()
    connection.collecting_writes = True  # type: ignore[attr-defined]  # lives and dies with the connection
    try:
        yield
        if held_back:
            in_one_trip(*held_back)
    finally:
        connection.collecting_writes = False  # type: ignore[attr-defined]
        held_back.clear()


def _is_collecting() -> bool:
    return getattr(connection, "collecting_writes", False)


def _held_back() -> list[Statement]:
    held_back: list[Statement] | None = getattr(connection, "writes_held_back", None)
    if held_back is None:
        held_back = []
        connection.writes_held_back = held_back  # type: ignore[attr-defined]  # lives and dies with the connection
    return held_back
