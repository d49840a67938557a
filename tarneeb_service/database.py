"""The database as the hot path uses it: few statements, prepared, and writes held back to go out as one.

A move costs a handful of short statements. Sent one by one through an ORM's cursor, most of its time goes into the
waits between them and into planning the same SQL anew: `docs/decisions/0004-hot-path.md` has the figures.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

from django.conf import settings
from django.db import IntegrityError, InterfaceError, OperationalError, connection, transaction
from psycopg import Cursor
from psycopg.errors import UniqueViolation

P = ParamSpec("P")
R = TypeVar("R")

Rows: TypeAlias = list[tuple[Any, ...]]


class Statement(NamedTuple):
    """SQL with its parameters, in psycopg's style. `duplicate` is raised where it breaks a uniqueness."""

    sql: str
    params: tuple[object, ...]
    duplicate: Exception | None = None


def rows_of(statement: Statement) -> Rows:
    """Run a statement and return its rows, none where it returns none.

    Sent through psycopg's own cursor, which prepares what comes again and again. (Its pipeline mode would save trips to
    a server next door and costs more than they do.) Raises Django's database errors, with the driver's as their cause.
    """
    connection.ensure_connection()
    try:
        with connection.wrap_database_errors:
            cursor = _sent(connection.connection, statement)
            # `description` would build an object for each column only to be found true.
            result = cursor.pgresult
            return cursor.fetchall() if result is not None and result.nfields else []
    except IntegrityError as error:
        if statement.duplicate is not None and isinstance(error.__cause__, UniqueViolation):
            raise statement.duplicate from error
        raise


def _sent(driver: Any, statement: Statement) -> Cursor[tuple[Any, ...]]:
    return Cursor(driver).execute(statement.sql, statement.params)


def first_trip(statement: Statement) -> Rows:
    """The rows of a read with which a request begins, on a connection that may have been cut off while it lay idle.

    To ask each connection whether it still lives would cost every request a trip of its own. Instead a read that finds
    it dead is sent again on another, as often as the pool may hold dead ones. Raises Django's database errors.
    """
    for _ in range(1 + settings.DATABASE_POOL_SIZE):
        try:
            return rows_of(statement)
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or connection.connection is None or connection.is_usable():
                raise
            connection.close()
    return rows_of(statement)


def write(*statements: Statement) -> None:
    """Send these writes: at once, or together with all others at the end of `writes_together`.

    Nothing that runs before that may count on reading them, and no two may touch the same row.
    """
    held_back = _held_back()
    if held_back.collecting:
        held_back.statements.extend(statements)
    else:
        for statement in statements:
            rows_of(statement)


def in_transaction(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function in a transaction, its caller's if there is one, and send the writes it held back when it is done.

    Inside `writes_together` they wait for the end of that. An error drops them.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        held_back = _held_back()
        if held_back.collecting:
            before = len(held_back.statements)
            try:
                return function(*args, **kwargs)
            except BaseException:
                del held_back.statements[before:]
                raise
        with transaction.atomic(savepoint=False), writes_together():
            return function(*args, **kwargs)

    return run


@contextmanager
def writes_together() -> Iterator[None]:
    """Send all writes that are held back inside at the end, as one statement where that is possible."""
    held_back = _held_back()
    held_back.collecting = True
    try:
        yield
        for statement in _as_one(held_back.statements):
            rows_of(statement)
    finally:
        held_back.collecting = False
        held_back.statements.clear()


def _as_one(statements: list[Statement]) -> list[Statement]:
    """One statement that does what these do, or these where the same SQL stands twice and may touch a row twice."""
    sqls = tuple(statement.sql for statement in statements)
    if len(sqls) < 2 or len(set(sqls)) < len(sqls):
        return statements
    params = tuple(value for statement in statements for value in statement.params)
    duplicate = next((statement.duplicate for statement in statements if statement.duplicate), None)
    return [Statement(_joined(sqls), params, duplicate)]


@lru_cache(maxsize=256)
def _joined(sqls: tuple[str, ...]) -> str:
    parts = ", ".join(f"part{place} AS ({sql})" for place, sql in enumerate(sqls[:-1]))
    return f"WITH {parts} {sqls[-1]}"


class _HeldBack:
    """The writes that wait on one connection object, which one thread or greenlet has to itself."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.collecting = False


def _held_back() -> _HeldBack:
    held_back: _HeldBack | None = getattr(connection, "writes_held_back", None)
    if held_back is None:
        held_back = _HeldBack()
        connection.writes_held_back = held_back  # type: ignore[attr-defined]  # lives and dies with the connection
    return held_back
