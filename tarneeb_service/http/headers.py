"""Text in headers. WSGI hands over bytes dressed up as Latin-1; what clients send is UTF-8."""

import re
from urllib.parse import unquote_to_bytes

from django.http import HttpRequest
from rest_framework.request import Request

from tarneeb_service.http.errors import invalid

_EXTENDED = re.compile(r"utf-8'[A-Za-z0-9-]*'((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-Fa-f]{2})*)", re.IGNORECASE)


def header_text(request: HttpRequest | Request, name: str, *, extended: bool = False) -> str | None:
    """The header's value as text, None if it was not sent.

    `extended` also takes the ASCII form of RFC 8187, `UTF-8''%D8%A3…`, for clients whose library sends nothing else.
    Raises `Invalid`, naming the header, where the value is not UTF-8 or holds a NUL character.
    """
    sent: str | None = request.META.get("HTTP_" + name.upper().replace("-", "_"))
    if sent is None:
        return None
    try:
        text = sent if sent.isascii() else sent.encode("latin-1").decode()
        if extended and (match := _EXTENDED.fullmatch(text)):
            text = unquote_to_bytes(match[1]).decode()
    except UnicodeError:
        raise invalid(name, "invalid_utf8", "The header is not text in UTF-8.") from None
    if "\0" in text:
        raise invalid(name, "nul_character", "The header holds a NUL character.")
    return text.strip()
