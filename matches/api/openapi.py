"""The OpenAPI document of matches, from the very types that decode the bodies and encode the answers."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from msgspec import Struct

from matches import answers
from matches.api import bodies
from matches.engine.commands import PlayerAction
from matches.webhooks import answers as hooks
from matches.webhooks.payloads import HookMessage

F = TypeVar("F", bound=Callable[..., Any])

SHAPES: tuple[type[Struct], ...] = (
    bodies.CreateMatchBody,
    bodies.TakeSeatBody,
    bodies.SubstituteBody,
    bodies.ReasonBody,
    answers.MatchAnswer,
    answers.MatchPage,
    answers.ActionAnswer,
    answers.EventsAnswer,
    answers.SheetAnswer,
    answers.FeedPage,
    hooks.WebhookBody,
    hooks.WebhookPatch,
    hooks.WebhookAnswer,
    hooks.WebhookList,
    hooks.NewWebhookAnswer,
    hooks.SecretAnswer,
    hooks.DeliveryAnswer,
    hooks.DeliveryPage,
    HookMessage,
)
_REF = "#/components/schemas/{name}"

PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "A problem document (RFC 9457), with the fields that explain the code.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "code", "detail"],
                "properties": {
                    "field": {"type": "string"},
                    "code": {"type": "string"},
                    "detail": {"type": "string"},
                },
            },
        },
        "current_version": {"type": "integer"},
    },
}

ALWAYS: dict[int, str] = {
    400: "`malformed_json`, `invalid` (with `errors`)",
    401: "`not_authenticated`, `key_revoked`, `token_expired`",
    403: "`forbidden`",
    404: "`not_found`",
    503: "`unavailable` (`Retry-After`): nothing was stored",
}
CHANGES: dict[int, str] = {
    409: "`wrong_phase`, `match_over`",
    412: "`version_mismatch` (`current_version`)",
    413: "`body_too_large`",
    415: "`unsupported_media_type`",
    422: "`idempotency_key_reused`",
}

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255},
    OpenApiParameter.HEADER,
    description="The same key with the same request gets the first answer, byte for byte, and acts once.",
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='Only if the match stands at this version, as in `"57"`; else 412 and nothing stored.',
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='304 where the match still stands at this version, as in `"57"`.',
)
X_PLAYER = OpenApiParameter(
    "X-Player",
    {"type": "string", "minLength": 1, "maxLength": 64},
    OpenApiParameter.HEADER,
    description="The tenant's own id of the player that this request is for; without it, the tenant itself.",
)


def operation(
    name: str,
    summary: str,
    *,
    answer: type[Struct] | None,
    status: int = 200,
    body: type[Struct] | None = None,
    action: bool = False,
    changes: bool = False,
    conditional: bool = False,
    parameters: Sequence[OpenApiParameter] = (),
    errors: dict[int, str] | None = None,
    empty: dict[int, str] | None = None,
    example: dict[str, Any] | None = None,
    answer_example: dict[str, Any] | None = None,
    tag: str = "matches",
) -> Callable[[F], F]:
    """Describe one operation. `errors` adds codes to those that every operation of its kind can answer with.

    What has another `tag` than matches is the tenant's alone, and no rule of the game refuses it.
    """
    known = dict(ALWAYS) | (CHANGES if changes else {})
    if tag != "matches":
        known = {code: text for code, text in known.items() if code not in {409, 412}}
    for code, text in (errors or {}).items():
        known[code] = f"{known[code]}, {text}" if code in known else text
    examples = []
    if example is not None:
        examples.append(OpenApiExample(name, value=example, request_only=True))
    if answer_example is not None:
        examples.append(OpenApiExample(name, value=answer_example, response_only=True, status_codes=[str(status)]))
    responses: dict[Any, Any] = {}
    if answer is not None:
        responses[(status, "application/json")] = OpenApiResponse(ref(answer), summary)
    for code, text in (empty or {}).items():
        responses[code] = OpenApiResponse(None, text)
    for code, text in sorted(known.items()):
        responses[(code, "application/problem+json")] = OpenApiResponse({"$ref": _REF.format(name="Problem")}, text)
    headers = [
        *([X_PLAYER] if tag == "matches" else []),
        *([IDEMPOTENCY_KEY] if changes else []),
        *([IF_MATCH] if conditional else []),
    ]
    request: dict[str, Any] | None = None
    if action:
        request = {"application/json": {"$ref": _REF.format(name="PlayerAction")}}
    elif body is not None:
        request = {"application/json": ref(body)}
    return extend_schema(
        operation_id=name,
        summary=summary,
        tags=[tag],
        request=request,
        responses=responses,
        parameters=[*parameters, *headers],
        examples=examples,
    )


def ref(shape: type[Struct]) -> dict[str, str]:
    """A reference to the schema of a type."""
    return {"$ref": _REF.format(name=shape.__name__)}


def add_shapes(result: dict[str, Any], generator: object, request: object, public: bool) -> dict[str, Any]:  # noqa: ARG001, FBT001  drf-spectacular's signature
    """Put the schemas of all types into the document: a postprocessing hook of drf-spectacular."""
    schemas, components = msgspec.json.schema_components([*SHAPES, PlayerAction], ref_template=_REF)
    target = result.setdefault("components", {}).setdefault("schemas", {})
    target.update(components)
    target["PlayerAction"] = schemas[-1]
    target["Problem"] = PROBLEM
    return result
