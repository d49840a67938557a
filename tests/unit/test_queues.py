"""Celery's settings, with the real broker."""

import os
from collections.abc import Iterator

import pytest
import redis
from celery.schedules import BaseSchedule
from django.conf import settings
from kombu import Connection

from tarneeb_service.celery import app

QUEUES = [queue.name for queue in settings.CELERY_TASK_QUEUES]


@pytest.fixture
def broker() -> Iterator[Connection]:
    """A database of the broker for this worker of the test run alone, empty."""
    number = 2 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    with Connection(f"{settings.BROKER_URL}?virtual_host={number}") as connection:
        assert server_of(connection).connection_pool.connection_kwargs["db"] == number
        server_of(connection).flushdb()
        yield connection


def server_of(broker: Connection) -> redis.Redis:
    """The client that the connection itself uses."""
    client: redis.Redis = broker.default_channel.client  # type: ignore[attr-defined]  # the Redis transport's own
    return client


@pytest.mark.parametrize("queue", QUEUES)
def test_a_message_goes_to_its_queue_and_to_no_other(queue: str, broker: Connection) -> None:
    app.send_task("nobody.does.this", queue=queue, connection=broker)

    waiting = {name: server_of(broker).llen(name) for name in QUEUES}
    assert waiting == {name: int(name == queue) for name in QUEUES}


def test_a_message_is_json(broker: Connection) -> None:
    app.send_task("nobody.does.this", queue="upkeep", args=[{"match": "1"}], connection=broker)

    with broker.SimpleQueue("upkeep") as queue:
        message = queue.get(block=False)
        message.ack()
    assert message.content_type == "application/json"
    assert message.payload[0] == [{"match": "1"}]


def test_what_beat_sends_are_tasks_that_exist_with_queues_that_exist() -> None:
    app.loader.import_default_modules()
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        assert entry["task"] in app.tasks, name
        assert entry["options"]["queue"] in QUEUES, name
        assert isinstance(entry["schedule"], BaseSchedule), name


def test_a_lost_worker_loses_no_task() -> None:
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    # A task that is still running is not to be given to a second worker.
    assert app.conf.task_time_limit < app.conf.broker_transport_options["visibility_timeout"]
