"""The cast and a seated match for the tests of the store."""

import pytest

from tests.tables import House, Table, house, open_table


@pytest.fixture
def cast(transactional_db: None) -> House:
    """The tenant of most tests, with its players."""
    return house("a mobile backend")


@pytest.fixture
def other_house(transactional_db: None) -> House:
    """Another tenant, whose players have the same names."""
    return house("another mobile backend")


@pytest.fixture
def table(cast: House) -> Table:
    """A classic match with amal, basim, carla and dina in seats 0 to 3 and the first hand dealt."""
    return open_table(cast)
