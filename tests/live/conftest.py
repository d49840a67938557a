"""The houses and databases of the API's tests."""

from collections.abc import Iterator

import pytest

from matches.live import wakeups
from tests.api.conftest import Chance, chance, north, nothing_remembered, south, transactional_db

__all__ = ["Chance", "chance", "north", "nothing_remembered", "south", "transactional_db"]


@pytest.fixture(autouse=True, scope="package")
def nothing_heard_afterwards() -> Iterator[None]:
    """The servers of the tests end after them: nobody listens to them any more by then."""
    yield
    wakeups.close()
