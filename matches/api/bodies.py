"""The bodies that the API takes: their types, and how what does not fit is told field by field.

msgspec checks a body against its type. Where it does not fit, the body is looked at once more, one field at a time,
so that the answer can name everything that is wrong with it.
"""

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from matches.engine import VARIANTS
from matches.engine.commands import Double, NameTrump, Pass, PlaceBid, PlayCard, PlayerAction
from matches.engine.room import Visibility
from matches.engine.rules import HIGHEST_TARGET, LOWEST_TARGET, AuctionKind, DealStyle
from matches.engine.seats import Direction
from tarneeb_service.http.errors import FieldError, Invalid
from tarneeb_service.http.parsing import from_msgspec

NO_NUL = {"pattern": "^[^\\u0000]*$"}
"""For the document; the parser refuses NUL characters wherever they are."""

PlayerId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="The tenant's own id of a player: printable characters in Unicode's NFC form, no outer space.",
        extra_json_schema={"format": "player-id"},
    ),
]
Entropy = Annotated[
    str,
    Meta(min_length=1, max_length=1024, description="Any text, added to the shuffle.", extra_json_schema=NO_NUL),
]
Reason = Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=NO_NUL)]


class CreateMatchBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A match to open: variant, knobs to override, room, and the players by seat (null leaves a seat free)."""

    variant: Annotated[str, Meta(extra_json_schema={"enum": list(VARIANTS)})] = "classic"
    target: Annotated[int, Meta(ge=LOWEST_TARGET, le=HIGHEST_TARGET)] | UnsetType = UNSET
    direction: Direction | UnsetType = UNSET
    deal_style: DealStyle | UnsetType = UNSET
    no_trumps: bool | UnsetType = UNSET
    auction: AuctionKind | UnsetType = UNSET
    dealer_may_match: bool | UnsetType = UNSET
    dealer_must_bid: bool | UnsetType = UNSET
    doubling: bool | UnsetType = UNSET
    double_defenders: bool | UnsetType = UNSET
    turn_seconds: Annotated[int, Meta(ge=3, le=86400)] | None = None
    visibility: Visibility = "tenant"
    auto_rematch: bool = False
    spectator_delay_seconds: Annotated[int, Meta(ge=0, le=3600)] = 0
    players: Annotated[list[PlayerId | None], Meta(max_length=4)] = []


class TakeSeatBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Who sits down, and what they add to the shuffle. A player may leave `player` out: it can only be themselves."""

    player: PlayerId | None = None
    entropy: Entropy | None = None


class SubstituteBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Who takes over the seat."""

    player: PlayerId


class ReasonBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Why."""

    reason: Reason


ACTIONS: dict[str, type[PlayerAction]] = {
    "bid": PlaceBid,
    "pass": Pass,
    "double": Double,
    "name_trump": NameTrump,
    "play": PlayCard,
}
"""The `type` of an action and its class."""

T = TypeVar("T", bound=Struct)


def action_in(body: object) -> PlayerAction:
    """The action that a body names. Raises `Invalid`, naming every field that does not fit."""
    try:
        action: PlayerAction = msgspec.convert(body, PlayerAction)
    except msgspec.ValidationError:
        fields = _fields_of(body)
        kind = fields.pop("type", None)
        if not isinstance(kind, str) or kind not in ACTIONS:
            code = "required" if kind is None else "invalid_choice"
            raise Invalid(FieldError("type", code, f"One of: {', '.join(ACTIONS)}.")) from None
        raise Invalid(*_field_errors(fields, ACTIONS[kind])) from None
    return action


def body_as(body: object, shape: type[T]) -> T:
    """The body as its type. Raises `Invalid`, naming every field that does not fit."""
    try:
        return msgspec.convert(body, shape)
    except msgspec.ValidationError:
        raise Invalid(*_field_errors(_fields_of(body), shape)) from None


def _fields_of(body: object) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise Invalid(FieldError("", "not_an_object", "The body must be a JSON object."))
    return dict(body)


def _field_errors(body: dict[str, Any], shape: type[Struct]) -> list[FieldError]:
    fields = {field.encode_name: field for field in structs.fields(shape)}
    errors = [
        FieldError(name, "unknown_field", f"Unknown field. Known: {', '.join(fields) or 'none'}.")
        for name in body
        if name not in fields
    ]
    for name, field in fields.items():
        if name in body:
            try:
                msgspec.convert(body[name], field.type)
            except msgspec.ValidationError as mismatch:
                (found,) = from_msgspec(mismatch).errors
                errors.append(FieldError(f"{name}.{found.field}".rstrip("."), found.code, found.detail))
        elif field.required:
            errors.append(FieldError(name, "required", "This field is required."))
    return errors
