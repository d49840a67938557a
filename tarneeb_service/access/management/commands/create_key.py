"""`manage.py create_key TENANT [--scopes play,read] [--expires 2030-01-31T00:00:00Z]`."""

from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tarneeb_service.access import services
from tarneeb_service.access.errors import AccessError
from tarneeb_service.access.principals import SCOPES
from tarneeb_service.access.selectors import tenant_named


class Command(BaseCommand):
    """Makes an API key and prints it, once."""

    help = "Make an API key for a tenant and print it. It cannot be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose key, for what, until when."""
        parser.add_argument("tenant", help="name or id")
        parser.add_argument("--scopes", default=",".join(SCOPES), help="separated by commas (default: %(default)s)")
        parser.add_argument("--expires", type=datetime.fromisoformat, help="a time with its zone; never if left out")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Make it. Raises CommandError for an unknown tenant or scope."""
        try:
            _, text = services.create_key(
                tenant=tenant_named(name_or_id=options["tenant"]),
                scopes=[scope.strip() for scope in options["scopes"].split(",")],
                expires_at=options["expires"],
            )
        except AccessError as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(text)
