"""`manage.py rebuild_read_rows`: drop every read row and make it again from the events."""

from typing import Any

from django.core.management.base import BaseCommand

from matches.rebuild import rebuild_read_rows


class Command(BaseCommand):
    """Read rows of all matches, made again in one transaction."""

    help = "Drop every read row of matches and make it again from the events."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002  Django's signature
        """Rebuild and say how many."""
        count = rebuild_read_rows()
        self.stdout.write(self.style.SUCCESS(f"{count} matches rebuilt from their events"))
