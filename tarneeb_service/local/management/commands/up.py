"""`manage.py up`."""

from typing import Any

from django.core.management import BaseCommand, CommandError
from environs import Env, EnvError

from tarneeb_service.local.console import Console
from tarneeb_service.local.processes import LocalError
from tarneeb_service.local.up import up


class Command(BaseCommand):
    """Start everything on this machine: PostgreSQL, Valkey, web, worker, beat, and a demo match."""

    help = (
        "Start everything on this machine: database, broker, web, worker, beat, and a demo match. "
        "PORT (8000), LOCAL_DIR (.local) and DEMO (1) in the environment change what their names say; "
        "with DATABASE_URL or BROKER_URL set, that server is used instead of an embedded one."
    )

    def handle(self, *_arguments: Any, **_options: Any) -> None:
        """Run until a signal."""
        env = Env()
        try:
            up(port=env.int("PORT", 8000), demo=env.bool("DEMO", True), console=Console())
        except (EnvError, LocalError) as error:
            raise CommandError(str(error)) from None
