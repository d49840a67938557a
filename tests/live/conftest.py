"""The houses, databases and servers of the tests of live play."""

from tests.api.conftest import Chance, chance, north, nothing_remembered, south, transactional_db
from tests.e2e.conftest import web_server

__all__ = ["Chance", "chance", "north", "nothing_remembered", "south", "transactional_db", "web_server"]
