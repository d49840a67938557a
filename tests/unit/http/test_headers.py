"""Text in headers."""

import pytest
from django.test import RequestFactory

from tarneeb_service.http.errors import Invalid
from tarneeb_service.http.headers import header_text


def sent(value: bytes, *, extended: bool = False) -> str | None:
    request = RequestFactory().get("/", headers={"X-Player": value.decode("latin-1")})
    return header_text(request, "X-Player", extended=extended)


def test_text_arrives_as_it_was_sent() -> None:
    assert header_text(RequestFactory().get("/"), "X-Player") is None
    assert sent(b"amal") == "amal"
    assert sent(b" amal ") == "amal"
    assert sent("أمل".encode()) == "أمل"
    assert sent(b"") == ""


def test_the_ascii_form_is_read_where_it_is_expected() -> None:
    assert sent(b"UTF-8''%D8%A3%D9%85%D9%84", extended=True) == "أمل"
    assert sent(b"utf-8'ar'a%20b", extended=True) == "a b"
    assert sent(b"UTF-8''%D8%A3%D9%85%D9%84") == "UTF-8''%D8%A3%D9%85%D9%84"
    assert sent(b"UTF-8''100%", extended=True) == "UTF-8''100%"


@pytest.mark.parametrize("value", [b"\xff", b"\xd8", b"a\0b", b"UTF-8''%FF", b"UTF-8''%00"])
def test_what_is_no_text_is_refused(value: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        sent(value, extended=True)
    assert refused.value.errors[0].field == "X-Player"
