"""What the OpenAPI document says of each operation, and the examples that it shows."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from msgspec import Struct

from matches.api import samples, schemas
from tarneeb_service.http.problems import PROBLEM_TYPE
from tarneeb_service.http.rendering import encode_json

F = TypeVar("F", bound=Callable[..., Any])

EXAMPLES = Path(__file__).with_name("examples")
"""A file for each operation that answers with JSON: `{"request", "answer"}`, as the service did answer once."""

EVENT_STREAM = "text/event-stream"

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "format": "idempotency-key"},
    OpenApiParameter.HEADER,
    description="1 to 255 visible characters. The same key with the same request gets the first answer, byte for byte, "
    "and acts once.",
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "format": "entity-tags"},
    OpenApiParameter.HEADER,
    description='Only if the match stands at this version, as in `"57"`; else 412 and nothing stored.',
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    {"type": "string", "format": "entity-tags"},
    OpenApiParameter.HEADER,
    description='304 where the match still stands at this version, as in `"57"`.',
)
PREFER = OpenApiParameter(
    "Prefer",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description="`wait=25`, with `If-None-Match`: the answer comes as soon as the version differs, or as 304 after so"
    " many seconds, 60 at most. What cannot be read counts as not sent (RFC 7240).",
)
X_PLAYER = OpenApiParameter(
    "X-Player",
    {"type": "string", "minLength": 1, "maxLength": 64, "format": "player-id"},
    OpenApiParameter.HEADER,
    description="The tenant's own id of the player that this request is for; without it, the tenant itself. UTF-8, or "
    "in ASCII as RFC 8187 writes it: `UTF-8''%D8%A3%D9%85%D9%84`.",
)
SEAT = OpenApiParameter("seat", {"type": "integer", "minimum": 0, "maximum": 3}, OpenApiParameter.PATH)


def operation(
    name: str,
    summary: str,
    *,
    answer: type[Struct] | tuple[type[Struct], ...] | str | None,
    statuses: Sequence[int] = (200,),
    body: type[Struct] | str | None = None,
    changes: bool = False,
    conditional: bool = False,
    parameters: Sequence[OpenApiParameter] = (),
    codes: Sequence[str] = (),
    not_modified: bool = False,
    created: bool = False,
    no_content: str | None = None,
    tag: str = "matches",
) -> Callable[[F], F]:
    """Describe one operation.

    `answer` is the type of its answer, several for one of them, a media type for text, or None for 204; `statuses` are
    those of its successes; `body` is a type or the name of a schema. `codes` are those of its own problems, to which
    those of every operation of its kind are added. `created`, `not_modified` and `no_content` tell of a Location, of
    304 and of when there is a 204 instead. What has another `tag` than matches is the tenant's alone, and has no
    version.
    """
    known = [*samples.EVERY, *codes]
    known += samples.WITH_BODY if body is not None else ()
    known += samples.CHANGING if changes else ()
    known += samples.CONDITIONAL if conditional else ()
    problems: dict[int, list[str]] = {}
    for code in known:
        problems.setdefault(samples.sample(code).status, []).append(code)

    responses: dict[Any, Any] = {204: OpenApiResponse(None, summary)}
    if isinstance(answer, str):
        responses = {(status, answer): OpenApiResponse({"type": "string"}, summary) for status in statuses}
    elif answer is not None:
        shapes = [schemas.ref(shape.__name__) for shape in (answer if isinstance(answer, tuple) else (answer,))]
        answered = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
        responses = {(status, "application/json"): OpenApiResponse(answered, summary) for status in statuses}
    if no_content is not None:
        responses[204] = OpenApiResponse(None, no_content)
    if not_modified:
        responses[304] = OpenApiResponse(None, "The caller has this version.")
    for status, listed in sorted(problems.items()):
        text = ", ".join(f"`{code}`" for code in listed)
        responses[(status, PROBLEM_TYPE)] = OpenApiResponse(schemas.problem_of(status, listed), text)

    of_match = tag == "matches"
    tagged = of_match and (changes or not_modified)
    headers = [
        *([X_PLAYER] if of_match else ()),
        *([IDEMPOTENCY_KEY] if changes else ()),
        *([IF_MATCH] if conditional else ()),
        *_answered_headers(statuses, changes=changes, created=created, tagged=tagged),
    ]
    return extend_schema(
        operation_id=name,
        summary=summary,
        tags=[tag],
        request=_request(body),
        responses=responses,
        parameters=[*parameters, *headers],
        examples=[
            *(_examples(name, statuses[0], answer) if answer else ()),
            *_problem_examples(known),
        ],
    )


def _request(body: type[Struct] | str | None) -> dict[str, Any] | None:
    if body is None:
        return None
    return {"application/json": schemas.ref(body if isinstance(body, str) else body.__name__)}


def _answered_headers(statuses: Sequence[int], *, changes: bool, created: bool, tagged: bool) -> list[OpenApiParameter]:
    def header(name: str, description: str, answered: Sequence[int] = statuses) -> OpenApiParameter:
        return OpenApiParameter(
            name,
            OpenApiTypes.STR,
            OpenApiParameter.HEADER,
            description=description,
            response=[str(status) for status in answered],
        )

    return [
        *([header("ETag", 'The version of the match that was answered, as in `"57"`.')] if tagged else ()),
        *([header("Location", "The address of what was made.")] if created else ()),
        *([header("Idempotency-Replayed", "`true` where this is the first answer again.")] if changes else ()),
        header("WWW-Authenticate", "The scheme: Bearer.", [401]),
        header("Retry-After", "Seconds to wait.", [429, 503]),
    ]


def _examples(name: str, status: int, answer: object) -> list[OpenApiExample]:
    shown = json.loads((EXAMPLES / f"{name}.json").read_text())
    media_type = answer if isinstance(answer, str) else None
    answered = OpenApiExample(
        name, value=shown["answer"], response_only=True, status_codes=[str(status)], media_type=media_type
    )
    examples = [answered]
    if shown["request"] is not None:
        examples.append(OpenApiExample(name, value=shown["request"], request_only=True))
    return examples


def _problem_examples(codes: Sequence[str]) -> list[OpenApiExample]:
    problems = [samples.sample(code) for code in codes]
    return [
        OpenApiExample(
            problem.code,
            value=json.loads(encode_json(problem.document())),
            response_only=True,
            status_codes=[str(problem.status)],
            media_type=PROBLEM_TYPE,
        )
        for problem in problems
    ]


def add_shapes(result: dict[str, Any], generator: object, request: object, public: bool) -> dict[str, Any]:  # noqa: ARG001, FBT001  drf-spectacular's signature
    """Put the schemas of all types into the document: a postprocessing hook of drf-spectacular."""
    known = result.setdefault("components", {}).setdefault("schemas", {})
    known.update(schemas.all_schemas())
    for item in result["paths"].values():
        for described in item.values():
            for body in described.get("requestBody", {}).get("content", {}).values():
                name = body["schema"]["$ref"].rpartition("/")[2]
                # Where no field is required the body may be left out.
                described["requestBody"]["required"] = known[name].get("required") != []
    return result
