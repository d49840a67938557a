"""What is refused of a webhook."""

from tarneeb_service.http.problems import Explanation, explain_as, register_problem


class WebhookNotFound(Exception):
    """The tenant has no such webhook, or the webhook no such delivery."""


class TooManyWebhooks(Exception):
    """A tenant has as many webhooks as it may have."""

    def __init__(self, most: int) -> None:
        super().__init__(f"A tenant has at most {most} webhooks.")
        self.most = most


class TooManySecrets(Exception):
    """So many secrets are valid at once that another is refused."""

    def __init__(self) -> None:
        super().__init__("The secret was rotated several times within a day. Wait until an older one has expired.")


class WebhookDisabled(Exception):
    """Nothing is sent to a webhook that is disabled."""

    def __init__(self) -> None:
        super().__init__("The webhook is disabled: enable it first.")


class NotAcceptableAddress(Exception):
    """Nothing is sent to this address. `code` says why, for machines; the message never names an address found."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def register() -> None:
    """Put them into the table of problem documents. Called once, when the app is ready."""
    register_problem(WebhookNotFound, 404, "not_found", "Not found", explain=explain_as("There is nothing here."))
    register_problem(
        TooManyWebhooks,
        409,
        "too_many_webhooks",
        "Too many webhooks",
        explain=lambda error: Explanation(str(error), {"limit": error.most}, {}),
    )
    register_problem(TooManySecrets, 409, "too_many_secrets", "Too many secrets", explain=_in_its_words)
    register_problem(WebhookDisabled, 409, "webhook_disabled", "The webhook is disabled", explain=_in_its_words)


def _in_its_words(error: Exception) -> Explanation:
    return Explanation(str(error), {}, {})
