"""What can be wrong with a request before any rule of the game is asked: one class each, all under `Refused`.

`problems.py` gives each its status, code and title. `detail` says what was wrong, `facts` are the fields of the problem
document that explain it, `headers` go onto the answer. None of them ever holds a secret or another player's cards.
"""

from collections.abc import Mapping

from msgspec import Struct

CHALLENGE = 'Bearer realm="tarneeb"'
"""What a 401 asks for (RFC 6750)."""


class FieldError(Struct, frozen=True):
    """One unacceptable field. `field` is a dotted path (`players.2`), a header's name, or "" for the whole body."""

    field: str
    code: str
    detail: str


class Refused(Exception):
    """The request was not carried out, and nothing was stored."""

    def __init__(self, detail: str, *, headers: Mapping[str, str] | None = None, **facts: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.headers = dict(headers or {})
        self.facts = facts

    def explanation(self) -> dict[str, object]:
        """The facts behind the refusal, JSON-ready, by field name."""
        return dict(self.facts)


class Invalid(Refused):
    """Fields, headers or parameters that cannot be accepted; `errors` names each."""

    def __init__(self, *errors: FieldError) -> None:
        named = ", ".join(error.field or "the body" for error in errors)
        super().__init__(f"Not acceptable: {named}.", errors=list(errors))
        self.errors = errors


def invalid(field: str, code: str, detail: str) -> Invalid:
    """The refusal of a single field."""
    return Invalid(FieldError(field, code, detail))


class MalformedJson(Refused):
    """The body is not JSON in UTF-8."""


class UnreadableRequest(Refused):
    """The request broke off, or is none that HTTP knows."""


class AddressTooLong(Refused):
    """The request's first line is longer than the server reads."""

    def __init__(self) -> None:
        super().__init__("The address of the request is too long.")


class HeadersTooLarge(Refused):
    """The request has more headers, or longer ones, than the server reads."""

    def __init__(self) -> None:
        super().__init__("The headers of the request are too many or too long.")


class ExpectationFailed(Refused):
    """The request expects something else than to be told to go on."""

    def __init__(self) -> None:
        super().__init__("The only expectation known here is 100-continue.")


class UnknownTransferCoding(Refused):
    """The body arrives in a form that the server cannot undo."""

    def __init__(self) -> None:
        super().__init__("The only transfer coding known here is chunked.")


class LengthRequired(Refused):
    """The server in front cannot tell where a body without a length ends."""

    def __init__(self) -> None:
        super().__init__("The request needs a Content-Length.")


class BodyTooLarge(Refused):
    """The body is longer than this address takes; `limit` is in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"A body here is at most {limit} bytes.", limit=limit)


class NotAuthenticated(Refused):
    """No credential, or none that is known here."""

    def __init__(self, detail: str, *, challenge: str = CHALLENGE) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": challenge})


class KeyRevoked(NotAuthenticated):
    """The credential was known here and has been withdrawn."""

    def __init__(self) -> None:
        super().__init__("This credential was revoked.", challenge=f'{CHALLENGE}, error="invalid_token"')


class TokenExpired(NotAuthenticated):
    """The credential's time has run out."""

    def __init__(self) -> None:
        super().__init__("This credential has expired.", challenge=f'{CHALLENGE}, error="invalid_token"')


class Forbidden(Refused):
    """Known, but not allowed to do this."""


class NotFound(Refused):
    """Nothing here that this caller may know of."""

    def __init__(self, detail: str = "There is nothing here.") -> None:
        super().__init__(detail)


class IdempotencyKeyReused(Refused):
    """The Idempotency-Key belongs to an earlier, different request."""

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used for a different request. Use a new key for a new request.")


class Unavailable(Refused):
    """Something that the request needs was not to be had in time; nothing was stored."""

    def __init__(self, *, retry_after: int = 1) -> None:
        super().__init__(
            "The service cannot answer just now. Repeat the request, with the same Idempotency-Key if it had one.",
            headers={"Retry-After": str(retry_after)},
        )
