"""`manage.py revoke_key KEY`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tarneeb_service.access import services
from tarneeb_service.access.errors import AccessError
from tarneeb_service.access.selectors import key_named


class Command(BaseCommand):
    """Revokes an API key, at once."""

    help = "Revoke an API key. It is refused from the next request on."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which key."""
        parser.add_argument("key", help="its public part (tk_ and the twelve letters after it)")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Revoke it. Raises CommandError if there is no such key."""
        try:
            key = key_named(key=options["key"])
        except AccessError as refused:
            raise CommandError(str(refused)) from refused
        services.revoke_key(key=key)
        self.stdout.write(f"{key} of {key.tenant} is revoked since {key.revoked_at:%Y-%m-%d %H:%M:%S} UTC.")
