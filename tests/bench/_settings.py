"""The service's settings, with the yardstick's address beside the service's."""

from tarneeb_service.settings import *  # noqa: F403  settings build on settings

ROOT_URLCONF = "tests.bench._bare"
