"""The schemas of the OpenAPI document, from the very types that decode the bodies and encode the answers."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, get_args

import msgspec
from msgspec import Struct, structs

from matches import answers
from matches.api import bodies
from matches.codec import SCHEMAS
from matches.engine import events as e
from matches.engine import views
from matches.engine.cards import DECK, TRUMPS
from matches.engine.commands import PlayerAction
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.webhooks import answers as hooks
from matches.webhooks.payloads import HookMessage

REF = "#/components/schemas/{name}"

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
EVENTS: tuple[type[Struct], ...] = get_args(e.Event)
SENT_WHOLE: tuple[type[Struct], ...] = (views.HandView, answers.ReceiptAnswer, Rules, Room, *EVENTS)
"""Types whose defaults are for the code only: every field of them is sent."""

PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "A problem document (RFC 9457), with the fields that explain the code.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference", "description": "An address that tells of the code."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "For people; it may change."},
        "code": {"type": "string", "description": "For programs; it stays."},
        "errors": {
            "type": "array",
            "description": "With the code `invalid`: each field, header or parameter that cannot be accepted.",
            "items": {
                "type": "object",
                "required": ["field", "code", "detail"],
                "properties": {
                    "field": {"type": "string", "description": "A dotted path as in `players.2`; empty: the body."},
                    "code": {"type": "string"},
                    "detail": {"type": "string"},
                },
            },
        },
        "current_version": {"type": "integer", "description": "With `version_mismatch`: where the match stands."},
    },
}


def ref(name: str) -> dict[str, str]:
    """A reference to the schema of this name."""
    return {"$ref": REF.format(name=name)}


def problem_of(status: int, codes: Iterable[str]) -> dict[str, Any]:
    """The schema of a problem document of this status, which has one of these codes."""
    narrowed = {"status": {"const": status}, "code": {"enum": list(codes)}}
    return {"allOf": [ref("Problem"), {"type": "object", "properties": narrowed}]}


def all_schemas() -> dict[str, Any]:
    """Every schema of the document by its name."""
    anything = {"description": "Any value."}
    (action, *_), schemas = msgspec.json.schema_components(
        [PlayerAction, *SHAPES, *EVENTS], ref_template=REF, schema_hook=lambda _: anything
    )
    schemas["PlayerAction"] = action | {"description": "What a seated player can do on their turn."}
    schemas["Problem"] = PROBLEM
    for shape in SENT_WHOLE:
        _send_whole(schemas[shape.__name__])
    for shape in _structs_in(SHAPES):
        _mark_times(schemas[shape.__name__], shape)
    _describe_events(schemas)
    schemas = {name: _with_names(schema) for name, schema in schemas.items()}
    schemas["Card"] = {"enum": list(DECK), "description": "Rank, then suit: `TS` is the ten of spades."}
    schemas["Trump"] = {"enum": list(TRUMPS), "description": "A suit, or no trumps."}
    return schemas


def _send_whole(schema: dict[str, Any]) -> None:
    schema["required"] = list(schema["properties"])
    for field in schema["properties"].values():
        field.pop("default", None)


def _structs_in(shapes: Iterable[type[Struct]]) -> Iterator[type[Struct]]:
    """These types and every struct that they are made of."""
    waiting, met = list(shapes), set[type[Struct]]()
    while waiting:
        shape = waiting.pop()
        if shape in met:
            continue
        met.add(shape)
        yield shape
        for field in structs.fields(shape):
            waiting += [part for part in _parts_of(field.type) if isinstance(part, type) and issubclass(part, Struct)]


def _parts_of(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from _parts_of(part)


def _mark_times(schema: dict[str, Any], shape: type[Struct]) -> None:
    for field in structs.fields(shape):
        if datetime in _parts_of(field.type):
            described = schema["properties"][field.encode_name]
            for option in described.get("anyOf", [described]):
                if option["type"] == "string":
                    option["format"] = "date-time"


def _describe_events(schemas: dict[str, Any]) -> None:
    """What an event holds, by its type, where its viewer may see it."""
    dealt = schemas["HandDealt"]["properties"]
    cards = {"type": "array", "items": ref("Card")}
    schemas["HandDealt"] = {
        "type": "object",
        "description": "`holding` is the viewer's own; `holdings` and `salt` are there once a moderator may see them.",
        "required": ["hand", "deal", "dealer"],
        "properties": {
            **{name: dealt[name] for name in ("hand", "deal", "dealer")},
            "holding": cards,
            "holdings": {"type": "array", "items": cards, "minItems": 4, "maxItems": 4},
            "salt": {"type": "string"},
        },
        "additionalProperties": False,
    }
    for kind, (name, _) in SCHEMAS.items():
        schemas[kind.__name__].setdefault("description", f"What `{name}` holds.")
    for event in (schemas["EventAnswer"], schemas["FeedEvent"]):
        event["properties"] |= {
            "by": {"enum": ["player", "clock", "moderator", "tenant", "system"]},
            "type": {"enum": [name for name, _ in SCHEMAS.values()]},
            "data": {"type": "object", "description": "By the event's `type`, as the viewer may see it."},
        }
        event["oneOf"] = [
            {"properties": {"type": {"const": name}, "data": ref(kind.__name__)}} for kind, (name, _) in SCHEMAS.items()
        ]


def _with_names(schema: Any) -> Any:
    """The schema with references in place of the long lists of cards and trumps."""
    if isinstance(schema, dict):
        named = {52: "Card", 5: "Trump"}.get(len(schema.get("enum", ())))
        if named is not None and set(schema["enum"]) in (set(DECK), set(TRUMPS)):
            return {**ref(named), **{name: value for name, value in schema.items() if name != "enum"}}
        return {name: _with_names(value) for name, value in schema.items()}
    if isinstance(schema, list):
        return [_with_names(part) for part in schema]
    return schema
