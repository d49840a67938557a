"""`Authorization: Bearer …`, read by whichever kind of credential knows the token."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from tarneeb_service.access.credentials import KINDS
from tarneeb_service.access.credentials.kind import unknown_token
from tarneeb_service.access.principals import Principal
from tarneeb_service.http.errors import CHALLENGE, NotAuthenticated
from tarneeb_service.http.headers import header_text


class BearerAuthentication(BaseAuthentication):
    """Makes `request.user` a `Principal`, and `request.auth` None."""

    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        """None without an Authorization header. Raises `NotAuthenticated`, `KeyRevoked`, `TokenExpired`, `Invalid`."""
        sent = request.META.get("HTTP_AUTHORIZATION")
        if sent is None:
            return None
        scheme, _, token = sent.partition(" ")
        if scheme.lower() != "bearer":
            raise NotAuthenticated("The credential here is a bearer token: Authorization: Bearer …")
        token = token.strip()
        for kind in KINDS:
            if kind.accepts(token):
                return kind.principal(token, header_text(request, "X-Player", extended=True)), None
        raise unknown_token()

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002  DRF's signature
        """What a 401 asks for."""
        return CHALLENGE
