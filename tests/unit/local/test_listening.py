"""The port of the web server."""

import pytest

from tarneeb_service.local.listening import NEIGHBOURS, listen
from tarneeb_service.local.processes import LocalError


def test_a_port_that_is_taken_gives_way_to_a_neighbour() -> None:
    with listen(0) as first:
        taken = first.getsockname()[1]
        with listen(taken) as second:
            assert taken < second.getsockname()[1] < taken + NEIGHBOURS


def test_a_free_port_is_taken_as_asked() -> None:
    with listen(0) as first:
        port = first.getsockname()[1]
    with listen(port) as second:
        assert second.getsockname()[1] == port


def test_only_this_machine_is_listened_to() -> None:
    with listen(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("port", [-1, 65536, 99999])
def test_a_number_that_is_no_port_is_an_error(port: int) -> None:
    with pytest.raises(LocalError, match="PORT"):
        listen(port)
