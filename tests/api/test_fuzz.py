"""Schemathesis over the whole document: requests that fit it and requests that do not, against the WSGI application.

No answer may be a 5xx or one that the document does not know. The choices are derived from the test: a failure here is
there again.
"""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tarneeb_service.http.pagination import encode_cursor
from tarneeb_service.wsgi import application
from tests.api.callers import House, stored
from tests.api.games import Game
from tests.api.test_openapi import OPERATIONS
from tests.cast import CAST, OMAR, SALMA

pytestmark = pytest.mark.slow

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
MODES = {"fitting": GenerationMode.POSITIVE, "unfitting": GenerationMode.NEGATIVE}
UNSPOKEN = {
    ("players", "duplicate"),
    ("player", "required"),
    ("cursor", "invalid"),
    ("url", "invalid"),
    ("url", "scheme_not_allowed"),
    ("url", "port_not_allowed"),
    ("url", "credentials_not_allowed"),
    ("url", "address_not_allowed"),
}
"""What the document cannot say: no player sits twice, the tenant's own key must name one, a cursor belongs to its list,
and where webhooks may go."""

ENDLESS = {"stream_match"}
"""What answers for as long as somebody listens: `tests/live/test_streams.py` sends it what does not fit."""

VISIBLE = st.characters(categories=["L", "N", "P", "S"], codec="ascii")
schemathesis.openapi.format("player-id", st.sampled_from([*CAST, SALMA, OMAR, "x" * 64]))
schemathesis.openapi.format("idempotency-key", st.text(VISIBLE, min_size=1, max_size=255))
schemathesis.openapi.format("entity-tags", st.sampled_from(['"7"', '"1", "7"', "*", 'W/"7"', '"x"', '""']))
schemathesis.openapi.format("cursor", st.uuids().map(encode_cursor))

bounded = settings(
    max_examples=30,
    stateful_step_count=8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def loaded() -> Any:
    """The document as it is served, bound to the application."""
    return schemathesis.openapi.from_wsgi("/api/schema?format=json", application)


def whole_numbers(value: Any) -> Any:
    """The value with 41 for every 41.0, which JSON Schema takes for the same and this API does not."""
    if isinstance(value, dict):
        return {name: whole_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [whole_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in ENDLESS])
def test_every_answer_is_one_that_the_document_knows(north: House, name: str, mode: str) -> None:
    operation = loaded().find_operation_by_id(name)
    matches = [
        Game(north).id,
        north.open_match(["amal"])["id"],
        Game(north, variant="egyptian", visibility="private").id,
    ]
    anywhere = [operation.as_strategy(generation_mode=MODES[mode])]
    if name not in {"create_match", "list_matches"}:
        anywhere += [
            operation.as_strategy(generation_mode=MODES[mode], path_parameters={"match_id": match}) for match in matches
        ]

    @bounded
    @given(st.one_of(anywhere))
    def ask(case: Case[Any]) -> None:
        if mode == "fitting":
            case.body = whole_numbers(case.body)
        before = stored()
        response = case.call(headers={"Authorization": f"Bearer {north.key}"})
        case.validate_response(response, checks=CHECKS)
        if response.status_code >= 400:
            assert stored() == before
        if mode == "fitting" and response.status_code in {400, 406, 413, 415}:
            found = {(error["field"].partition(".")[0], error["code"]) for error in response.json()["errors"]}
            assert found <= UNSPOKEN

    ask()
