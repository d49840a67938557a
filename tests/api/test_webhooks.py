"""`/webhooks`: make, look, change, delete, rotate the secret; what is refused, and what is never shown."""

import re
import zlib
from base64 import b64decode
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.exceptions import InvalidTag
from django.db import connection
from pytest_django import Settings

from matches.webhooks import addresses, services, signing
from matches.webhooks.answers import WebhookAnswer
from matches.webhooks.kinds import KINDS
from matches.webhooks.refusals import NotAcceptableAddress
from tests.api.callers import NOBODY, Answer, Caller, House
from tests.api.contract import document
from tests.webhooks.hooks import later

URL = "https://backend.example/tarneeb"
BODY = {"url": URL, "events": ["turn.started", "match.completed"]}
FIELDS = set(WebhookAnswer.__struct_fields__)


def made(house: House, **body: Any) -> dict[str, Any]:
    """A new webhook, with its secret."""
    answer: dict[str, Any] = house.backend.post("webhooks", BODY | body).ok(201)
    return answer


def test_a_new_webhook_and_its_secret(north: House) -> None:
    answer = north.backend.post("webhooks", BODY)
    webhook = answer.ok(201)
    assert set(webhook) == FIELDS | {"secret"}
    assert answer.headers["Location"] == f"/api/v1/webhooks/{webhook['id']}"
    assert (webhook["url"], webhook["events"]) == (URL, BODY["events"])
    assert (webhook["enabled"], webhook["disabled"], webhook["waiting"]) == (True, None, 0)
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", webhook["secret"])
    assert made(north)["secret"] != webhook["secret"]


def test_the_secret_is_shown_once(north: House) -> None:
    webhook = made(north)
    seen = north.backend.get(f"webhooks/{webhook['id']}")
    listed = north.backend.get("webhooks")
    assert seen.ok() == {name: webhook[name] for name in FIELDS}
    assert listed.ok() == {"webhooks": [seen.json]}
    changed = north.backend.ask("PATCH", f"webhooks/{webhook['id']}", {"events": ["hand.scored"]})
    for answer in (seen, listed, changed):
        assert b"whsec_" not in answer.body
        assert b"secret" not in answer.body


def test_the_secret_is_nowhere_at_rest(north: House) -> None:
    """Nor in the answer that is kept for a retry."""
    created = north.backend.post("webhooks", BODY, key="once")
    again = north.backend.post("webhooks", BODY, key="once")
    assert (again.body, again.replayed) == (created.body, True)
    webhook = created.ok(201)
    rotated = north.backend.post(f"webhooks/{webhook['id']}/secret", key="twice")
    assert north.backend.post(f"webhooks/{webhook['id']}/secret", key="twice").body == rotated.body
    for secret in (webhook["secret"], rotated.ok(201)["secret"]):
        text = secret.removeprefix("whsec_")
        for hidden in (text.encode(), b64decode(text), text[4:30].encode()):
            assert tables_with(hidden) == []
    assert tables_with(URL.encode()) == ["webhooks_webhook"]


