"""`/matches/{id}/actions`: act, and ask afterwards whether it was applied."""

from uuid import UUID

import msgspec
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from msgspec import Struct
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches import selectors, services
from matches.answers import ActionAnswer, MatchAnswer
from matches.api.bodies import ReasonBody, action_in, body_as
from matches.api.common import (
    PRIVATE_CACHE,
    ahead_of,
    changes_a_match,
    command_id_for,
    expected_versions,
    match_response,
    origin_of,
    viewer_of,
)
from matches.api.openapi import operation
from tarneeb_service.access.permissions import RequireScope, TenantOnly
from tarneeb_service.access.principals import principal_of
from tarneeb_service.http.conditional import version_tag
from tarneeb_service.http.errors import NotFound
from tarneeb_service.http.idempotency import Answer, stored_answer

KEY = OpenApiParameter(
    "key",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="The Idempotency-Key of the action, percent-encoded; slashes may stand as they are.",
)


class ActionsView(APIView):
    """Calls, trumps and cards."""

    @operation(
        "submit_action",
        "Call, name trump or play a card",
        body="PlayerAction",
        answer=ActionAnswer,
        statuses=[201],
        changes=True,
        conditional=True,
        codes=[
            "not_found",
            "not_seated",
            "match_not_started",
            "match_over",
            "wrong_phase",
            "not_your_turn",
            "bid_out_of_range",
            "bid_too_low",
            "already_passed",
            "must_bid",
            "double_not_allowed",
            "trump_required",
            "trump_not_allowed",
            "card_not_in_holding",
            "must_follow_suit",
            "deals_exhausted",
        ],
    )
    @changes_a_match
    def post(self, request: Request, match_id: UUID) -> Response:
        """Carry out one action of the caller's seat."""
        principal = principal_of(request)
        outcome = services.submit_action(
            match_id=match_id,
            tenant_id=principal.tenant_id,
            player=principal.player_ref,
            command=action_in(request.data),
            origin=origin_of(request),
            expected=expected_versions(request),
            ahead=ahead_of(request),
        )
        answer = selectors.action_seen(outcome=outcome, viewer=viewer_of(principal))
        return Response(answer, status=201, headers={"ETag": version_tag(answer.version), **PRIVATE_CACHE})


class ActionLookUpView(APIView):
    """What became of an action whose answer was lost."""

    @operation(
        "look_up_action",
        "What became of an action, by its Idempotency-Key",
        answer=(ActionAnswer, MatchAnswer),
        statuses=[200, 201],
        parameters=[KEY],
        codes=["not_found"],
    )
    def get(self, request: Request, match_id: UUID, key: str) -> Response | HttpResponse:
        """The first answer, with its status, while it is kept; after that 200 and what the action did, for as long as
        the match exists, but not how the match stood. Taking and leaving seats are told in the same way.

        404 where nothing was applied under this key. A refused action was not: it may be sent again under another key.
        """
        principal = principal_of(request)
        applied = selectors.command_seen(
            match_id=match_id, viewer=viewer_of(principal), command_id=command_id_for(principal, key)
        )
        if applied is None:
            raise NotFound("No action of yours was applied under this key.")
        stored = stored_answer(scope=principal.actor, key=key)
        if stored is not None and _is_told_by(stored, match_id, applied):
            return stored.replayed()
        return Response(applied, headers={"ETag": version_tag(applied.version), **PRIVATE_CACHE})


class _Told(Struct):
    """What an answer says of where it was recorded: a match its own id, an action the match it is in."""

    version: int | None = None
    id: UUID | None = None
    match: "_Told | None" = None


def _is_told_by(stored: Answer, match_id: UUID, applied: ActionAnswer) -> bool:
    """Whether the answer kept under this key is the one to what was applied here.

    Once an answer is no longer kept its key is free, and may have been used for something else since.
    """
    told = msgspec.json.decode(stored.body, type=_Told)
    return (told.match or told).id == match_id and told.version == applied.version


class AbandonView(APIView):
    """The end of a match without a winner."""

    def get_permissions(self) -> list[BasePermission]:
        """The tenant itself, with a key that may manage."""
        return [RequireScope("manage"), TenantOnly()]

    @operation(
        "abandon_match",
        "End a match without a winner",
        body=ReasonBody,
        answer=MatchAnswer,
        changes=True,
        conditional=True,
        codes=["not_found", "match_over"],
    )
    @changes_a_match
    def post(self, request: Request, match_id: UUID) -> Response:
        """Abandon the match."""
        principal = principal_of(request)
        outcome = services.abandon_match(
            match_id=match_id,
            tenant_id=principal.tenant_id,
            reason=body_as(request.data, ReasonBody).reason,
            origin=origin_of(request),
            expected=expected_versions(request),
        )
        return match_response(selectors.match_after(outcome=outcome, viewer=viewer_of(principal)))
