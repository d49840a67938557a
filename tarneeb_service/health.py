"""Is the service alive, and can it work? For load balancers, container platforms and people."""

from collections.abc import Callable
from functools import cache

from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError
from psycopg_pool import PoolTimeout

from tarneeb_service.celery import app

BROKER_SECONDS = 2


class NotReady(Exception):
    """A part that the service needs is missing; the message is for whoever operates it."""


@never_cache
@require_safe
def alive(_request: HttpRequest) -> JsonResponse:
    """200 while the process answers at all."""
    return JsonResponse({"status": "alive"})


@never_cache
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """200 when every part is there, else 503 with a problem document that says in `parts` what is missing."""
    parts = {name: _state_of(check) for name, check in CHECKS.items()}
    missing = [name for name, state in parts.items() if state != "ok"]
    if not missing:
        return JsonResponse({"status": "ready", "parts": parts})
    problem = {
        "type": "about:blank",
        "title": "The service is not ready",
        "status": 503,
        "detail": f"Missing: {', '.join(missing)}.",
        "code": "unavailable",
        "parts": parts,
    }
    return JsonResponse(problem, status=503, content_type="application/problem+json", headers={"Retry-After": "1"})


def _state_of(check: Callable[[], None]) -> str:
    try:
        check()
    except NotReady as missing:
        return str(missing)
    return "ok"


def _check_database() -> None:
    try:
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute("SELECT 1")
    # What went wrong may name hosts and roles: that belongs into the log of the server, not to a caller.
    except (Error, PoolTimeout):
        raise NotReady("not reachable") from None


def _check_broker() -> None:
    with app.connection_for_write(connect_timeout=BROKER_SECONDS) as connection:
        broker_errors: tuple[type[BaseException], ...] = (OperationalError, *connection.connection_errors)
        try:
            connection.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
        except broker_errors:
            raise NotReady("not reachable") from None


def _check_migrations() -> None:
    try:
        pending = _migrated()
    except (Error, PoolTimeout):
        raise NotReady("unknown") from None
    if pending:
        # Not yet: to be looked at again by the next request.
        _migrated.cache_clear()
        raise NotReady(f"{pending} to be applied")


@cache
def _migrated() -> int:
    """The number of migrations to be applied. Reading them all takes long: once there are none, that stays so."""
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


CHECKS: dict[str, Callable[[], None]] = {
    "database": _check_database,
    "broker": _check_broker,
    "migrations": _check_migrations,
}
