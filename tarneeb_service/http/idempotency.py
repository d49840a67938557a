"""A retried request never acts twice and always gets the first answer.

`@idempotent` on a view's method runs it inside one transaction together with the storing of its answer:

1. an advisory lock on the hash of (tenant, acting principal, key), so that twins wait for each other;
2. a look-up in a new statement, which therefore sees what a twin committed while this one waited;
3. the view, whose own `atomic` blocks become part of this transaction (`savepoint=False` spares two round trips);
4. the rendered answer, committed with whatever the view wrote.

Kept are successes and what the rules decided (`Problem.decided`); a refusal of the rules comes before any write.
Whatever else goes wrong decided nothing: everything is rolled back and the key stays free.
"""

import functools
import hashlib
import zlib
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from datetime import timedelta
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import connection, transaction
from django.http import HttpResponse, HttpResponseBase
from msgspec import Struct
from psycopg.pq import TransactionStatus
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tarneeb_service.database import Statement, rows_of, write, writes_together
from tarneeb_service.http.errors import IdempotencyKeyReused, invalid
from tarneeb_service.http.headers import header_text
from tarneeb_service.http.problems import STATUSES_OF_DECISIONS, problem_for
from tarneeb_service.sealing import Sealer

RETENTION = timedelta(hours=48)
"""How long an answer is kept; the API promises 24 hours."""

LONGEST_KEY = 255
DEFLATE_FROM = 1024
REPLAYED = "Idempotency-Replayed"

V = TypeVar("V", bound=APIView)
P = ParamSpec("P")


class ActingPrincipal(Protocol):
    """What the caller must be able to say of itself."""

    @property
    def actor(self) -> str:
        """Tenant and acting principal as one string without NUL; the same for every credential of the same actor."""


class Idempotency(Struct, frozen=True):
    """The key of this request. `scope` is whose key it is, `id` a hash over both, `digest` the request's SHA-256."""

    key: str
    scope: str
    digest: bytes
    id: UUID


class Answer(Struct, frozen=True):
    """An answer as it was sent the first time."""

    status: int
    headers: dict[str, str]
    body: bytes

    def replayed(self) -> HttpResponse:
        """The same again, marked as such."""
        response = HttpResponse(self.body, status=self.status, headers=self.headers)
        if "Content-Type" not in self.headers:
            del response.headers["Content-Type"]
        response.headers[REPLAYED] = "true"
        return response


class AnswerTaken(Exception):
    """A twin stored its answer first. Nothing of this request was stored."""


LookUp: TypeAlias = Callable[[Idempotency, Request, dict[str, Any]], tuple[Any, ...] | None]
"""Finds the stored row (digest, status, headers, body, deflated) for a key, the request and the view's arguments."""


class _Undecided(Exception):
    """Rolls back, then answers."""

    def __init__(self, response: HttpResponseBase) -> None:
        super().__init__()
        self.response = response


class _Aborted(Exception):
    """The database gave up this transaction before the rules refused."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response


def idempotent(
    method: Callable[Concatenate[V, Request, P], HttpResponseBase], look_up: LookUp | None = None
) -> Callable[Concatenate[V, Request, P], HttpResponseBase]:
    """Honour `Idempotency-Key` on this method of a view; without the header the method runs as it is.

    With a `look_up` of the caller's, nothing is locked and no transaction is open while the method runs: what it writes
    must be held back (`database.write`) and claim what it was decided on. A twin that was faster is then found when the
    answer is stored: `AnswerTaken`, and the caller runs all of it again.

    The method finds its key with `idempotency_of(request)`. It must raise its refusals or return them before it writes,
    and must not stream. Raises `Invalid` for an unacceptable key, `IdempotencyKeyReused` for one that belongs to
    another request.
    """

    @functools.wraps(method)
    def answer_once(view: V, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        once = idempotency_of(request)
        if once is None:
            return method(view, request, *args, **kwargs)
        try:
            with nullcontext() if look_up else transaction.atomic(), writes_together():
                stored = _kept(look_up(once, request, kwargs), once) if look_up else _lock_and_look_up(once)
                if stored is not None:
                    return stored.replayed()
                response = _act(functools.partial(method, view, request, *args, **kwargs))
                _render(response, view, request)
                _store(once, response)
                return response
        except _Undecided as undecided:
            return undecided.response
        except _Aborted as aborted:
            return _store_afterwards(once, aborted.response)

    return answer_once


def idempotency_of(request: Request) -> Idempotency | None:
    """The key under which this request runs, None if it carries none. Raises `Invalid` for an unacceptable one."""
    known: Idempotency | None = request.__dict__.get("idempotency")
    if known is None:
        known = _idempotency(request)
        request.__dict__["idempotency"] = known
    return known


def answer_id(*, scope: str, key: str) -> UUID:
    """The 16 bytes that name an answer: a hash over whose key it is and the key."""
    return UUID(bytes=hashlib.sha256(f"{scope}\0{key}".encode()).digest()[:16])


def request_digest(request: Request) -> bytes:
    """SHA-256 over everything that makes a request this request: method, path, query, If-Match and the body's bytes."""
    sent = request._request  # noqa: SLF001  DRF's way to Django's
    digest = hashlib.sha256()
    parts: Iterable[str] = (
        sent.method or "",
        sent.path,
        sent.META.get("QUERY_STRING", ""),
        sent.META.get("HTTP_IF_MATCH", ""),
    )
    for part in parts:
        # A header cannot hold NUL, nor an address here: the parts cannot run into each other.
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    digest.update(sent.body)
    return digest.digest()


