"""Conditional requests: entity tags as RFC 9110 has them, and `Prefer: wait` of RFC 7240.

A condition that cannot be read is refused, never ignored: whoever sent `If-Match` counts on it.
"""

import re
from functools import lru_cache

from django.http import HttpRequest
from msgspec import Struct
from rest_framework.request import Request

from tarneeb_service.http.errors import invalid

_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\uffff]*)"[ \t]*(?=,|$)')
_GAP = re.compile(r"[ \t,]*")
_WAIT = re.compile(r"wait[ \t]*=[ \t]*(?:\"([0-9]{1,9})\"|([0-9]{1,9}))(?:[ \t]*;.*)?", re.IGNORECASE)


class EntityTag(Struct, frozen=True):
    """One tag without its quotes."""

    value: str
    weak: bool = False


class EntityTags(Struct, frozen=True):
    """What a condition named: `any` for `*`, else its tags."""

    tags: tuple[EntityTag, ...] = ()
    any: bool = False

    def match_strongly(self, value: str) -> bool:
        """Whether `value` meets an If-Match; a weak tag never does."""
        return self.any or any(tag.value == value and not tag.weak for tag in self.tags)

    def match_weakly(self, value: str) -> bool:
        """Whether `value` meets an If-None-Match, which makes no difference between weak and strong."""
        return self.any or any(tag.value == value for tag in self.tags)


def version_tag(version: int) -> str:
    """The ETag of a version, quotes included: 57 is `"57"`."""
    return f'"{version}"'


def if_match(request: HttpRequest | Request) -> EntityTags | None:
    """The tags of If-Match, None if it was not sent. Raises `Invalid`."""
    sent = request.META.get("HTTP_IF_MATCH")
    return None if sent is None else _tags("If-Match", sent)


def if_none_match(request: HttpRequest | Request) -> EntityTags | None:
    """The tags of If-None-Match, None if it was not sent. Raises `Invalid`."""
    sent = request.META.get("HTTP_IF_NONE_MATCH")
    return None if sent is None else _tags("If-None-Match", sent)


@lru_cache(maxsize=256)
def _tags(header: str, sent: str) -> EntityTags:
    if sent.strip() == "*":
        return EntityTags(any=True)
    tags, place = [], _skip_gap(sent, 0)
    while place < len(sent) and (match := _TAG.match(sent, place)):
        tags.append(EntityTag(match[2], weak=match[1] is not None))
        place = _skip_gap(sent, match.end())
    if not tags or place < len(sent):
        raise invalid(header, "invalid", 'Entity tags are quoted and separated by commas, as in "57", or a single *.')
    return EntityTags(tuple(tags))


def _skip_gap(text: str, place: int) -> int:
    match = _GAP.match(text, place)
    return place if match is None else match.end()


def wait_seconds(request: HttpRequest | Request, *, most: int) -> int:
    """How long the caller would wait for news (`Prefer: wait=25`), in whole seconds, `most` at most.

    0 if it said nothing; a preference that cannot be read counts as not sent, as RFC 7240 wants.
    """
    for preference in request.META.get("HTTP_PREFER", "").split(","):
        if match := _WAIT.fullmatch(preference.strip()):
            return min(int(match[1] or match[2]), most)
    return 0
