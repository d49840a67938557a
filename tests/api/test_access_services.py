"""Tenants, keys and players: the services and the commands."""

import io
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier
from time import sleep
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tarneeb_service.access import services
from tarneeb_service.access.errors import TenantNameTaken, UnacceptableValue, UsernameTaken
from tarneeb_service.access.models import ApiKey, Moderator, ModeratorToken, Player, Tenant, User
from tarneeb_service.access.principals import PlayerRef
from tarneeb_service.access.selectors import external_ids, known_player
from tarneeb_service.http.errors import Invalid
from tests.unit.access.callers import bearer

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.unit.http.urlconf")]


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def tenant() -> Tenant:
    return services.create_tenant(name="the backend")


@pytest.fixture
def other_tenant() -> Tenant:
    return services.create_tenant(name="another backend")


def test_tenants_have_ids_that_sort_by_time_and_names_of_their_own(tenant: Tenant, other_tenant: Tenant) -> None:
    assert tenant.id.version == 7
    assert tenant.id < other_tenant.id
    with pytest.raises(TenantNameTaken):
        services.create_tenant(name="the backend")
    assert Tenant.objects.count() == 2


@pytest.mark.parametrize("name", ["", " ", "x" * 81, "a\nb", "a\0b", " a"])
def test_tenants_names_are_printable(name: str) -> None:
    with pytest.raises(UnacceptableValue):
        services.create_tenant(name=name)


@pytest.mark.parametrize("scopes", [[], ["admin"], ["play", "admin"], [""]])
def test_a_key_has_known_scopes(tenant: Tenant, scopes: list[str]) -> None:
    with pytest.raises(UnacceptableValue):
        services.create_key(tenant=tenant, scopes=scopes)
    assert not ApiKey.objects.exists()


def test_a_time_of_expiry_has_a_zone(tenant: Tenant) -> None:
    with pytest.raises(UnacceptableValue):
        services.create_key(tenant=tenant, expires_at=datetime(2030, 1, 1))  # noqa: DTZ001  that is the point


def test_a_moderator_who_cannot_be_leaves_nothing_behind(tenant: Tenant) -> None:
    services.create_moderator(tenant=tenant, username="huda", password="a password")
    for changed in ({"username": "huda"}, {"role": "king"}, {"password": ""}, {"username": ""}):
        wanted = {"username": "sami", "password": "a password", "role": "moderator"} | changed
        with pytest.raises((UsernameTaken, UnacceptableValue)):
            services.create_moderator(tenant=tenant, **wanted)
    assert (User.objects.count(), Moderator.objects.count(), ModeratorToken.objects.count()) == (1, 1, 1)


def test_a_moderator_can_sign_in_with_the_password(client: Client, tenant: Tenant) -> None:
    moderator, _ = services.create_moderator(tenant=tenant, username="huda", password="a password")
    assert moderator.role == "moderator"
    assert moderator.user.check_password("a password")


# Players