def _idempotency(request: Request) -> Idempotency | None:
    key = header_text(request, "Idempotency-Key")
    if key is None:
        return None
    if not (1 <= len(key) <= LONGEST_KEY and key.isprintable()):
        raise invalid("Idempotency-Key", "invalid", f"A key is 1 to {LONGEST_KEY} visible characters.")
    principal: Any = request.user
    scope = principal.actor
    return Idempotency(key, scope, request_digest(request), answer_id(scope=scope, key=key))


def _act(act: Callable[[], HttpResponseBase]) -> HttpResponse:
    try:
        response = act()
    except Exception as error:
        problem = problem_for(error)
        if problem is None or not problem.decided:
            raise
        if _is_aborted():
            raise _Aborted(problem.response()) from error
        return problem.response()
    if not isinstance(response, HttpResponse):
        raise TypeError("an answer that streams cannot be kept")
    if response.status_code >= 400 and response.status_code not in STATUSES_OF_DECISIONS:
        raise _Undecided(response)
    return response


def _is_aborted() -> bool:
    status = connection.connection.info.transaction_status
    return connection.needs_rollback or status == TransactionStatus.INERROR


def _render(response: HttpResponse, view: APIView, request: Request) -> None:
    # What `finalize_response` will do as well; the bytes are wanted before the commit.
    if isinstance(response, Response) and not response.is_rendered:
        response.accepted_renderer = request.accepted_renderer
        response.accepted_media_type = request.accepted_media_type or ""
        response.renderer_context = view.get_renderer_context()  # type: ignore[attr-defined]  # set at run time
        response.render()


_LOOK_UP = "SELECT * FROM idempotency_answer_for(%s, %s)"


def _lock_and_look_up(once: Idempotency) -> Answer | None:
    lock = int.from_bytes(once.id.bytes[:8], "big", signed=True)
    rows = rows_of(Statement(_LOOK_UP, (lock, once.id)))
    return _kept(rows[0] if rows else None, once)


def _kept(row: tuple[Any, ...] | None, once: Idempotency) -> Answer | None:
    if row is None:
        return None
    if bytes(row[0]) != once.digest:
        raise IdempotencyKeyReused
    return _answer(once.id, *row[1:])


def _answer(answer: UUID, status: int, headers: str, body: bytes, deflated: bool) -> Answer:  # noqa: FBT001  a row, in its order
    body = bytes(body)
    if body.startswith(_SEALED):
        body = _sealer().open(body.removeprefix(_SEALED), answer.bytes)
    return Answer(
        status,
        msgspec.json.decode(headers, type=dict[str, str]),
        zlib.decompress(body) if deflated else body,
    )


_SEALED = b"\0sealed\0"
"""No JSON and nothing deflated begins like this."""


def confidential(response: Response) -> Response:
    """An answer with a secret in it: what is kept of it for a retry is sealed."""
    response.confidential = True  # type: ignore[attr-defined]  # set at run time
    return response


def _sealer() -> Sealer:
    return Sealer(str(settings.SECRET_KEY), b"tarneeb/kept-answer/1")


def stored_answer(*, scope: str, key: str) -> Answer | None:
    """The answer that was given under this key, None if there was none or it is no longer kept."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT status, headers, body, deflated FROM idempotency_answer WHERE id = %s",
            [answer_id(scope=scope, key=key)],
        )
        row = cursor.fetchone()
    return None if row is None else _answer(answer_id(scope=scope, key=key), *row)


def _store(once: Idempotency, response: HttpResponse) -> None:
    body = response.content
    deflated = len(body) > DEFLATE_FROM
    headers = msgspec.json.encode(dict(response.headers.items())).decode()
    kept = zlib.compress(body, 1) if deflated else body
    if getattr(response, "confidential", False):
        kept = _SEALED + _sealer().seal(kept, once.id.bytes)
    facts = (once.id, once.digest, response.status_code, headers, kept, deflated)
    write(Statement(_STORE, facts, duplicate=AnswerTaken()))


_STORE = """
INSERT INTO idempotency_answer (id, digest, status, headers, body, deflated, created_at)
VALUES (%s, %s, %s, %s, %s, %s, now())"""


def _store_afterwards(once: Idempotency, refusal: HttpResponse) -> HttpResponse:
    # The refusal's own transaction is gone. A twin may have been let in meanwhile: then its answer was the first.
    with transaction.atomic():
        stored = _lock_and_look_up(once)
        if stored is not None:
            return stored.replayed()
        _store(once, refusal)
    return refusal


def purge_answers(*, older_than: timedelta = RETENTION, batch: int = 5000) -> int:
    """Delete answers past their time, `batch` rows a transaction; returns how many.

    For upkeep; safe to run twice at once. Raises ValueError for less than the 24 hours promised.
    """
    if older_than < timedelta(hours=24):
        raise ValueError("answers are promised for 24 hours")
    purged = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM idempotency_answer WHERE id IN (SELECT id FROM idempotency_answer"
                " WHERE created_at < now() - make_interval(secs => %s) LIMIT %s FOR UPDATE SKIP LOCKED)",
                [older_than.total_seconds(), batch],
            )
            deleted: int = cursor.rowcount
        purged += deleted
        if deleted < batch:
            return purged
