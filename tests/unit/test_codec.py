"""Events and their stored form: canonical text, names for ever, upcasters."""

import json
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from matches import codec
from matches.engine.events import BidPlaced, Event, HandDealt, MatchAbandoned, Passed, PlayerReplaced

GOLDEN: dict[str, str] = json.loads((Path(__file__).parent / "codec_schema_1.json").read_text())
EVENT_CLASSES = get_args(Event)

ARABIC = "طرنيب بدون كبّوت \u200f٤٢"
ASTRAL = "🂡🀄𐌰𝄞"
CONTROL = "".join(map(chr, range(0x20))) + "\x7f\u0085\u2028\u2029\ufeff"
TEXTS = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from(ARABIC + ASTRAL + CONTROL + '"\\/')))
LARGEST = 2**53 - 1


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Anything that a field of this type can hold, strings with the characters that are hard to write down."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return st.builds(kind, **{field.name: values_of(field.type) for field in msgspec.structs.fields(kind)})
    origin, parts = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return st.one_of([values_of(part) for part in parts])
    if origin is Literal:
        return st.sampled_from(parts)
    if origin is tuple:
        if parts[-1] is Ellipsis:
            return st.lists(values_of(parts[0]), max_size=13).map(tuple)
        return st.tuples(*(values_of(part) for part in parts))
    return _PLAIN[kind]


_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-LARGEST, LARGEST),
    str: TEXTS,
    bool: st.booleans(),
    type(None): st.none(),
}

EVENTS = st.one_of([values_of(cls) for cls in EVENT_CLASSES])


def test_every_event_class_has_its_name() -> None:
    assert set(codec.SCHEMAS) == set(EVENT_CLASSES)
    names = [name for name, _ in codec.SCHEMAS.values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("event_class", EVENT_CLASSES, ids=lambda cls: cls.__name__)
def test_the_text_is_rfc_8785_and_reads_back(event_class: type[Event]) -> None:
    @given(values_of(event_class))
    def is_canonical(event: Event) -> None:
        name, version, text = codec.encode(event)
        assert text.encode() == rfc8785.dumps(msgspec.to_builtins(event))
        again = codec.decode(name, version, text)
        assert again == event
        assert type(again) is event_class
        assert codec.encode(again) == (name, version, text)

    is_canonical()


@pytest.mark.parametrize("reason", [ARABIC, ASTRAL, CONTROL, '"\\/', "", "a\u0308 is not \u00e4"])
def test_what_people_write_survives_to_the_character(reason: str) -> None:
    name, version, text = codec.encode(MatchAbandoned(reason))
    assert json.loads(text) == {"reason": reason}
    assert codec.decode(name, version, text) == MatchAbandoned(reason)


def test_text_stays_what_it_was_first_written_as() -> None:
    """What stands in logs since schema version 1; a line may be added here, none may change."""
    assert set(GOLDEN) == set(codec.EVENT_NAMES)
    for name, text in GOLDEN.items():
        event = codec.decode(name, 1, text)
        assert codec.name_of(event) == name
        current, version, encoded = codec.encode(event)
        assert current == name
        if version == 1:
            assert encoded == text


@pytest.mark.parametrize(
    ("name", "version"), [("card_laid", 1), ("", 1), ("card_played", 0), ("card_played", 2), ("CardPlayed", 1)]
)
def test_an_unknown_name_or_version_is_refused(name: str, version: int) -> None:
    with pytest.raises(codec.UnknownEvent):
        codec.decode(name, version, '{"card":"AS","seat":0}')


@pytest.mark.parametrize("text", ['{"card":"1S","seat":0}', '{"seat":0}', '{"card":"AS","seat":"0"}', "[]"])
def test_text_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        codec.decode("card_played", 1, text)


def test_an_old_version_is_read_through_its_upcasters(monkeypatch: pytest.MonkeyPatch) -> None:
    """`passed` as if it had been `{"who": "seat 2"}` in the beginning, then `{"seat": "2"}`, and now is version 3."""

    def from_1(body: codec.Body) -> codec.Body:
        return {"seat": body["who"].removeprefix("seat ")}

    def from_2(body: codec.Body) -> codec.Body:
        return {"seat": int(body["seat"])}

    monkeypatch.setitem(codec.SCHEMAS, Passed, ("passed", 3))
    monkeypatch.setitem(codec._classes, "passed", (3, Passed))
    monkeypatch.setitem(codec._decoders, ("passed", 3), codec._decoders.pop(("passed", 1)))
    monkeypatch.setitem(codec.UPCASTERS, ("passed", 1), from_1)
    monkeypatch.setitem(codec.UPCASTERS, ("passed", 2), from_2)

    assert codec.decode("passed", 1, '{"who":"seat 2"}') == Passed(2)
    assert codec.decode("passed", 2, '{"seat":"2"}') == Passed(2)
    assert codec.decode("passed", 3, '{"seat":2}') == Passed(2)
    assert codec.encode(Passed(2)) == ("passed", 3, '{"seat":2}')
    monkeypatch.delitem(codec.UPCASTERS, ("passed", 1))
    with pytest.raises(codec.UnknownEvent):
        codec.decode("passed", 1, '{"who":"seat 2"}')


def test_no_two_events_share_a_text_and_a_name() -> None:
    @given(EVENTS, EVENTS)
    def differ(one: Event, other: Event) -> None:
        assert (codec.encode(one) == codec.encode(other)) == (one == other and type(one) is type(other))

    differ()
    assert codec.encode(BidPlaced(0, 7)) != codec.encode(BidPlaced(0, 7, "C"))


def test_nobody_outside_the_random_reference_is_named() -> None:
    """No field of an event is meant for a person's own data: a new one has to be looked at and listed here."""
    texts = {
        (cls.__name__, field.name)
        for cls in EVENT_CLASSES
        for field in msgspec.structs.fields(cls)
        if field.type is str or str in get_args(field.type)
    }
    assert texts == {
        ("MatchCreated", "anchor"),
        ("MatchCreated", "previous_match"),
        ("SeatTaken", "player"),
        ("SeatTaken", "entropy"),
        ("SeatLeft", "player"),
        (HandDealt.__name__, "salt"),
        (PlayerReplaced.__name__, "player"),
        (PlayerReplaced.__name__, "replaced"),
        (MatchAbandoned.__name__, "reason"),
        ("MatchVoided", "reason"),
        ("ScoreAdjusted", "reason"),
    }
