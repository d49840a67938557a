"""The app that holds what every HTTP answer of the service has in common."""

from django.apps import AppConfig


class HttpConfig(AppConfig):
    """Problem documents, bodies in and out, conditional and repeated requests."""

    name = "tarneeb_service.http"
    label = "http"

    def ready(self) -> None:
        """Fill the problem table; other apps add their own rows when they are ready."""
        from tarneeb_service.http.problem_rows import register_common_problems  # noqa: PLC0415  the models come first

        register_common_problems()
