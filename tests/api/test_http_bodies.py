"""Bodies and addresses: what is taken, what is refused, and where the limit is."""

import io
import json
from typing import Any

import pytest
from django.test import Client

from tarneeb_service.http.parsing import MAX_BODY_BYTES
from tests.unit.http.urlconf import LargeView

pytestmark = pytest.mark.urls("tests.unit.http.urlconf")

JSON = "application/json"


def post(path: str, body: bytes, content_type: str = JSON, **extra: Any) -> tuple[int, dict[str, Any]]:
    answer = Client().generic("POST", path, body, content_type=content_type, **extra)
    document: dict[str, Any] = json.loads(answer.content)
    return answer.status_code, document


def of_size(size: int) -> bytes:
    return b'{"a":"' + b"x" * (size - 8) + b'"}'


def test_json_arrives() -> None:
    body = {"text": "طرنيب ♠", "number": 10**30, "list": [None, True, 1.5]}
    status, document = post("/echo", json.dumps(body, ensure_ascii=False).encode())
    assert (status, document["data"]) == (200, body)


def test_no_body_is_an_empty_object() -> None:
    assert post("/echo", b"") == (200, {"data": {}})
    status, document = post("/typed", b"")
    assert (status, document["errors"][0]["field"], document["errors"][0]["code"]) == (400, "type", "required")


@pytest.mark.parametrize("path", ["/echo", "/typed"])
@pytest.mark.parametrize("body", [b"{", b'{"a":NaN}', b'{"a":"\xff"}', b"[" * 60_000, b'{"type":"pass"} x'])
def test_what_is_no_json_is_malformed(path: str, body: bytes) -> None:
    status, document = post(path, body)
    assert (status, document["code"]) == (400, "malformed_json")


@pytest.mark.parametrize("path", ["/echo", "/typed"])
@pytest.mark.parametrize("body", [b"[]", b"7", b'"text"', b"null"])
def test_what_is_no_object_is_invalid(path: str, body: bytes) -> None:
    status, document = post(path, body)
    assert (status, document["code"], document["errors"][0]["field"]) == (400, "invalid", "")


@pytest.mark.parametrize("path", ["/echo", "/typed"])
@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/jsonp",
        "garbage",
        "",
    ],
)
def test_other_types_are_unsupported(path: str, content_type: str) -> None:
    status, document = post(path, b'{"type":"pass"}', content_type)
    assert (status, document["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("content_type", [JSON, "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])
def test_json_may_name_its_charset(content_type: str) -> None:
    assert post("/typed", b'{"type":"pass"}', content_type) == (200, {"type": "Pass"})


def test_a_typed_body_names_the_field_that_does_not_fit() -> None:
    assert post("/typed", b'{"type":"play","card":"AS"}') == (200, {"type": "PlayCard"})
    status, document = post("/typed", b'{"type":"play","card":"AS","seat":2}')
    assert (status, document["errors"][0]["field"], document["errors"][0]["code"]) == (400, "seat", "unknown_field")
    status, document = post("/typed", rb'{"type":"pla\u0000","card":"AS"}')
    assert (status, document["errors"][0]["field"], document["errors"][0]["code"]) == (400, "type", "nul_character")


# The limit


@pytest.mark.parametrize("path", ["/echo", "/typed"])
def test_a_body_over_the_limit_is_refused_by_its_length_unread(path: str) -> None:
    class Unreadable(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise AssertionError("the body was read")

    for length in (str(MAX_BODY_BYTES + 1), "9" * 5000):
        extra: dict[str, Any] = {"CONTENT_LENGTH": length, "wsgi.input": Unreadable()}
        status, document = post(path, b"", **extra)
        assert (status, document["code"], document["limit"]) == (413, "body_too_large", MAX_BODY_BYTES)


def test_a_body_at_the_limit_is_taken() -> None:
    assert post("/echo", of_size(MAX_BODY_BYTES))[0] == 200
    assert post("/echo", of_size(MAX_BODY_BYTES + 1))[0] == 413
    assert Client().post("/django/form", {"name": "x" * MAX_BODY_BYTES}).status_code == 413


def test_a_view_may_take_more() -> None:
    assert post("/large", of_size(MAX_BODY_BYTES + 1))[0] == 200
    status, document = post("/large", of_size(LargeView.max_body_bytes + 1))
    assert (status, document["limit"]) == (413, LargeView.max_body_bytes)


class Chunks(io.BytesIO):
    """A body whose end the server marks; counts what was read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        self.taken += len(piece)
        return piece


def chunked(path: str, body: bytes, *, terminated: bool = True) -> tuple[int, dict[str, Any], Chunks]:
    chunks = Chunks(body)
    extra: dict[str, Any] = {
        "HTTP_TRANSFER_ENCODING": "chunked",
        "wsgi.input": chunks,
        "wsgi.input_terminated": terminated,
    }
    return *post(path, b"", CONTENT_TYPE=JSON, **extra), chunks


@pytest.mark.parametrize("path", ["/echo", "/typed"])
def test_a_body_in_chunks_is_read_like_any_other(path: str) -> None:
    assert chunked(path, b'{"type":"pass"}')[0] == 200
    assert chunked(path, b"{")[1]["code"] == "malformed_json"
    assert chunked("/echo", of_size(MAX_BODY_BYTES))[0] == 200


def test_a_body_in_chunks_is_read_no_further_than_the_limit() -> None:
    status, document, chunks = chunked("/echo", of_size(50 * MAX_BODY_BYTES))
    assert (status, document["code"]) == (413, "body_too_large")
    assert chunks.taken < 2 * MAX_BODY_BYTES


def test_chunks_without_an_end_need_a_length() -> None:
    status, document, chunks = chunked("/echo", b"{}", terminated=False)
    assert (status, document["code"], chunks.taken) == (411, "length_required", 0)


@pytest.mark.parametrize("error", [OSError("the connection is gone"), LookupError("a chunk of no size")])
def test_a_body_that_breaks_off_is_the_clients_fault(error: Exception) -> None:
    class Broken(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise error

    extra: dict[str, Any] = {"CONTENT_LENGTH": "10", "wsgi.input": Broken()}
    status, document = post("/echo", b"", **extra)
    assert (status, document["code"]) == (400, "bad_request")
    extra = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": Broken(), "wsgi.input_terminated": True}
    status, document = post("/echo", b"", **extra)
    assert (status, document["code"]) == (400, "bad_request")


@pytest.mark.parametrize("length", ["abc", "-5", "1.5", "٣"])
def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    status, document = post("/echo", b"", CONTENT_LENGTH=length)
    assert (status, document["code"]) == (400, "bad_request")
    assert post("/echo", b"", CONTENT_LENGTH="")[0] == 200


# Addresses


@pytest.mark.parametrize(("address", "field"), [("/deeds/a%00b", "path"), ("/echo?player=a%00b", "query")])
def test_nul_characters_in_addresses_are_refused(address: str, field: str) -> None:
    answer = Client().get(address)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
