"""The OpenAPI document: valid, whole, and with every code that an operation can answer."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from matches.api import samples
from matches.engine.errors import RuleViolation
from tarneeb_service.http.problems import PROBLEM_TYPE, problem_table
from tarneeb_service.http.rendering import encode_json
from tests.api.contract import document

METHODS = ("get", "put", "post", "delete", "patch")

NEVER_ANSWERED = {
    "method_not_allowed": "where a method is not allowed there is no operation",
    "unknown_seat": "seats above 3 have no address",
    "invalid_deck": "decks are made here",
    "already_voided": "moderators' commands have no address yet",
    "address_too_long": "the server refuses it before any operation is found",
    "headers_too_large": "the server refuses them before any operation is found",
    "expectation_failed": "the server refuses it before any operation is found",
    "unknown_transfer_coding": "the server refuses it before any operation is found",
    "rule_violation": "the root of the tree is never raised",
}
"""Codes of the problem table that no operation answers, and why."""


def operations() -> dict[str, dict[str, Any]]:
    """Every operation by its id."""
    found: dict[str, dict[str, Any]] = {}
    for item in document()["paths"].values():
        for method in METHODS:
            if method in item:
                operation = item[method]
                assert operation["operationId"] not in found
                found[operation["operationId"]] = operation
    return found


OPERATIONS = [
    "abandon_match",
    "change_webhook",
    "create_match",
    "create_webhook",
    "delete_webhook",
    "get_match",
    "get_sheet",
    "get_webhook",
    "leave_seat",
    "list_deliveries",
    "list_events",
    "list_matches",
    "list_webhooks",
    "look_up_action",
    "read_feed",
    "redeliver",
    "replace_webhook",
    "rotate_webhook_secret",
    "stream_match",
    "submit_action",
    "substitute_player",
    "take_seat",
]


def problems_of(operation: dict[str, Any]) -> dict[int, list[str]]:
    """The codes that an operation documents, by status."""
    found = {}
    for status, response in operation["responses"].items():
        if int(status) >= 400:
            schema = response["content"][PROBLEM_TYPE]["schema"]
            narrowed = schema["properties"]
            assert narrowed["status"] == {"const": int(status)}
            found[int(status)] = narrowed["code"]["enum"]
    return found


def test_the_document_is_valid_openapi_3_1() -> None:
    assert document()["openapi"].startswith("3.1")
    schemathesis.openapi.from_dict(document()).validate()


def test_what_is_served_is_the_document() -> None:
    response = Client().get("/api/schema", headers={"Accept": "application/vnd.oai.openapi+json"})
    assert response.status_code == 200
    assert response.json() == json.loads(json.dumps(document()))


def test_every_schema_is_a_schema_and_every_reference_leads_somewhere() -> None:
    schemas = document()["components"]["schemas"]
    for name, schema in schemas.items():
        jsonschema_rs.Draft202012Validator({**schema, "components": document()["components"]})
        assert schema.get("description"), f"{name} does not say what it is"
    for reference in references(document()):
        kind, name = reference.removeprefix("#/components/").split("/")
        assert name in document()["components"][kind], reference


def references(part: Any) -> Iterator[str]:
    """Every `$ref` in a part of the document."""
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"]
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def test_no_schema_is_left_over() -> None:
    used = {reference.rpartition("/")[2] for reference in references(document())}
    assert set(document()["components"]["schemas"]) == used


def test_the_operations_are_these() -> None:
    assert sorted(operations()) == OPERATIONS


def routes(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address below a resolver."""
    for entry in resolver.url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, route)
        else:
            yield route, entry


def test_no_view_of_the_api_is_undocumented() -> None:
    documented = {(method, path) for path, item in document()["paths"].items() for method in METHODS if method in item}
    served = set()
    for route, pattern in routes(get_resolver()):
        view = getattr(pattern.callback, "cls", None)
        if route.startswith("api/v1/"):
            parts = [part.rpartition(":")[2].rstrip(">") if "<" in part else part for part in route.split("/")]
            braced = [f"{{{new}}}" if "<" in old else new for old, new in zip(route.split("/"), parts, strict=True)]
            served |= {(method, "/" + "/".join(braced)) for method in METHODS if hasattr(view, method)}
    assert served == documented


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_says_what_it_does_and_shows_it(name: str) -> None:
    operation = operations()[name]
    assert operation["summary"]
    assert operation["description"]
    assert operation["summary"] != operation["description"]
    assert operation["security"] == [{"bearer": []}]
    successes = [code for code in operation["responses"] if code.startswith("2")]
    assert successes
    if successes != ["204"]:
        [answered] = operation["responses"][successes[0]]["content"].values()
        assert answered["examples"]
    if "requestBody" in operation:
        assert operation["requestBody"]["content"]["application/json"]["examples"]
    for parameter in operation.get("parameters", ()):
        assert parameter["schema"], parameter["name"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_example_fits_its_schema(name: str) -> None:
    operation = operations()[name]
    contents = [response.get("content", {}) for response in operation["responses"].values()]
    contents.append(operation.get("requestBody", {}).get("content", {}))
    shown = 0
    for content in contents:
        for described in content.values():
            schema = {**described["schema"], "components": document()["components"]}
            validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
            for example in described.get("examples", {}).values():
                validator.validate(example["value"])
                shown += 1
    successes = [status for status in operation["responses"] if status.startswith("2") and status != "204"]
    assert shown >= len(successes[:1]) + sum(map(len, problems_of(operation).values()))


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_code_of_an_operation_has_an_example(name: str) -> None:
    operation = operations()[name]
    for status, codes in problems_of(operation).items():
        examples = operation["responses"][str(status)]["content"][PROBLEM_TYPE]["examples"]
        assert {example["value"]["code"] for example in examples.values()} == set(codes)
        for code in codes:
            problem = samples.sample(code)
            assert problem.status == status
            assert json.loads(encode_json(problem.document())) in [example["value"] for example in examples.values()]


def test_every_code_of_the_problem_table_is_documented_under_its_status() -> None:
    documented: dict[str, set[int]] = {}
    for operation in operations().values():
        for status, codes in problems_of(operation).items():
            for code in codes:
                documented.setdefault(code, set()).add(status)
    table: dict[str, set[int]] = {}
    for row in problem_table().values():
        table.setdefault(row.code, set()).add(row.status)
    assert {code for code in table if code not in documented} == set(NEVER_ANSWERED)
    assert documented == {code: statuses for code, statuses in table.items() if code not in NEVER_ANSWERED}


def test_every_broken_rule_that_an_action_can_meet_is_documented_there() -> None:
    """Whatever a class under RuleViolation is called, if no other operation is the one to answer it."""
    elsewhere = {
        "invalid_rules",
        "forbidden",
        "seat_taken",
        "seat_empty",
        "already_seated",
        "match_full",
    }
    codes = {row.code for error, row in problem_table().items() if issubclass(error, RuleViolation)}
    documented = {code for listed in problems_of(operations()["submit_action"]).values() for code in listed}
    assert codes - set(NEVER_ANSWERED) - elsewhere <= documented


def test_requests_that_change_something_take_a_key() -> None:
    for name, operation in operations().items():
        sent = {parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "header"}
        reads = ("get_", "list_", "look_up_", "read_", "stream_")
        changes = not name.startswith(reads)
        of_a_match = operation["tags"] == ["matches"]
        assert ("Idempotency-Key" in sent) == changes, name
        assert ("If-Match" in sent) == (changes and of_a_match and name != "create_match"), name
        assert ("X-Player" in sent) == of_a_match, name
