"""The app of the webhooks."""

from importlib import import_module
from importlib.util import find_spec

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Subscriptions of tenants, and what is delivered to them."""

    name = "matches.webhooks"
    label = "webhooks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Put what is refused into the table of problem documents, and listen for who comes and goes."""
        from matches.webhooks import refusals  # noqa: PLC0415  needs the loaded apps

        refusals.register()
        listen_for_presence()


def listen_for_presence() -> None:
    """Hear of presence where it is found out: a deployment may do without."""
    if find_spec("matches.presence") is not None:
        from matches.webhooks.presence import tell  # noqa: PLC0415  needs the loaded apps

        import_module("matches.presence").presence_changed.connect(tell, dispatch_uid="webhooks")