def test_a_player_is_made_once_and_found_afterwards(
    tenant: Tenant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assert known_player(tenant_id=tenant.id, external_id="amal") is None
    amal = services.player_for(tenant_id=tenant.id, external_id="amal")
    assert amal.ref.version == 4
    with django_assert_num_queries(1):
        assert services.player_for(tenant_id=tenant.id, external_id="amal") == amal
    assert known_player(tenant_id=tenant.id, external_id="amal") == amal.ref


def test_players_of_a_table_are_found_in_one_query(
    tenant: Tenant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    amal = services.player_for(tenant_id=tenant.id, external_id="amal")
    names = ["dina", "amal", "carla", "basim", "dina"]
    found = services.players_for(tenant_id=tenant.id, external_ids=names)
    assert set(found) == set(names)
    assert found["amal"] == amal
    assert all(player == PlayerRef(player.ref, name) for name, player in found.items())
    assert Player.objects.count() == 4
    with django_assert_num_queries(1):
        assert services.players_for(tenant_id=tenant.id, external_ids=names) == found
    assert services.players_for(tenant_id=tenant.id, external_ids=[]) == {}


def test_each_unacceptable_player_is_named(tenant: Tenant) -> None:
    with pytest.raises(Invalid) as refused:
        services.players_for(tenant_id=tenant.id, external_ids=["amal", "", "carla", "a\nb"])
    assert [(error.field, error.code) for error in refused.value.errors] == [
        ("players.1", "blank"),
        ("players.3", "unprintable"),
    ]
    assert not Player.objects.exists()


def test_references_lead_back_in_one_query(
    tenant: Tenant, other_tenant: Tenant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    amal = services.player_for(tenant_id=tenant.id, external_id="amal").ref
    theirs = services.player_for(tenant_id=other_tenant.id, external_id="amal").ref
    assert amal != theirs
    with django_assert_num_queries(1):
        assert external_ids([amal, theirs, amal, uuid4()]) == {amal: "amal", theirs: "amal"}


def test_an_erased_player_is_nobody_and_comes_back_as_somebody_new(tenant: Tenant) -> None:
    before = services.player_for(tenant_id=tenant.id, external_id="amal").ref
    services.erase_player(ref=before)
    assert external_ids([before]) == {}
    assert known_player(tenant_id=tenant.id, external_id="amal") is None
    after = services.player_for(tenant_id=tenant.id, external_id="amal").ref
    assert after != before
    services.erase_player(ref=after)
    assert Player.objects.filter(external_id=None).count() == 2


@pytest.fixture
def committed_tenant(transactional_db: None) -> Tenant:
    return services.create_tenant(name="a busy backend")


def test_tables_made_at_once_in_any_order_share_their_players(committed_tenant: Tenant) -> None:
    names = [f"player {place}" for place in range(12)]
    start = Barrier(4)

    def seat(turned: int) -> dict[str, PlayerRef]:
        try:
            start.wait(30)
            asked = names[turned:] + names[:turned]
            with transaction.atomic():
                return services.players_for(
                    tenant_id=committed_tenant.id, external_ids=asked[:: 1 if turned % 2 else -1]
                )
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        first, *others = list(pool.map(seat, (0, 3, 6, 9)))
    assert all(other == first for other in others)
    assert Player.objects.count() == len(names)


def test_tables_that_make_the_same_players_cannot_wait_for_each_other(committed_tenant: Tenant) -> None:
    def seat(names: list[str]) -> dict[str, PlayerRef]:
        try:
            return services.players_for(tenant_id=committed_tenant.id, external_ids=names)
        finally:
            connections.close_all()

    # Somebody in the middle of the list is held by a third party, so that both stop half way.
    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            services.player_for(tenant_id=committed_tenant.id, external_id="carla")
            seated = [pool.submit(seat, names) for names in (["amal", "carla", "dina"], ["dina", "carla", "amal"])]
            wait_for_sessions_that_wait(2)
            transaction.set_rollback(True)
        first, second = (future.result(60) for future in seated)
    assert first == second
    assert Player.objects.count() == 3


def wait_for_sessions_that_wait(wanted: int) -> None:
    for _ in range(3000):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0] >= wanted:
                return
            # What pg_stat_activity shows stands still within a transaction.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
        sleep(0.01)
    raise AssertionError("nobody came to wait")


# Commands


def run(*words: str) -> str:
    printed = io.StringIO()
    call_command(*words, stdout=printed)
    return printed.getvalue().strip()


def test_the_commands_make_a_key_that_works_until_it_is_revoked(client: Client) -> None:
    tenant_id = run("create_tenant", "the backend")
    assert UUID(tenant_id).version == 7
    key = run("create_key", "the backend", "--scopes", "play, read")
    assert sorted(client.get("/who", headers=bearer(key)).json()["scopes"]) == ["play", "read"]
    by_id = run("create_key", tenant_id, "--expires", "2000-01-01T00:00:00+00:00")
    assert client.get("/who", headers=bearer(by_id)).json()["code"] == "token_expired"
    public = "_".join(key.split("_")[:2])
    said = run("revoke_key", public)
    assert public in said
    assert key not in said
    assert client.get("/who", headers=bearer(key)).json()["code"] == "key_revoked"
    assert "revoked" in run("revoke_key", key)


def test_the_command_makes_a_moderator_with_a_made_up_password(client: Client) -> None:
    run("create_tenant", "the backend")
    printed = dict(line.split(": ") for line in run("create_moderator", "the backend", "huda").splitlines())
    assert client.get("/who", headers=bearer(printed["token"])).json()["kind"] == "moderator"
    assert User.objects.get().check_password(printed["password"])


def test_a_given_password_is_read_from_standard_input_and_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    run("create_tenant", "the backend")
    monkeypatch.setattr("sys.stdin", io.StringIO("a password\n"))
    printed = run("create_moderator", "the backend", "huda", "--role", "auditor", "--password-stdin")
    assert "password" not in printed
    assert User.objects.get().check_password("a password")
    assert Moderator.objects.get().role == "auditor"


def test_the_commands_say_what_is_wrong() -> None:
    run("create_tenant", "the backend")
    run("create_moderator", "the backend", "huda")
    for words in (
        ("create_tenant", "the backend"),
        ("create_key", "nobody"),
        ("create_key", str(uuid4())),
        ("create_key", "the backend", "--scopes", "admin"),
        ("create_key", "the backend", "--expires", "2030-01-01T00:00:00"),
        ("revoke_key", "tk_abcdefghijkl"),
        ("create_moderator", "the backend", "huda"),
        ("create_moderator", "nobody", "sami"),
    ):
        with pytest.raises(CommandError):
            run(*words)
