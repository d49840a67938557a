"""The database as the hot path uses it: few round trips, prepared statements, and writes held back to the end.

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
from psycopg.pq import TransactionStatus

P = ParamSpec("P")
R = TypeVar("R")

Rows: TypeAlias = list[tuple[Any, ...]]


class Statement(NamedTuple):
    """SQL with its parameters, in psycopg's style. `duplicate` is raised where it breaks a uniqueness."""

    sql: str
    params: tuple[object, ...]
    duplicate: Exception | None = None


def in_one_trip(*statements: Statement, commit: bool = False) -> list[Rows]:
    """Run these statements one after the other and return the rows of each.

    They go out together, with the BEGIN of a transaction that has sent nothing yet, and each still takes its own
    snapshot. With `commit` the transaction ends in the same trip. Raises Django's database errors, with the driver's as
    their cause.
    """
    connection.ensure_connection()
    driver = connection.connection
    begins = connection.in_atomic_block and driver.info.transaction_status == TransactionStatus.IDLE
    try:
        with connection.wrap_database_errors:
            if len(statements) == 1 and not commit and not begins:
                cursors = [_sent(driver, statements[0])]
            else:
                with driver.pipeline():
                    cursors = [_sent(driver, statement) for statement in statements]
                    if commit:
                        driver.commit()
            return [_rows(cursor) for cursor in cursors]
    except IntegrityError as error:
        duplicate = next((statement.duplicate for statement in statements if statement.duplicate), None)
        if duplicate is not None and isinstance(error.__cause__, UniqueViolation):
            raise duplicate from error
        raise


def _rows(cursor: Cursor[tuple[Any, ...]]) -> Rows:
    # `description` would build a column object for each column only to be found true.
    result = cursor.pgresult
    return cursor.fetchall() if result is not None and result.nfields else []


def _sent(driver: Any, statement: Statement) -> Cursor[tuple[Any, ...]]:
    return Cursor(driver).execute(statement.sql, statement.params)


# Reading


def first_trip(statement: Statement) -> Rows:
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


def read(statement: Statement) -> Rows:
    """The rows of a read inside a transaction, together with those that wait in `reading_ahead`."""
    trips = _trips()
    if statement in trips.arrived:
        return trips.arrived.pop(statement)
    ahead = [asked for asked in trips.asked if asked != statement]
    trips.asked.clear()
    rows, *others = in_one_trip(statement, *ahead)
    trips.arrived.update(zip(ahead, others, strict=True))
    return rows


@contextmanager
def reading_ahead(*statements: Statement) -> Iterator[None]:
    """Let these go out with the first `read` of what runs inside, which will `read` the same statements later.

    Only for what cannot change until then, as a stream's head cannot once the statement itself has locked the stream.
    """
    trips = _trips()
    trips.asked[:] = statements
    try:
        yield
    finally:
        trips.asked.clear()
        trips.arrived.clear()


# Writing


def write(*statements: Statement) -> None:
    """Send these writes: at once, or together with all others at the end of `writes_together`.

    Nothing that runs before that may count on reading them, and no two may touch the same row.
    """
    trips = _trips()
    if trips.collecting:
        trips.held_back.extend(statements)
    else:
        in_one_trip(*statements)


def in_transaction(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function in a transaction, its caller's if there is one, and send the writes it held back when it is done.

    Inside `writes_together` they wait for the end of that. An error drops them.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        trips = _trips()
        if trips.collecting:
            before = len(trips.held_back)
            try:
                return function(*args, **kwargs)
            except BaseException:
                del trips.held_back[before:]
                raise
        with transaction.atomic(savepoint=False), writes_together():
            return function(*args, **kwargs)

    return run


@contextmanager
def writes_together() -> Iterator[None]:
    """Send all writes that are held back inside together at the end: the last thing in the transaction around it.

    If that is the outermost, its COMMIT goes out with them; Django's own then finds nothing left to do.
    """
    trips = _trips()
    trips.collecting = True
    try:
        yield
        if trips.held_back:
            in_one_trip(*_as_one(trips.held_back), commit=len(connection.atomic_blocks) == 1)
    finally:
        trips.collecting = False
        trips.held_back.clear()


def _as_one(statements: list[Statement]) -> list[Statement]:
    """One statement that does what these do, or these where the same SQL stands twice and may touch a row twice."""
    sqls = tuple(statement.sql for statement in statements)
    if len(sqls) == 1 or len(set(sqls)) < len(sqls):
        return statements
    params = tuple(value for statement in statements for value in statement.params)
    duplicate = next((statement.duplicate for statement in statements if statement.duplicate), None)
    return [Statement(_joined(sqls), params, duplicate)]


@lru_cache(maxsize=256)
def _joined(sqls: tuple[str, ...]) -> str:
    parts = ", ".join(f"part{place} AS ({sql})" for place, sql in enumerate(sqls[:-1]))
    return f"WITH {parts} {sqls[-1]}"


class _Trips:
    """What is under way on one connection object, which one thread or greenlet has to itself."""

    def __init__(self) -> None:
        self.asked: list[Statement] = []
        self.arrived: dict[Statement, Rows] = {}
        self.held_back: list[Statement] = []
        self.collecting = False


def _trips() -> _Trips:
    trips: _Trips | None = getattr(connection, "trips", None)
    if trips is None:
        trips = _Trips()
        connection.trips = trips  # type: ignore[attr-defined]  # lives and dies with the connection
    return trips
