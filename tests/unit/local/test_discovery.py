"""What settings find where nothing is set."""

import json
import os
import stat
from pathlib import Path

import pytest

from tarneeb_service.local.discovery import (
    LONGEST_SOCKET_DIRECTORY,
    addresses,
    cache_beside,
    local_environment,
    socket_directory,
    write_private,
)

NAMES = ("DATABASE_URL", "BROKER_URL", "CACHE_URL", "SECRET_KEY")


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        # Set first: what the code under test puts there is taken away afterwards.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_with_nothing_set_everything_is_supplied(tmp_path: Path) -> None:
    assert local_environment(tmp_path) == set(NAMES)
    assert {name: os.environ[name] for name in NAMES[:3]} == addresses(tmp_path / "run")


def test_a_directory_that_does_not_exist_is_as_good(tmp_path: Path) -> None:
    assert local_environment(tmp_path / "nowhere") == set(NAMES)
    assert not (tmp_path / "nowhere").exists()


def test_what_is_set_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/db")
    monkeypatch.setenv("SECRET_KEY", "mine")

    assert local_environment(tmp_path) == {"BROKER_URL", "CACHE_URL"}
    assert os.environ["DATABASE_URL"] == "postgresql://elsewhere/db"
    assert os.environ["SECRET_KEY"] == "mine"


def test_what_is_set_to_nothing_counts_as_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.setenv(name, "")

    assert local_environment(tmp_path) == set(NAMES)


def test_a_broker_of_ones_own_leaves_the_cache_to_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKER_URL", "redis://elsewhere/0")

    assert "CACHE_URL" not in local_environment(tmp_path)


def test_a_database_of_ones_own_comes_with_no_made_up_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/db")

    assert "SECRET_KEY" not in local_environment(tmp_path)


def test_up_makes_a_key_up_for_a_database_of_ones_own_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/db")
    monkeypatch.setattr("sys.argv", ["manage.py", "up"])

    assert "SECRET_KEY" in local_environment(tmp_path)


def test_kept_secrets_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/db")
    write_private(tmp_path / "secrets.json", {"SECRET_KEY": "kept"})

    assert "SECRET_KEY" in local_environment(tmp_path)
    assert os.environ["SECRET_KEY"] == "kept"


def test_private_files_are_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "credentials.json"
    path.write_text("{}")
    path.chmod(0o644)

    write_private(path, {"key": "secret"})

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text()) == {"key": "secret"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["credentials.json"]


def test_sockets_lie_in_the_directory_where_their_paths_fit() -> None:
    assert socket_directory(Path("/srv/tarneeb")) == Path("/srv/tarneeb/run")


@pytest.mark.parametrize("name", ["a" * LONGEST_SOCKET_DIRECTORY, "ط" * (LONGEST_SOCKET_DIRECTORY // 2), "one, two"])
def test_where_they_do_not_fit_sockets_lie_elsewhere_and_always_in_the_same_place(name: str) -> None:
    place = Path("/srv") / name
    sockets = socket_directory(place)
    assert len(os.fsencode(sockets)) <= LONGEST_SOCKET_DIRECTORY
    assert "," not in str(sockets)
    assert sockets == socket_directory(place)
    assert sockets != socket_directory(place / "b")


@pytest.mark.parametrize(
    ("broker", "cache"),
    [
        ("redis://host:6379/0", "redis://host:6379/1"),
        ("rediss://user:secret@host", "rediss://user:secret@host/1"),
        ("amqp://host//", "redis://localhost:6379/1"),
    ],
)
def test_the_cache_is_another_database_beside_the_broker(broker: str, cache: str) -> None:
    assert cache_beside(broker) == cache
