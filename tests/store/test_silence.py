"""Connections that give up a server which says nothing."""

import psycopg
import pytest
from django.db import connection

from tarneeb_service.silence import ImpatientConnection, ServerSilent, impatient


def connect(patience: float) -> ImpatientConnection:
    """A connection of the driver's own to the database of the tests."""
    parameters = connection.get_connection_params()
    known = {name: parameters[name] for name in ("dbname", "user", "host", "port", "password") if name in parameters}
    made = impatient(patience).connect(**known, autocommit=True)
    assert isinstance(made, ImpatientConnection)
    return made


@pytest.mark.django_db
def test_a_silent_server_is_given_up_and_the_connection_with_it() -> None:
    with connect(0.3) as silent:
        backend = silent.info.backend_pid
        with pytest.raises(ServerSilent):
            silent.execute("SELECT pg_sleep(600)")
        assert silent.closed
        with pytest.raises(psycopg.OperationalError, match="closed"):
            silent.execute("SELECT 1")
    # It would sleep on in the database of the tests, which is to be dropped.
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 30000)", [backend])
        assert cursor.fetchone() == (True,)


@pytest.mark.django_db
def test_whoever_answers_in_time_is_heard() -> None:
    with connect(60) as patient:
        assert patient.execute("SELECT pg_sleep(0.4), 7").fetchone() == ("", 7)
        with pytest.raises(psycopg.errors.DivisionByZero):
            patient.execute("SELECT 1 / 0")
        with patient.transaction():
            assert patient.execute("SELECT generate_series(1, 3)").fetchall() == [(1,), (2,), (3,)]
