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
    """The schema of a problem document of this status, which has one of these codes.

    Beside the reference, not in an `allOf`: so that generated clients have one type for all problems.
    """
    return {**ref("Problem"), "properties": {"status": {"const": status}, "code": {"enum": list(codes)}}}


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
    schemas = {name: _with_plain_lists(_with_names(schema)) for name, schema in schemas.items()}
    schemas["Card"] = {"enum": list(DECK), "description": "Rank, then suit: `TS` is the ten of spades."}
    schemas["Author"] = {"enum": ["player", "clock", "moderator", "tenant", "system"], "description": "Whose doing."}
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
    for name in ("EventAnswer", "FeedEvent"):
        _split_by_type(schemas, name)


def _split_by_type(schemas: dict[str, Any], name: str) -> None:
    """One schema for each type of event in place of one for all: so that the type of `data` follows from `type`."""
    whole = schemas[name]
    mapping = {}
    for kind, (type_name, _) in SCHEMAS.items():
        properties = {
            **whole["properties"],
            "by": ref("Author"),
            "type": {"const": type_name},
            "data": ref(kind.__name__),
        }
        described = f"`{type_name}` as its viewer may see it."
        entry = f"{kind.__name__}{name.removesuffix('Answer')}"
        schemas[entry] = {**whole, "title": entry, "description": described, "properties": properties}
        mapping[type_name] = ref(entry)["$ref"]
    schemas[name] = {
        "title": whole["title"],
        "description": whole["description"],
        "oneOf": [{"$ref": reference} for reference in mapping.values()],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }


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


def _with_plain_lists(schema: Any) -> Any:
    """The schema with lists of so many items of one kind in place of tuples, which many generators do not know."""
    if isinstance(schema, dict):
        plain = {name: _with_plain_lists(value) for name, value in schema.items()}
        items = plain.get("prefixItems")
        if isinstance(items, list) and plain.get("items") is False and all(item == items[0] for item in items):
            del plain["prefixItems"]
            plain["items"] = items[0]
        return plain
    if isinstance(schema, list):
        return [_with_plain_lists(part) for part in schema]
    return schema
