"""Addresses for the tests only: views that show what becomes of a request before and after them."""

from collections.abc import Callable
from threading import Event
from typing import Any, ClassVar
from uuid import uuid4

import msgspec
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import connection, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import include, path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches.engine.commands import PlayerAction
from tarneeb_service.access.models import Tenant
from tarneeb_service.access.permissions import (
    Authenticated,
    ModeratorOnly,
    PlayerOnly,
    RequireScope,
    TenantOnly,
    require_role,
)
from tarneeb_service.access.principals import principal_of
from tarneeb_service.http.errors import NotFound
from tarneeb_service.http.idempotency import idempotency_of, idempotent
from tarneeb_service.http.parsing import body_as
from tarneeb_service.http.problems import Problem
from tarneeb_service.http.request_ids import request_id_of


class WhoView(APIView):
    def get(self, request: Request) -> Response:
        return Response(principal_of(request))

    post = get


class EchoView(APIView):
    permission_classes = ()

    def post(self, request: Request) -> Response:
        return Response({"data": request.data})

    def get(self, request: Request) -> Response:
        return Response({"request_id": request_id_of(request._request)})


class LargeView(EchoView):
    max_body_bytes = 1024 * 1024


class TypedView(APIView):
    permission_classes = ()
    decoder: msgspec.json.Decoder[PlayerAction] = msgspec.json.Decoder(PlayerAction)

    def post(self, request: Request) -> Response:
        return Response({"type": type(body_as(request, self.decoder)).__name__})


class RaisingView(APIView):
    """Raises what a test put here."""

    permission_classes = ()
    error: Exception = RuntimeError("nobody foresaw this")

    def get(self, _request: Request) -> Response:
        raise self.error


def refusal(status: int, code: str, *, decided: bool | None = None) -> Problem:
    return Problem(status, code, "A refusal", "The test says so.", decided=decided)


class DeedView(APIView):
    """Writes a tenant named by the body, as the deed that must not be done twice. `outcome` says how it ends."""

    inside = Event()
    go_on = Event()
    committed: ClassVar[list[str]] = []

    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        once = idempotency_of(request)
        body = dict(request.data)
        name = str(body.get("name", "deed"))
        outcome = body.get("outcome", "done")
        before: dict[str, Callable[[], HttpResponseBase]] = {
            "rules": lambda: _raise(refusal(409, "not_your_turn")),
            "not seated": lambda: _raise(refusal(403, "not_seated", decided=True)),
            "forbidden": lambda: _raise(refusal(403, "forbidden")),
            "missing": lambda: _raise(NotFound()),
            "returned 412": lambda: Response({"code": "version_mismatch"}, status=412),
            "returned 400": lambda: Response({"code": "invalid"}, status=400),
            "streams": lambda: StreamingHttpResponse([b"data"]),
            "aborted": _abort_then_refuse,
            "waits": _wait,
        }
        if outcome in before:
            return before[outcome]()
        Tenant.objects.create(name=name)
        transaction.on_commit(lambda: self.committed.append(name))
        if outcome == "breaks":
            raise RuntimeError("after the write")
        if outcome == "loses its connection":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        if outcome == "nothing to say":
            return Response(status=204)
        return Response(
            {"name": name, "key": once.key if once else None, "filling": "♠" * int(body.get("filling", 0))},
            status=201,
            headers={"ETag": '"7"', "Location": "/deeds/7"},
        )

    put = post
    delete = post


def _raise(error: Exception) -> HttpResponseBase:
    raise error


def _abort_then_refuse() -> HttpResponseBase:
    with connection.cursor() as cursor:
        try:
            cursor.execute("SELECT 1/0")
        except Exception:  # noqa: BLE001  whatever it is, the transaction is gone
            raise refusal(409, "seat_taken") from None
    raise AssertionError("PostgreSQL divided by zero")


def _wait() -> HttpResponseBase:
    Tenant.objects.create(name=f"waited {uuid4()}")
    DeedView.inside.set()
    assert DeedView.go_on.wait(30)
    return Response({"deed": "done"}, status=201)


def guarded(*permissions: Any) -> Any:
    """A view behind these permissions."""
    return type("GuardedView", (WhoView,), {"permission_classes": permissions}).as_view()  # type: ignore[attr-defined]  # made by type()


def broken(_request: HttpRequest) -> HttpResponse:
    raise RuntimeError("nobody foresaw this")


def raising(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(_request: HttpRequest) -> HttpResponse:
        raise error

    return view


def form(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.POST.get("name", ""), content_type="text/plain")


def cached(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("", headers={"Cache-Control": "max-age=60"})


urlpatterns = [
    path("who", WhoView.as_view()),
    path("echo", EchoView.as_view()),
    path("large", LargeView.as_view()),
    path("typed", TypedView.as_view()),
    path("raising", RaisingView.as_view()),
    path("deeds", DeedView.as_view()),
    path("deeds/<str:name>", DeedView.as_view()),
    path("only/anybody", guarded(Authenticated)),
    path("only/manage", guarded(RequireScope("manage"))),
    path("only/tenant", guarded(TenantOnly)),
    path("only/player", guarded(PlayerOnly)),
    path("only/moderator", guarded(ModeratorOnly)),
    path("only/senior", guarded(require_role("senior"))),
    path("django/broken", broken),
    path("django/forbidden", raising(PermissionDenied("the reason is nobody's business"))),
    path("django/missing", raising(Http404("the reason is nobody's business"))),
    path("django/suspicious", raising(SuspiciousOperation("the reason is nobody's business"))),
    path("django/bad", raising(BadRequest("the reason is nobody's business"))),
    path("django/form", form),
    path("django/cached", cached),
    path("problems/", include("tarneeb_service.http.urls")),
]

handler400 = "tarneeb_service.http.views.error_400"
handler403 = "tarneeb_service.http.views.error_403"
handler404 = "tarneeb_service.http.views.error_404"
handler500 = "tarneeb_service.http.views.error_500"
