"""`/matches/{id}/seats/{seat}`: sit down, get up, be replaced."""

from uuid import UUID

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches import selectors, services
from matches.answers import MatchAnswer
from matches.api.bodies import SubstituteBody, TakeSeatBody, body_as
from matches.api.common import (
    changes_a_match,
    expected_versions,
    match_response,
    origin_of,
    player_meant,
    player_named,
    viewer_of,
)
from matches.api.openapi import SEAT, operation
from tarneeb_service.access.permissions import RequireScope, TenantOnly
from tarneeb_service.access.principals import principal_of
from tarneeb_service.http.errors import NotFound


class SeatView(APIView):
    """One seat of a match that has not started."""

    @operation(
        "take_seat",
        "Take a seat; the fourth starts the match",
        body=TakeSeatBody,
        answer=MatchAnswer,
        changes=True,
        conditional=True,
        parameters=[SEAT],
        codes=["not_found", "seat_taken", "already_seated", "match_full", "match_over"],
    )
    @changes_a_match
    def put(self, request: Request, match_id: UUID, seat: int) -> Response:
        """Take the seat; the fourth starts the match."""
        principal = principal_of(request)
        body = body_as(request.data, TakeSeatBody)
        with player_meant(principal, player_named(principal, body.player)) as player:
            outcome = services.take_seat(
                match_id=match_id,
                tenant_id=principal.tenant_id,
                seat=_seat(seat),
                player=player,
                entropy=body.entropy,
                by_tenant=principal.kind == "tenant",
                origin=origin_of(request),
                expected=expected_versions(request),
            )
        return match_response(selectors.match_after(outcome=outcome, viewer=viewer_of(principal)))

    @operation(
        "leave_seat",
        "Leave a seat before the start",
        answer=MatchAnswer,
        changes=True,
        conditional=True,
        parameters=[SEAT],
        codes=["not_found", "not_seated", "seat_empty", "wrong_phase", "match_over"],
    )
    @changes_a_match
    def delete(self, request: Request, match_id: UUID, seat: int) -> Response:
        """Leave the seat, or free it for the tenant."""
        principal = principal_of(request)
        outcome = services.leave_seat(
            match_id=match_id,
            tenant_id=principal.tenant_id,
            seat=_seat(seat),
            player=principal.player_ref,
            origin=origin_of(request),
            expected=expected_versions(request),
        )
        return match_response(selectors.match_after(outcome=outcome, viewer=viewer_of(principal)))


class SubstituteView(APIView):
    """Somebody else in a seat of a match being played."""

    def get_permissions(self) -> list[BasePermission]:
        """The tenant itself, with a key that may manage."""
        return [RequireScope("manage"), TenantOnly()]

    @operation(
        "substitute_player",
        "Put another player into a seat while the match is played",
        body=SubstituteBody,
        answer=MatchAnswer,
        changes=True,
        conditional=True,
        parameters=[SEAT],
        codes=["not_found", "match_not_started", "match_over", "already_seated"],
    )
    @changes_a_match
    def put(self, request: Request, match_id: UUID, seat: int) -> Response:
        """Put the player into the seat."""
        principal = principal_of(request)
        with player_meant(principal, body_as(request.data, SubstituteBody).player) as player:
            outcome = services.substitute_player(
                match_id=match_id,
                tenant_id=principal.tenant_id,
                seat=_seat(seat),
                player=player,
                origin=origin_of(request),
                expected=expected_versions(request),
            )
        return match_response(selectors.match_after(outcome=outcome, viewer=viewer_of(principal)))


def _seat(number: int) -> int:
    if number > 3:
        raise NotFound("A match has the seats 0 to 3.")
    return number
