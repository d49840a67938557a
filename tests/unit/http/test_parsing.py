"""msgspec's complaints as errors of fields."""

import msgspec
import pytest
from msgspec import Struct

from matches.engine.commands import PlayerAction
from tarneeb_service.http.errors import Invalid, MalformedJson
from tarneeb_service.http.parsing import _decoded, _field_with_nul, _object


class Seat(Struct, forbid_unknown_fields=True):
    """A body inside a body."""

    player: str
    number: int = 0


class Table(Struct, forbid_unknown_fields=True):
    """A body with everything that can be nested."""

    seats: list[Seat] = []
    names: list[str | None] = []
    counts: dict[str, int] = {}
    seconds: int | msgspec.UnsetType | None = msgspec.UNSET


table = msgspec.json.Decoder(Table)
action: msgspec.json.Decoder[PlayerAction] = msgspec.json.Decoder(PlayerAction)


@pytest.mark.parametrize(
    ("decoder", "body", "field", "code"),
    [
        (table, b'{"names":["amal",5]}', "names.1", "wrong_type"),
        (table, b'{"seats":[{"player":"amal"},{}]}', "seats.1.player", "required"),
        (table, b'{"seats":[{"player":"amal","colour":1}]}', "seats.0.colour", "unknown_field"),
        (table, b'{"counts":{"a":"b"}}', "counts", "wrong_type"),
        (table, b'{"colour":1}', "colour", "unknown_field"),
        (table, b"[]", "", "wrong_type"),
        (table, b'{"seconds":1e999}', "seconds", "invalid"),
        (action, b'{"type":"bid","tricks":"8"}', "tricks", "wrong_type"),
        (action, b'{"type":"bid"}', "tricks", "required"),
        (action, b'{"type":"fold"}', "type", "invalid_choice"),
        (action, b'{"type":"play","card":"1X"}', "card", "invalid_choice"),
        (action, b"{}", "type", "required"),
        (action, b'{"type":"bid","tricks":8,"seat":2}', "seat", "unknown_field"),
    ],
)
def test_the_field_and_the_kind_of_error_are_named(
    decoder: msgspec.json.Decoder[object], body: bytes, field: str, code: str
) -> None:
    with pytest.raises(Invalid) as refused:
        _decoded(body, decoder)
    (error,) = refused.value.errors
    assert (error.field, error.code) == (field, code)
    assert "`$" not in error.detail
    assert error.detail.endswith(".")


def test_a_long_wrong_value_is_not_sent_back_whole() -> None:
    with pytest.raises(Invalid) as refused:
        _decoded(b'{"type":"%s"}' % (b"x" * 50_000), action)
    assert len(refused.value.errors[0].detail) <= 201


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"{'a':1}",
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":1} x',
        b'{"a":"\xff"}',
        b'{"\xff":1}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\\ud800"}',
        b'{"a":"\x01"}',
        b'{"a":"\x00"}',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":' * 10_000,
        b"[" * 60_000,
        b'{"a":1}'.decode().encode("utf-16"),
    ],
)
def test_what_is_no_json_in_utf_8_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        _object(body)


@pytest.mark.parametrize("body", [b"[]", b"1", b'"text"', b"null", b"true", b"[1e999]"])
def test_what_is_no_object_is_invalid(body: bytes) -> None:
    with pytest.raises(Invalid):
        _object(body)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (rb'{"a":"x\u0000y"}', "a"),
        (rb'{"a":{"b":["ok","\u0000"]}}', "a.b.1"),
        (rb'{"a\u0000":1}', ""),
        (rb'{"a":{"\u0000":1}}', "a"),
    ],
)
def test_nul_characters_are_refused_where_they_stand(body: bytes, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        _object(body)
    (error,) = refused.value.errors
    assert (error.field, error.code) == (field, "nul_character")


def test_text_that_only_shows_the_escape_is_taken() -> None:
    assert _object(rb'{"a":"\\u0000"}') == {"a": r"\u0000"}


def test_of_a_name_given_twice_the_last_counts() -> None:
    assert _object(b'{"a":1,"a":2}') == {"a": 2}


def test_a_nul_character_is_found_deeper_than_functions_call_each_other() -> None:
    """How deep the decoder goes depends on the Python that it runs in."""
    body: object = "\0"
    for _ in range(20_000):
        body = [body]
    assert _field_with_nul({"a": body}) == "a" + ".0" * 20_000
