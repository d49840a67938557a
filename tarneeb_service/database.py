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
    """SQL with its parameters, in psycopg's style.

    `duplicate` is raised where it breaks a uniqueness. A `claim` is no write but a SELECT that must come before the
    writes sent with it, and raises what stops them.
    """

    sql: str
    params: tuple[object, ...]
    duplicate: Exception | None = None
    claim: bool = False


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
    if _pending().collecting:
        _pending().statements.extend(statements)
    else:
        _send(list(statements))


def after_writes(hook: Callable[[], None]) -> None:
    """Call `hook` once the writes of this unit of work are committed; never if they are not."""
    if _pending().collecting:
        _pending().hooks.append(hook)
    else:
        transaction.on_commit(hook)


def all_or_nothing(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function and then send the writes it made together. Inside `writes_together` they wait for its end.

    What the function reads, it reads as it stands: a claim among its writes makes sure that it still stands so when
    they are made. An error drops the writes.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        pending = _pending()
        if not pending.collecting:
            with writes_together():
                return function(*args, **kwargs)
        before = len(pending.statements)
        hooks_before = len(pending.hooks)
        try:
            return function(*args, **kwargs)
        except BaseException:
            del pending.statements[before:]
            del pending.hooks[hooks_before:]
            raise

    return run


def is_collecting() -> bool:
    """Whether writes are held back for somebody who called."""
    return _pending().collecting


@contextmanager
def writes_together() -> Iterator[None]:
    """Send all writes that are made inside together at the end: as one statement, which is a transaction of its own.

    Within a transaction they become part of it.
    """
    pending = _pending()
    pending.collecting = True
    try:
        yield
        _send(pending.statements)
        pending.collecting = False
        for hook in pending.hooks:
            transaction.on_commit(hook)
    finally:
        pending.collecting = False
        pending.statements.clear()
        pending.hooks.clear()


def _send(statements: list[Statement]) -> None:
    sqls = tuple(statement.sql for statement in statements)
    claims = [statement for statement in statements if statement.claim]
    if len(statements) < 2:
        for statement in statements:
            rows_of(statement)
    elif len(set(sqls)) == len(sqls) and len(claims) < 2:
        rows_of(_as_one([statement for statement in statements if not statement.claim], claims))
    else:
        # The same SQL twice may mean the same row twice, which one statement cannot do.
        with transaction.atomic(savepoint=False):
            for statement in sorted(statements, key=lambda statement: not statement.claim):
                rows_of(statement)


def _as_one(writes: list[Statement], claims: list[Statement]) -> Statement:
    """One statement that does what these do. Its main query, the claim, is executed before the writes in its WITH."""
    last = claims or [Statement("SELECT", ())]
    everything = [*writes, *last]
    params = tuple(value for statement in everything for value in statement.params)
    duplicate = next((statement.duplicate for statement in everything if statement.duplicate), None)
    return Statement(_joined(tuple(statement.sql for statement in everything)), params, duplicate)


@lru_cache(maxsize=256)
def _joined(sqls: tuple[str, ...]) -> str:
    parts = ", ".join(f"part{place} AS ({sql})" for place, sql in enumerate(sqls[:-1]))
    return f"WITH {parts} {sqls[-1]}"


class _Pending:
    """What waits on one connection object, which one thread or greenlet has to itself."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.hooks: list[Callable[[], None]] = []
        self.collecting = False


def _pending() -> _Pending:
    pending: _Pending | None = getattr(connection, "pending_writes", None)
    if pending is None:
        pending = _Pending()
        connection.pending_writes = pending  # type: ignore[attr-defined]  # lives and dies with the connection
    return pending
