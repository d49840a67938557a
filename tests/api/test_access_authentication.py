"""Who asks: keys, players and moderators over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from pytest_django import Settings

from tarneeb_service.access import services
from tarneeb_service.access.authentication import BearerAuthentication
from tarneeb_service.access.models import ApiKey, Moderator, ModeratorToken, Player, Tenant
from tarneeb_service.access.schema import BearerScheme
from tests.unit.access.callers import as_player, bearer
from tests.unit.http.statements import counted

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.unit.http.urlconf")]


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def tenant() -> Tenant:
    return services.create_tenant(name="the backend")


@pytest.fixture
def key(tenant: Tenant) -> str:
    return services.create_key(tenant=tenant)[1]


@pytest.fixture
def huda(tenant: Tenant) -> tuple[Moderator, str]:
    return services.create_moderator(tenant=tenant, username="huda", password="a password", role="senior")


def who(client: Client, headers: dict[str, str]) -> dict[str, Any]:
    answer = client.get("/who", headers=headers)
    assert answer.status_code == 200, answer.content
    caller: dict[str, Any] = answer.json()
    return caller


def refused(client: Client, headers: dict[str, str], status: int = 401) -> dict[str, Any]:
    answer = client.get("/who", headers=headers)
    document: dict[str, Any] = answer.json()
    assert answer.status_code == status, document
    assert answer.headers["Content-Type"] == "application/problem+json"
    if status == 401:
        assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="tarneeb"')
    return document


def test_a_key_alone_is_the_tenant_itself(client: Client, tenant: Tenant, key: str) -> None:
    caller = who(client, bearer(key))
    assert caller["kind"] == "tenant"
    assert caller["tenant_id"] == str(tenant.id)
    assert caller["player_ref"] is None
    assert sorted(caller["scopes"]) == ["manage", "play", "read"]
    assert caller["key_id"] == "_".join(key.split("_")[:2])


@pytest.mark.parametrize("external_id", ["amal", "أمل", "user 42"])
def test_with_x_player_it_is_that_player_the_same_each_time(client: Client, key: str, external_id: str) -> None:
    first = who(client, as_player(key, external_id))
    assert (first["kind"], first["external_id"]) == ("player", external_id)
    assert who(client, as_player(key, external_id)) == first
    (player,) = Player.objects.all()
    assert (str(player.ref), player.external_id) == (first["player_ref"], external_id)


def test_the_ascii_form_of_a_name_is_the_same_player(client: Client, key: str) -> None:
    plain = who(client, as_player(key, "أمل"))
    assert who(client, bearer(key) | {"X-Player": "UTF-8''%D8%A3%D9%85%D9%84"}) == plain


def test_the_same_name_at_another_tenant_is_another_player(client: Client, key: str) -> None:
    _, other_key = services.create_key(tenant=services.create_tenant(name="another backend"))
    ours, theirs = who(client, as_player(key, "amal")), who(client, as_player(other_key, "amal"))
    assert ours["player_ref"] != theirs["player_ref"]
    assert ours["tenant_id"] != theirs["tenant_id"]


def test_every_key_of_a_tenant_leads_to_the_same_player(client: Client, tenant: Tenant, key: str) -> None:
    _, second = services.create_key(tenant=tenant)
    assert who(client, as_player(key, "amal"))["player_ref"] == who(client, as_player(second, "amal"))["player_ref"]


def test_a_moderator_reads_for_one_tenant(client: Client, tenant: Tenant, huda: tuple[Moderator, str]) -> None:
    moderator, token = huda
    caller = who(client, bearer(token))
    assert (caller["kind"], caller["role"], caller["scopes"]) == ("moderator", "senior", ["read"])
    assert (caller["tenant_id"], caller["moderator_id"]) == (str(tenant.id), moderator.pk)


def test_a_moderator_speaks_for_no_player(client: Client, huda: tuple[Moderator, str]) -> None:
    document = refused(client, as_player(huda[1], "amal"), status=400)
    assert document["errors"][0]["field"] == "X-Player"
    assert not Player.objects.exists()


UNKNOWN = "abcdefghijkl_" + "s" * 43


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic YTpi",
        "tk_" + UNKNOWN,
        "Token tk_" + UNKNOWN,
        "Bearer tk_" + UNKNOWN,
        "Bearer mt_" + UNKNOWN,
        "Bearer xx_" + UNKNOWN,
        "Bearer tk_",
        "Bearer eyJhbGciOiJub25lIn0.e30.",
        "Bearer tk_" + UNKNOWN + "s",
        "Bearer \u00ff\u00fe",
        "Bearer tk_abcdefghijk'_" + "s" * 43,
        "Bearer " + "tk_" * 3000,
    ],
)
def test_anything_else_is_not_authenticated(client: Client, authorization: str) -> None:
    assert refused(client, {"Authorization": authorization})["code"] == "not_authenticated"


def test_without_a_credential_nobody_is_known(client: Client) -> None:
    assert refused(client, {})["code"] == "not_authenticated"
    assert refused(client, {"X-Player": "amal"})["code"] == "not_authenticated"


def test_the_secret_counts_not_only_the_prefix(client: Client, key: str, huda: tuple[Moderator, str]) -> None:
    for token in (key, huda[1]):
        last = "A" if token[-2] != "A" else "B"
        assert refused(client, bearer(token[:-2] + last + token[-1]))["code"] == "not_authenticated"
    swapped = "mt_" + key.removeprefix("tk_")
    assert refused(client, bearer(swapped))["code"] == "not_authenticated"


def test_the_scheme_is_written_in_any_case(client: Client, key: str) -> None:
    assert who(client, {"Authorization": f"bEARER {key}"})["kind"] == "tenant"


def test_a_revoked_key_is_refused_from_the_next_request_on(client: Client, tenant: Tenant) -> None:
    key, text = services.create_key(tenant=tenant)
    who(client, as_player(text, "amal"))
    services.revoke_key(key=key)
    assert refused(client, bearer(text))["code"] == "key_revoked"
    assert refused(client, as_player(text, "amal"))["code"] == "key_revoked"
    assert refused(client, as_player(text, "somebody new"))["code"] == "key_revoked"
    assert Player.objects.count() == 1


def test_revoking_again_keeps_the_first_time(tenant: Tenant) -> None:
    key, _ = services.create_key(tenant=tenant)
    services.revoke_key(key=key)
    first = key.revoked_at
    services.revoke_key(key=key)
    assert first is not None
    assert key.revoked_at == first


def test_an_expired_key_is_refused_and_one_that_will_expire_is_not(client: Client, tenant: Tenant) -> None:
    _, past = services.create_key(tenant=tenant, expires_at=timezone.now() - timedelta(seconds=1))
    _, future = services.create_key(tenant=tenant, expires_at=timezone.now() + timedelta(hours=1))
    assert refused(client, bearer(past))["code"] == "token_expired"
    assert who(client, bearer(future))["kind"] == "tenant"


def test_only_who_holds_the_secret_learns_that_it_is_no_good_any_more(client: Client, tenant: Tenant) -> None:
    key, text = services.create_key(tenant=tenant)
    services.revoke_key(key=key)
    guess = f"tk_{key.prefix}_" + "s" * 43
    assert text != guess
    assert refused(client, bearer(guess))["code"] == "not_authenticated"


def test_moderators_tokens_are_revoked_expire_and_end_with_the_user(
    client: Client, huda: tuple[Moderator, str]
) -> None:
    moderator, text = huda
    _, expired = services.issue_moderator_token(moderator=moderator, expires_at=timezone.now() - timedelta(days=1))
    other, other_text = services.issue_moderator_token(moderator=moderator)
    assert refused(client, bearer(expired))["code"] == "token_expired"
    services.revoke_moderator_token(token=other)
    assert refused(client, bearer(other_text))["code"] == "key_revoked"
    assert who(client, bearer(text))["kind"] == "moderator"
    moderator.user.is_active = False
    moderator.user.save()
    assert refused(client, bearer(text))["code"] == "key_revoked"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"", "blank"),
        (b"x" * 65, "too_long"),
        ("e\u0301".encode(), "not_normalized"),
        ("a\u200bb".encode(), "unprintable"),
        (b"\xff", "invalid_utf8"),
        (b"UTF-8''%00", "nul_character"),
        (b"UTF-8''a%0Ab", "unprintable"),
    ],
)
def test_a_player_that_cannot_be_is_an_invalid_field(client: Client, key: str, sent: bytes, code: str) -> None:
    document = refused(client, bearer(key) | {"X-Player": sent.decode("latin-1")}, status=400)
    assert document["code"] == "invalid"
    assert [(error["field"], error["code"]) for error in document["errors"]] == [("X-Player", code)]
    assert not Player.objects.exists()


def test_use_is_noted_once_a_day(client: Client, tenant: Tenant, huda: tuple[Moderator, str]) -> None:
    _, text = services.create_key(tenant=tenant)
    today = datetime.now(UTC).date()
    for model, token in ((ApiKey, text), (ModeratorToken, huda[1])):
        rows = model.objects.filter(prefix=token.split("_")[1])
        assert rows.get().last_used is None
        who(client, bearer(token))
        assert rows.filter(last_used__range=(today - timedelta(days=1), today + timedelta(days=1))).exists()
        rows.update(last_used=today - timedelta(days=3))
        who(client, bearer(token))
        assert rows.filter(last_used__gt=today - timedelta(days=3)).exists()


def test_the_usual_request_asks_the_database_once(
    client: Client, key: str, huda: tuple[Moderator, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for headers in (bearer(key), as_player(key, "amal"), bearer(huda[1])):
        who(client, headers)
        with counted(monkeypatch) as sent:
            who(client, headers)
        assert len(sent) == 1, sent


PERMISSIONS = {
    "anybody": {"tenant", "player", "moderator"},
    "manage": {"tenant", "player"},
    "tenant": {"tenant"},
    "player": {"player"},
    "moderator": {"moderator"},
    "senior": {"moderator"},
}


@pytest.mark.parametrize("only", PERMISSIONS)
def test_views_say_who_may_use_them(client: Client, key: str, huda: tuple[Moderator, str], only: str) -> None:
    callers = {"tenant": bearer(key), "player": as_player(key, "amal"), "moderator": bearer(huda[1])}
    for kind, headers in callers.items():
        answer = client.get(f"/only/{only}", headers=headers)
        assert answer.status_code == (200 if kind in PERMISSIONS[only] else 403), (kind, answer.content)
        if answer.status_code == 403:
            assert answer.json()["code"] == "forbidden"
    assert client.get(f"/only/{only}").status_code == 401


def test_another_role_is_not_enough(client: Client, tenant: Tenant) -> None:
    _, token = services.create_moderator(tenant=tenant, username="sami", password="a password")
    answer = client.get("/only/senior", headers=bearer(token))
    assert (answer.status_code, answer.json()["required_role"]) == (403, ["senior"])


@pytest.mark.parametrize(
    ("scopes", "may_read", "may_play", "may_manage"),
    [
        (["read"], True, False, False),
        (["play"], False, True, False),
        (["manage"], False, False, True),
        (["play", "read"], True, True, False),
    ],
)
def test_scopes_bound_what_a_key_may_do(
    client: Client, tenant: Tenant, scopes: list[str], *, may_read: bool, may_play: bool, may_manage: bool
) -> None:
    _, text = services.create_key(tenant=tenant, scopes=scopes)
    for headers in (bearer(text), as_player(text, "amal")):
        answers = {
            "read": (client.get("/who", headers=headers), may_read),
            "play": (client.post("/who", headers=headers), may_play),
            "manage": (client.get("/only/manage", headers=headers), may_manage),
        }
        for scope, (answer, allowed) in answers.items():
            assert answer.status_code == (200 if allowed else 403), (scope, answer.content)
            if not allowed:
                assert answer.json()["required_scope"] == scope


def test_no_secret_stands_in_the_database_or_in_an_answer(
    client: Client, key: str, huda: tuple[Moderator, str]
) -> None:
    for token in (key, huda[1]):
        secret = token.split("_", 2)[2]
        assert secret not in client.get("/who", headers=bearer(token)).content.decode()
    for row in [*ApiKey.objects.values(), *ModeratorToken.objects.values()]:
        assert not any(secret in str(value) for value in row.values() for secret in (key.split("_", 2)[2],))
        assert len(bytes(row["hash"])) == 32


def test_the_openapi_document_knows_the_credentials() -> None:
    scheme = OpenApiAuthenticationExtension.get_match(BearerAuthentication)
    assert isinstance(scheme, BearerScheme)
    assert scheme.get_security_definition(None)["scheme"] == "bearer"


@pytest.fixture
def committed_key(transactional_db: None) -> str:
    return services.create_key(tenant=services.create_tenant(name="a busy backend"))[1]


def test_many_first_requests_at_once_make_one_player(committed_key: str) -> None:
    def ask() -> str:
        try:
            return str(who(Client(), as_player(committed_key, "amal"))["player_ref"])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        found = {future.result() for future in [pool.submit(ask) for _ in range(16)]}
    assert len(found) == 1
    assert Player.objects.count() == 1
