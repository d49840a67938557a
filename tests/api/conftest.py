"""Houses to call the API for, a database to commit to, and chance under control."""

from collections.abc import Iterator

import pytest
from django.db import connection, connections
from pytest_django.plugin import DjangoDbBlocker

from matches import deals, names, state_cache
from matches.engine.commands import Deal
from matches.engine.events import Holdings
from matches.engine.seats import Seat
from matches.engine.state import State
from tests.api.callers import House, house
from tests.cast import SALT, deck_for, whole_suits


@pytest.fixture
def nothing_remembered() -> Iterator[None]:
    """What a process keeps between requests is not kept between tests."""
    state_cache.clear()
    names.forget()
    yield
    state_cache.clear()
    names.forget()


@pytest.fixture
def transactional_db(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, nothing_remembered: None
) -> Iterator[None]:
    """The database, empty, for transactions that commit, as locks and refusals need them.

    In place of pytest-django's own, which truncates every table and partition: that takes far longer than most of these
    tests. It keeps the name by which pytest-django knows that a database is wanted.
    """
    with django_db_blocker.unblock():
        yield
        _empty_every_table()
        connections.close_all()


def _empty_every_table() -> None:
    filled_by_migrations = {"django_content_type", "auth_permission"}
    tables = set(connection.introspection.django_table_names(only_existing=True)) - filled_by_migrations
    with connection.cursor() as cursor:
        # One transaction: foreign keys are checked at its end.
        cursor.execute("; ".join(f"DELETE FROM {table}" for table in sorted(tables)))


@pytest.fixture
def north(transactional_db: None) -> House:
    """A tenant."""
    return house("north")


@pytest.fixture
def south(transactional_db: None) -> House:
    """Another tenant."""
    return house("south")


class Chance:
    """What chance decides: the first dealer, and the holdings of every deal to come, by default whole suits."""

    def __init__(self) -> None:
        self.first_dealer: Seat = 3
        self.holdings: Holdings = whole_suits()

    def deal(self, state: State) -> Deal:
        """The next deal."""
        table = state.table
        return Deal(deck_for(self.holdings, table.dealer, table.rules), SALT)


@pytest.fixture
def chance(monkeypatch: pytest.MonkeyPatch) -> Chance:
    """Every match deals as this says. Dealer 3: amal in seat 0 speaks first, counter-clockwise."""
    fixed = Chance()
    monkeypatch.setattr(deals, "first_dealer", lambda _seed, _match, _state: fixed.first_dealer)
    monkeypatch.setattr(deals, "next_deal", lambda _seed, _match, state: fixed.deal(state))
    return fixed
