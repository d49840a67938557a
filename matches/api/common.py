"""What every view of matches needs: who looks, under which conditions, and where a command comes from."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from django.db import transaction
from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches.answers import MatchAnswer
from matches.refusals import ConcurrentAppend
from matches.selectors import Viewer
from matches.services import TRIES, Ahead, Origin, alone_with, look_ahead, new_origin
from tarneeb_service.access import selectors as access_selectors
from tarneeb_service.access import services as access
from tarneeb_service.access.external_ids import check_external_id
from tarneeb_service.access.principals import Principal, principal_of
from tarneeb_service.http.conditional import if_match, version_tag
from tarneeb_service.http.errors import Forbidden, invalid
from tarneeb_service.http.idempotency import AnswerTaken, Idempotency, answer_id, idempotency_of, idempotent

V = TypeVar("V", bound=APIView)
P = ParamSpec("P")

_VERSION = re.compile(r"[1-9][0-9]{0,9}")

PRIVATE_CACHE = {"Cache-Control": "private, no-cache", "Vary": "Authorization, X-Player, Accept-Language"}
"""A viewer's own copy, asked about again each time."""


def changes_a_match(
    method: Callable[Concatenate[V, Request, P], HttpResponseBase],
) -> Callable[Concatenate[V, Request, P], HttpResponseBase]:
    """A view's method that appends to a stream: honours Idempotency-Key, and runs again where another append was first.

    Nothing of it is stored then, so the same command is decided anew on the state that now stands; the last time with
    the stream to itself.
    """
    once = idempotent(method, _look_up)

    @wraps(method)
    def answer(view: V, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        for _ in range(TRIES - 1):
            try:
                return once(view, request, *args, **kwargs)
            except (ConcurrentAppend, AnswerTaken):
                continue
        with alone_with(_match_of(kwargs)):
            return once(view, request, *args, **kwargs)

    return answer


def opens_a_match(
    method: Callable[Concatenate[V, Request, P], HttpResponseBase],
) -> Callable[Concatenate[V, Request, P], HttpResponseBase]:
    """A view's method that begins a stream: honours Idempotency-Key, and runs again where its key was used meanwhile.

    Twins wait for each other. Only a request to a match with the same key does not, and is found by the second run.
    """
    once = idempotent(method)

    @wraps(method)
    def answer(view: V, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return once(view, request, *args, **kwargs)
        except (ConcurrentAppend, AnswerTaken):
            return once(view, request, *args, **kwargs)

    return answer


def _look_up(once: Idempotency, request: Request, kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    seen = look_ahead(match_id=_match_of(kwargs), tenant_id=principal_of(request).tenant_id, command_id=once.id)
    request.__dict__["match_ahead"] = seen
    return seen.answer


def ahead_of(request: Request) -> Ahead | None:
    """What the look for a kept answer has seen of the match, where there was one."""
    ahead: Ahead | None = request.__dict__.get("match_ahead")
    return ahead


def _match_of(kwargs: Mapping[str, object]) -> UUID:
    match_id = kwargs["match_id"]
    if not isinstance(match_id, UUID):
        raise TypeError("the view of a match without its id")
    return match_id


def viewer_of(principal: Principal) -> Viewer:
    """The principal as the selectors know it."""
    return Viewer(principal.tenant_id, principal.player_ref, principal.kind == "moderator")


def command_id_for(principal: Principal, key: str) -> UUID:
    """The command id behind an Idempotency-Key: the same for a retry, another for anybody else's key."""
    return answer_id(scope=principal.actor, key=key)


def origin_of(request: Request) -> Origin:
    """The command's id and request digest; a new id where the request has no Idempotency-Key."""
    once = idempotency_of(request)
    return new_origin() if once is None else Origin(once.id, once.digest)


def expected_versions(request: Request) -> frozenset[int] | None:
    """The versions that If-Match names, or None where anything will do. Tags that are no version match none."""
    tags = if_match(request)
    if tags is None or tags.any:
        return None
    return frozenset(int(tag.value) for tag in tags.tags if not tag.weak and _VERSION.fullmatch(tag.value))


def match_response(match: MatchAnswer, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A match with the ETag of its version."""
    return Response(
        match, status=status, headers={"ETag": version_tag(match.version), **PRIVATE_CACHE, **(headers or {})}
    )


def player_named(principal: Principal, external_id: str | None) -> str:
    """The player that a body names. A player can only name themselves, and may leave the name out."""
    if principal.kind != "player":
        if external_id is None:
            raise invalid("player", "required", "The body names the player: this key stands for none of its own.")
        return external_id
    if external_id not in {None, principal.external_id}:
        raise Forbidden("A player acts for nobody else.")
    return str(principal.external_id)


@contextmanager
def player_meant(principal: Principal, external_id: str) -> Iterator[UUID]:
    """The reference of one of the tenant's players, for what is done inside.

    Somebody of whom the service had never heard is as unknown as before if that is refused. Raises `Invalid`.
    """
    check_external_id(external_id)
    known = access_selectors.known_player(tenant_id=principal.tenant_id, external_id=external_id)
    if known is not None:
        yield known
        return
    with transaction.atomic():
        yield access.player_for(tenant_id=principal.tenant_id, external_id=external_id).ref
