"""`manage.py create_tenant NAME`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tarneeb_service.access import services
from tarneeb_service.access.errors import AccessError


class Command(BaseCommand):
    """Makes a tenant and prints its id."""

    help = "Make a tenant and print its id."

    def add_arguments(self, parser: CommandParser) -> None:
        """The tenant's name."""
        parser.add_argument("name")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Make it. Raises CommandError if the name is taken."""
        try:
            tenant = services.create_tenant(name=options["name"])
        except AccessError as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(str(tenant.id))
