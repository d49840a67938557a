"""`/matches` and `/matches/{id}`: open, list, look."""

from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from msgspec import UNSET
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches import lists, selectors, services
from matches.answers import MatchAnswer, MatchPage
from matches.api.bodies import CreateMatchBody, body_as
from matches.api.common import PRIVATE_CACHE, match_response, opens_a_match, origin_of, viewer_of
from matches.api.openapi import IF_NONE_MATCH, PREFER, operation
from matches.engine import VARIANTS, rules_for
from matches.engine.room import Room
from matches.engine.variants import KNOBS
from matches.live.long_poll import match_awaited
from tarneeb_service.access import selectors as access_selectors
from tarneeb_service.access import services as access
from tarneeb_service.access.external_ids import external_id_error
from tarneeb_service.access.principals import principal_of
from tarneeb_service.http.conditional import EntityTags, if_none_match, version_tag, wait_seconds
from tarneeb_service.http.errors import FieldError, Invalid, invalid
from tarneeb_service.http.pagination import decode_cursor, encode_cursor, page_limit

LIST_PARAMETERS = [
    OpenApiParameter("status", enum=lists.STATUSES),
    OpenApiParameter("player", description="The tenant's own id of a player who is seated."),
    OpenApiParameter("variant", enum=tuple(VARIANTS)),
    OpenApiParameter("created_after", OpenApiTypes.DATETIME),
    OpenApiParameter("cursor", {"type": "string", "format": "cursor"}, description="`next_cursor` of the page before."),
    OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}),
]

LONGEST_WAIT_SECONDS = 60


class MatchesView(APIView):
    """The matches of a tenant."""

    @operation(
        "create_match",
        "Open a match",
        body=CreateMatchBody,
        answer=MatchAnswer,
        statuses=[201],
        changes=True,
        created=True,
        codes=["invalid_rules"],
    )
    @opens_a_match
    def post(self, request: Request) -> Response:
        """Open a match; with four players it starts at once."""
        principal = principal_of(request)
        body = body_as(request.data, CreateMatchBody)
        if body.variant not in VARIANTS:
            raise invalid("variant", "invalid_choice", f"One of: {', '.join(VARIANTS)}.")
        knobs = {name: value for name in KNOBS if (value := getattr(body, name)) is not UNSET}
        room = Room(body.turn_seconds, body.visibility, body.auto_rematch, body.spectator_delay_seconds)
        rules = rules_for(body.variant, **knobs)
        outcome = services.create_match(
            tenant_id=principal.tenant_id,
            rules=rules,
            room=room,
            players=_references(principal.tenant_id, body.players),
            origin=origin_of(request),
        )
        match = selectors.match_after(outcome=outcome, viewer=viewer_of(principal))
        return match_response(match, status=201, headers={"Location": f"/api/v1/matches/{match.id}"})

    @operation("list_matches", "List matches, newest first", answer=MatchPage, parameters=LIST_PARAMETERS)
    def get(self, request: Request) -> Response:
        """The matches that the caller may know of, newest first."""
        principal = principal_of(request)
        limit = page_limit(request.query_params)
        wanted = _wanted(request, principal.tenant_id)
        if wanted is None:
            return Response(MatchPage([], None), headers=PRIVATE_CACHE)
        found = lists.matches_seen(viewer=viewer_of(principal), wanted=wanted, limit=limit + 1)
        page = found[:limit]
        more = encode_cursor(page[-1].id) if len(found) > limit else None
        return Response(MatchPage(page, more), headers=PRIVATE_CACHE)


class MatchDetailView(APIView):
    """One match."""

    @operation(
        "get_match",
        "The match as the caller may see it",
        answer=MatchAnswer,
        parameters=[IF_NONE_MATCH, PREFER],
        not_modified=True,
        codes=["not_found"],
    )
    def get(self, request: Request, match_id: UUID) -> Response:
        """The match as the caller may see it; 304 where they have this version, at once or after `Prefer: wait`."""
        viewer = viewer_of(principal_of(request))
        tags = if_none_match(request)
        seconds = 0 if tags is None or tags.any else wait_seconds(request, most=LONGEST_WAIT_SECONDS)
        if tags is None or not seconds:
            match, applied = selectors.match_seen(match_id=match_id, viewer=viewer), {}
        else:
            known = partial(_has, tags)
            match = match_awaited(match_id=match_id, viewer=viewer, known=known, seconds=seconds)
            applied = {"Preference-Applied": f"wait={seconds}"}
        if tags is not None and _has(tags, match.version):
            return Response(status=304, headers={"ETag": version_tag(match.version), **PRIVATE_CACHE, **applied})
        return match_response(match, headers=applied)


def _has(tags: EntityTags, version: int) -> bool:
    return tags.match_weakly(str(version))


def _references(tenant_id: UUID, players: list[str | None]) -> list[UUID | None]:
    named = [player for player in players if player is not None]
    if len(set(named)) < len(named):
        raise Invalid(
            *(
                FieldError(f"players.{place}", "duplicate", "The same player stands in two places.")
                for place, player in enumerate(players)
                if player is not None and player in players[:place]
            )
        )
    errors = [
        error
        for place, player in enumerate(players)
        if player is not None and (error := external_id_error(player, f"players.{place}")) is not None
    ]
    if errors:
        raise Invalid(*errors)
    known = access.players_for(tenant_id=tenant_id, external_ids=named)
    return [None if player is None else known[player].ref for player in players]


def _wanted(request: Request, tenant_id: UUID) -> lists.Wanted | None:
    """The filters of the query, or None where they name a player whom nobody has ever heard of."""
    query = request.query_params
    unknown = set(query) - {parameter.name for parameter in LIST_PARAMETERS}
    if unknown:
        raise Invalid(*(FieldError(name, "unknown_field", "There is no such filter.") for name in sorted(unknown)))
    status, variant = query.get("status"), query.get("variant")
    if status is not None and status not in lists.STATUSES:
        raise invalid("status", "invalid_choice", f"One of: {', '.join(lists.STATUSES)}.")
    if variant is not None and variant not in VARIANTS:
        raise invalid("variant", "invalid_choice", f"One of: {', '.join(VARIANTS)}.")
    player = None
    if "player" in query:
        player = access_selectors.known_player(tenant_id=tenant_id, external_id=query["player"])
        if player is None:
            return None
    before = decode_cursor(query["cursor"], UUID) if "cursor" in query else None
    return lists.Wanted(status, player, variant, _moment(query.get("created_after")), before)


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        # A "+" that nobody encoded arrives as a space.
        moment = datetime.fromisoformat(text.replace(" ", "+"))
        # In UTC: PostgreSQL knows fewer zones than may be written.
        utc = None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        utc = None
    if utc is None:
        raise invalid("created_after", "invalid", "A time as RFC 3339 writes it, with its zone.")
    return utc
