"""`manage.py create_moderator TENANT USERNAME [--role senior] [--password-stdin]`."""

import secrets
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tarneeb_service.access import services
from tarneeb_service.access.errors import AccessError
from tarneeb_service.access.models import Moderator
from tarneeb_service.access.selectors import tenant_named


class Command(BaseCommand):
    """Makes a moderator and prints a token, and the password if it was made up here, once."""

    help = "Make a moderator for a tenant and print a token. Neither it nor a made-up password can be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Who, for whom, in which role. A password on the command line could be read by everybody on the machine."""
        parser.add_argument("tenant", help="name or id")
        parser.add_argument("username")
        parser.add_argument("--role", choices=Moderator.Role.values, default=Moderator.Role.MODERATOR)
        parser.add_argument("--password-stdin", action="store_true", help="read the password from standard input")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Make the moderator. Raises CommandError for an unknown tenant or a taken name."""
        given = sys.stdin.readline().rstrip("\r\n") if options["password_stdin"] else None
        password = secrets.token_urlsafe(16) if given is None else given
        try:
            _, text = services.create_moderator(
                tenant=tenant_named(name_or_id=options["tenant"]),
                username=options["username"],
                password=password,
                role=options["role"],
            )
        except AccessError as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"token: {text}")
        if given is None:
            self.stdout.write(f"password: {password}")