def tables_with(hidden: bytes) -> list[str]:
    """The tables in which these bytes stand, as text, as bytes or packed into a kept answer."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.django_table_names(only_existing=True):
            cursor.execute(f"SELECT t::text FROM {table} t")
            rows = [text for (text,) in cursor.fetchall()]
            if any(hidden.hex() in text or hidden.decode("latin-1") in text for text in rows):
                found.append(table)
        cursor.execute("SELECT body FROM idempotency_answer WHERE deflated")
        for (body,) in cursor.fetchall():
            with suppress(zlib.error):
                if hidden in zlib.decompress(bytes(body)):
                    found.append("a packed answer")
    return found


def test_a_secret_opens_for_its_webhook_alone(north: House) -> None:
    sealed = signing.seal(b"s" * 32, uuid4())
    with pytest.raises(InvalidTag):
        signing.unseal(sealed, uuid4())


def test_kinds_are_kept_once_each_and_in_one_order(north: House) -> None:
    webhook = made(north, events=[*reversed(KINDS), *KINDS])
    assert webhook["events"] == list(KINDS)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"url": "required", "events": "required"}),
        ({"url": URL}, {"events": "required"}),
        ({"url": URL, "events": []}, {"events": "out_of_range"}),
        ({"url": URL, "events": ["match.started"] * 33}, {"events": "out_of_range"}),
        ({"url": URL, "events": "match.started"}, {"events": "wrong_type"}),
        ({"url": URL, "events": ["match.started", "match.ended"]}, {"events.1": "invalid_choice"}),
        ({"url": URL, "events": [None]}, {"events.0": "wrong_type"}),
        ({"url": 7, "events": ["match.started"]}, {"url": "wrong_type"}),
        ({"url": "", "events": ["match.started"]}, {"url": "out_of_range"}),
        ({"url": "https://x/" + "y" * 2048, "events": ["match.started"]}, {"url": "out_of_range"}),
        (BODY | {"enabled": "yes"}, {"enabled": "wrong_type"}),
        (BODY | {"secret": "whsec_mine"}, {"secret": "unknown_field"}),
        (BODY | {"url": "ftp://backend.example/"}, {"url": "scheme_not_allowed"}),
        (BODY | {"url": "backend.example"}, {"url": "scheme_not_allowed"}),
        (BODY | {"url": "https://user:pw@backend.example/"}, {"url": "credentials_not_allowed"}),
        (BODY | {"url": "https://backend.example/#x"}, {"url": "invalid"}),
        (BODY | {"url": "https://"}, {"url": "invalid"}),
    ],
)
def test_bodies_that_are_refused(north: House, body: dict[str, Any], fields: dict[str, str]) -> None:
    assert north.backend.post("webhooks", body).fields() == fields
    assert north.backend.get("webhooks").ok() == {"webhooks": []}
    webhook = made(north)
    assert north.backend.put(f"webhooks/{webhook['id']}", body).fields() == fields
    if body and "required" not in fields.values():
        assert north.backend.ask("PATCH", f"webhooks/{webhook['id']}", body).fields() == fields
    assert north.backend.get(f"webhooks/{webhook['id']}").ok() == {name: webhook[name] for name in FIELDS}


@pytest.fixture
def production(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The settings of production, and a resolver that knows these names."""
    settings.WEBHOOK_ALLOW_PRIVATE = False
    names: dict[str, list[str]] = {}

    def look_up(host: str, _port: int, _seconds: float) -> list[str]:
        if host == "slow.example":
            raise NotAcceptableAddress("not_resolved", "not now")
        if host not in names:
            raise NotAcceptableAddress("unresolvable", "There is no such host.")
        return names[host]

    monkeypatch.setattr(addresses, "_looked_up", look_up)
    return names


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1/", "address_not_allowed"),
        ("http://localhost/", "address_not_allowed"),
        ("http://169.254.169.254/latest/meta-data/", "address_not_allowed"),
        ("http://[::1]/", "address_not_allowed"),
        ("http://[::ffff:10.0.0.1]/", "address_not_allowed"),
        ("http://inside.example/", "address_not_allowed"),
        ("http://nowhere.example/", "unresolvable"),
        ("http://backend.example:22/", "port_not_allowed"),
    ],
)
def test_bad_addresses_are_refused_in_production(
    north: House, production: dict[str, list[str]], url: str, code: str
) -> None:
    production.update(
        {
            "127.0.0.1": ["127.0.0.1"],
            "localhost": ["127.0.0.1", "::1"],
            "169.254.169.254": ["169.254.169.254"],
            "::1": ["::1"],
            "::ffff:10.0.0.1": ["::ffff:10.0.0.1"],
            "inside.example": ["10.1.2.3"],
            "backend.example": ["93.184.216.34"],
        }
    )
    answer = north.backend.post("webhooks", BODY | {"url": url})
    assert answer.fields() == {"url": code}
    webhook = made(north, url="https://backend.example/")
    assert north.backend.ask("PATCH", f"webhooks/{webhook['id']}", {"url": url}).fields() == {"url": code}
    assert b"10.1.2.3" not in answer.body


def test_a_resolver_that_is_slow_just_now_says_nothing_against_a_url(
    north: House, production: dict[str, list[str]]
) -> None:
    made(north, url="https://slow.example/")


# Change, delete


def test_a_webhook_is_changed_in_part_or_as_a_whole(north: House) -> None:
    webhook = made(north)
    path = f"webhooks/{webhook['id']}"
    seen = north.backend.ask("PATCH", path, {"events": ["match.started"]}).ok()
    assert (seen["url"], seen["events"]) == (URL, ["match.started"])
    assert seen["updated_at"] > seen["created_at"]
    seen = north.backend.ask("PATCH", path, {"enabled": False}).ok()
    assert (seen["enabled"], seen["disabled"]["reason"]) == (False, "by_tenant")
    seen = north.backend.ask("PATCH", path, {"url": URL + "/2"}).ok()
    assert (seen["url"], seen["enabled"]) == (URL + "/2", False)
    assert north.backend.ask("PATCH", path, {}).ok()["url"] == URL + "/2"
    seen = north.backend.put(path, BODY).ok()
    assert (seen["url"], seen["events"], seen["enabled"], seen["disabled"]) == (URL, BODY["events"], True, None)
    assert north.backend.get(path).ok() == seen


def test_a_webhook_may_begin_disabled(north: House) -> None:
    webhook = made(north, enabled=False)
    assert (webhook["enabled"], webhook["disabled"]["reason"]) == (False, "by_tenant")


def test_a_deleted_webhook_is_gone(north: House) -> None:
    webhook, other = made(north), made(north)
    path = f"webhooks/{webhook['id']}"
    answer = north.backend.delete(path, key="once")
    assert (answer.status, answer.body) == (204, b"")
    again = north.backend.delete(path, key="once")
    assert (again.status, again.replayed) == (204, True)
    north.backend.delete(path).problem(404, "not_found")
    north.backend.get(path).problem(404, "not_found")
    assert [each["id"] for each in north.backend.get("webhooks").ok()["webhooks"]] == [other["id"]]


