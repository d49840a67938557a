"""Which ids a tenant may give its players."""

import pytest

from tarneeb_service.access.external_ids import check_external_id, external_id_error
from tarneeb_service.http.errors import Invalid


@pytest.mark.parametrize(
    "external_id",
    ["a", "amal", "7", "أمل", "user 42", "a/b?c=d&e#f", "x" * 64, "\u00e9", "🂡", "a'b\"c", "\\u0000", "%00"],
)
def test_printable_text_is_taken_as_it_is(external_id: str) -> None:
    assert external_id_error(external_id, "player") is None


@pytest.mark.parametrize(
    ("external_id", "code"),
    [
        ("", "blank"),
        ("x" * 65, "too_long"),
        (" amal", "unprintable"),
        ("amal ", "unprintable"),
        (" ", "unprintable"),
        ("a\nb", "unprintable"),
        ("a\tb", "unprintable"),
        ("a\0b", "unprintable"),
        ("a\x7fb", "unprintable"),
        ("a\u00a0b", "unprintable"),
        ("a\u200bb", "unprintable"),
        ("a\u202eb", "unprintable"),
        ("\ufeffa", "unprintable"),
        ("a\ud800b", "unprintable"),
        ("\ue000", "unprintable"),
        ("e\u0301", "not_normalized"),
        ("\u212b", "not_normalized"),
        (7, "wrong_type"),
        (None, "wrong_type"),
    ],
)
def test_other_ids_are_refused_with_a_code(external_id: object, code: str) -> None:
    error = external_id_error(external_id, "players.2")
    assert error is not None
    assert (error.field, error.code) == ("players.2", code)


def test_a_check_raises_on_the_field() -> None:
    check_external_id("amal", "player")
    with pytest.raises(Invalid) as refused:
        check_external_id("", "player")
    assert refused.value.errors[0].field == "player"
