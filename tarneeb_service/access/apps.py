"""The app that knows who asks."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    """Tenants, their keys, players and moderators."""

    name = "tarneeb_service.access"
    label = "access"

    def ready(self) -> None:
        """Describe the credentials to the OpenAPI document."""
        from tarneeb_service.access import schema  # noqa: F401, PLC0415  drf-spectacular finds extensions on import
