"""/healthz, /readyz and the API's pages."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from celery import Celery
from django.conf import settings
from django.db import connection
from django.db.utils import ConnectionHandler
from django.test import Client

from tarneeb_service import health

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _migrations_not_looked_at_yet() -> None:
    health._migrated.cache_clear()


def test_alive_answers_without_any_other_part(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "CHECKS", {})

    response = client.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "alive"})


def test_ready_when_all_parts_are_there(client: Client) -> None:
    response = client.get("/readyz")

    assert response.status_code == 200
    assert response.json() == {"status": "ready", "parts": {"database": "ok", "broker": "ok", "migrations": "ok"}}
    assert "no-cache" in response["Cache-Control"]


def test_not_ready_without_the_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = {**settings.DATABASES["default"], "HOST": "/nonexistent"}
    monkeypatch.setattr(health, "connections", ConnectionHandler({"default": nowhere}))

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response["Content-Type"] == "application/problem+json"
    assert response["Retry-After"] == "1"
    problem = response.json()
    assert problem["code"] == "unavailable"
    assert problem["parts"] == {"database": "not reachable", "broker": "ok", "migrations": "unknown"}
    assert "nonexistent" not in response.content.decode()


def test_not_ready_without_the_broker(client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        health, "app", Celery("nowhere", broker=f"redis+socket://{tmp_path}/none.sock", set_as_current=False)
    )

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["parts"] == {"database": "ok", "broker": "not reachable", "migrations": "ok"}


def test_not_ready_while_a_migration_is_to_be_applied(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    before = client.get("/readyz")
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('sessions', '0001_initial', now())")
    after = client.get("/readyz")

    assert (before.status_code, before.json()["parts"]["migrations"]) == (503, "1 to be applied")
    assert after.status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_can_only_be_read(client: Client, path: str) -> None:
    answer = client.post(path)
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json")
    assert answer.json()["code"] == "method_not_allowed"


def test_the_schema_is_openapi_3_1(client: Client) -> None:
    response = client.get("/api/schema")

    assert response.status_code == 200
    assert response.content.startswith(b"openapi: 3.1")


def test_the_api_page_needs_nothing_from_anywhere_else(client: Client) -> None:
    page = client.get("/api/docs").content.decode()
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)

    assert addresses
    assert "//" not in "".join(addresses)
    for address in addresses:
        with closing(client.get(address)) as response:
            assert response.status_code == 200, address
    # The bundle and the page's own script name no other host to load from either.
    assert "cdn" not in page
