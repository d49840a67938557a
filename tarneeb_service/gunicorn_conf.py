"""How gunicorn serves: `gunicorn -c python:tarneeb_service.gunicorn_conf tarneeb_service.wsgi`.

Workers are gevent's: a stream or a long poll that waits costs a greenlet, and psycopg yields while it waits for the
database.
"""

from typing import Any

from environs import Env

env = Env()

bind = env.str("WEB_BIND", "127.0.0.1:8000")
workers = env.int("WEB_WORKERS", 2)
worker_class = "gevent"
worker_connections = env.int("WEB_CONNECTIONS", 5000)
# A greenlet holds a connection only while it works for a request, so few serve many. In all, workers times this, and
# beside them Celery's processes one each; the server's max_connections has to hold the sum.
raw_env = [f"DATABASE_POOL_SIZE={env.int('WEB_DATABASE_POOL_SIZE', 16)}"]
timeout = 60
graceful_timeout = 10
keepalive = 75
accesslog = None
errorlog = "-"
# It would lie in the home directory, one for all services of a user.
control_socket_disable = True
# What gunicorn would take for the addresses that a proxy in front has changed, any client of ours could send.
forwarder_headers = ""


def post_worker_init(worker: Any) -> None:
    """Called in each worker when the application is loaded, and not before: it must not be imported unpatched."""
    from matches.live import wakeups  # noqa: PLC0415  patched before, see above
    from tarneeb_service.http import server_errors  # noqa: PLC0415  patched before, see above

    server_errors.install()
    # On SIGTERM requests that wait for news are answered, so that nothing is cut off after graceful_timeout.
    wakeups.ends_with(lambda: bool(worker.alive))