def test_a_tenant_has_so_many_and_no_more(north: House, south: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_WEBHOOKS", 2)
    made(north)
    webhook = made(north)
    assert north.backend.post("webhooks", BODY).problem(409, "too_many_webhooks")["limit"] == 2
    made(south)
    north.backend.delete(f"webhooks/{webhook['id']}")
    made(north)


# The secret


def test_a_rotated_secret_overlaps_with_the_one_before_for_a_day(north: House) -> None:
    webhook = made(north)
    path = f"webhooks/{webhook['id']}/secret"
    answer = north.backend.post(path).ok(201)
    assert set(answer) == {"secret", "previous_valid_until"}
    valid = _valid(webhook["id"])
    assert valid == [answer["secret"], webhook["secret"]]
    later(24 * 3600 - 60)
    assert _valid(webhook["id"]) == valid
    later(120)
    assert _valid(webhook["id"]) == [answer["secret"]]


def test_several_rotations_keep_each_for_its_day_and_then_no_more_are_taken(north: House) -> None:
    webhook = made(north)
    path = f"webhooks/{webhook['id']}/secret"
    secrets = [webhook["secret"]]
    for _ in range(services.MOST_SECRETS - 1):
        secrets.insert(0, north.backend.post(path).ok(201)["secret"])
    assert _valid(webhook["id"]) == secrets
    north.backend.post(path).problem(409, "too_many_secrets")
    assert _valid(webhook["id"]) == secrets
    later(24 * 3600 + 60)
    secrets = [north.backend.post(path).ok(201)["secret"], secrets[0]]
    assert _valid(webhook["id"]) == secrets


def _valid(webhook_id: str) -> list[str]:
    """The secrets that a message would be signed with now, newest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sealed FROM webhooks_webhooksecret WHERE webhook_id = %s"
            " AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC",
            [webhook_id],
        )
        return [signing.shown(signing.unseal(bytes(sealed), UUID(webhook_id))) for (sealed,) in cursor.fetchall()]


# Who may


def _all(caller: Caller, webhook: str) -> list[Answer]:
    path = f"webhooks/{webhook}"
    return [
        caller.get(path),
        caller.put(path, BODY),
        caller.ask("PATCH", path, {"enabled": True}),
        caller.post(f"{path}/secret"),
        caller.get(f"{path}/deliveries"),
        caller.post(f"{path}/deliveries/{uuid4()}/redeliver"),
        caller.delete(path),
    ]


def test_the_tenant_alone_with_a_key_that_may_manage(north: House) -> None:
    webhook = made(north)["id"]
    for answer in [*_all(NOBODY, webhook), NOBODY.get("webhooks"), NOBODY.post("webhooks", BODY)]:
        answer.problem(401, "not_authenticated")
    weak = north.with_scopes("read", "play")
    for answer in [*_all(weak, webhook), weak.get("webhooks"), weak.post("webhooks", BODY)]:
        assert answer.problem(403, "forbidden")["required_scope"] == "manage"
    player = north.player("amal")
    for answer in [*_all(player, webhook), player.get("webhooks"), player.post("webhooks", BODY)]:
        assert answer.problem(403, "forbidden")["required_kind"] == "tenant"
    for answer in [*_all(north.moderator(), webhook), north.moderator().post("webhooks", BODY)]:
        answer.problem(403, "forbidden")
    assert [each["id"] for each in north.backend.get("webhooks").ok()["webhooks"]] == [webhook]


def test_another_tenants_webhook_does_not_exist(north: House, south: House) -> None:
    webhook = made(north)
    for answer in _all(south.backend, webhook["id"]):
        answer.problem(404, "not_found")
    for answer in _all(north.backend, str(uuid4())):
        answer.problem(404, "not_found")
    assert south.backend.get("webhooks").ok() == {"webhooks": []}
    assert north.backend.get(f"webhooks/{webhook['id']}").ok() == {name: webhook[name] for name in FIELDS}


def test_an_id_that_is_none(north: House) -> None:
    north.backend.get("webhooks/mine").problem(404, "not_found")


# The OpenAPI document


def test_the_document_describes_every_message() -> None:
    schema = document()
    assert set(schema["webhooks"]) == set(KINDS)
    for path in (
        "webhooks",
        "webhooks/{webhook_id}",
        "webhooks/{webhook_id}/secret",
        "webhooks/{webhook_id}/deliveries",
        "webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
        "events",
    ):
        operations = schema["paths"][f"/api/v1/{path}"]
        for operation in operations.values():
            assert operation["tags"] == ["feed" if path == "events" else "webhooks"]
            assert not [each for each in operation.get("parameters", ()) if each["name"] == "X-Player"]
    shapes = schema["components"]["schemas"]
    assert {"HookMessage", "HookData", "WebhookAnswer", "NewWebhookAnswer", "DeliveryPage", "FeedPage"} <= set(shapes)
    assert shapes["HookMessage"]["properties"]["type"]["enum"] == sorted(KINDS)
