"""Receivers, houses with webhooks, and the clock of deliveries under control."""

from collections.abc import Callable, Iterator

import pytest

from tests.api.conftest import chance, north, nothing_remembered, south, transactional_db
from tests.webhooks.receiver import Receiver

__all__ = ["chance", "north", "nothing_remembered", "south", "transactional_db"]


@pytest.fixture
def open_receiver() -> Iterator[Callable[..., Receiver]]:
    """Opens receivers, and closes them in the end."""
    opened: list[Receiver] = []

    def open_one(*args: object, **kwargs: object) -> Receiver:
        opened.append(Receiver(*args, **kwargs))  # type: ignore[arg-type]  # passed on
        return opened[-1]

    yield open_one
    for receiver in opened:
        receiver.close()


@pytest.fixture
def receiver(open_receiver: Callable[..., Receiver]) -> Receiver:
    """One receiver, well behaved until told otherwise."""
    return open_receiver()
