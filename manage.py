#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys


def main() -> None:
    """Run the command named in the arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tarneeb_service.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415  settings come first

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
