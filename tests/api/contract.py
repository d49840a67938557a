"""The OpenAPI document as the judge of answers: each must be one that the document knows."""

import re
from functools import cache
from threading import Lock
from typing import Any

import jsonschema_rs
from drf_spectacular.generators import SchemaGenerator

_MAKING = Lock()


@cache
def document() -> dict[str, Any]:
    """The document, as /api/schema serves it."""
    # Tests ask from several threads, and the generator loads its extensions without a lock.
    with _MAKING:
        made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # drf-spectacular has no types here
    return made


@cache
def _operations() -> list[tuple[str, re.Pattern[str], dict[str, Any]]]:
    found = []
    for path, item in document()["paths"].items():
        # A key may hold slashes, other parameters may not.
        pattern = re.sub(r"\{key\}", ".+", path)
        pattern = re.sub(r"\{[a-z_]+\}", "[^/]+", pattern)
        found += [(method.upper(), re.compile(pattern), operation) for method, operation in item.items()]
    return found


def operation_at(method: str, path: str) -> dict[str, Any] | None:
    """The operation that a request asks for; the query of its path does not count."""
    place = path.partition("?")[0]
    for known, pattern, operation in _operations():
        if known == method and pattern.fullmatch(place):
            return operation
    return None


@cache
def _validator(operation_id: str, status: int, media_type: str) -> jsonschema_rs.Validator | None:
    operation = next(found for _, _, found in _operations() if found["operationId"] == operation_id)
    described = operation["responses"][str(status)].get("content", {})
    if media_type not in described:
        return None
    schema = {**described[media_type]["schema"], "components": document()["components"]}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def check(method: str, path: str, status: int, media_type: str | None, body: Any) -> None:
    """Assert that the document knows this answer: its status, its media type and its shape.

    Where nothing is, or nothing that goes by this method, there is no operation, and only a refusal will do.
    """
    operation = operation_at("GET" if method == "HEAD" else method, path)
    if operation is None:
        assert status in {400, 404, 405}, f"{method} {path}: {status} of no operation"
        return
    name = operation["operationId"]
    assert str(status) in operation["responses"], f"{name} is not documented to answer {status}: {body}"
    if media_type is None or method == "HEAD":
        return
    validator = _validator(name, status, media_type)
    assert validator is not None, f"{name} is not documented to answer {status} with {media_type}"
    error = next(iter(validator.iter_errors(body)), None)
    assert error is None, f"{name} {status}: {error.message} at {error.instance_path} of {body}"
