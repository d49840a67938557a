"""The app of the matches."""

from django.apps import AppConfig


class MatchesConfig(AppConfig):
    """Engine, event store, services and the API of the matches."""

    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Put the engine's and the store's errors into the table of problem documents."""
        from matches.api import problems  # noqa: PLC0415  needs the loaded apps

        problems.register()
