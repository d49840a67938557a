"""A match as it happens, as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

import time
from collections.abc import Callable, Iterator
from uuid import UUID

from django.db import DatabaseError, connection
from msgspec import structs

from matches import selectors
from matches.answers import MatchAnswer, MomentAnswer, StreamedEvent
from matches.live import wakeups
from matches.live.long_poll import match_awaited
from matches.refusals import StreamNotFound
from matches.selectors import Viewer
from tarneeb_service.http.rendering import encode_json

HEARTBEAT_SECONDS = 15.0
RETRY_MILLISECONDS = 2000
"""How long an EventSource waits before it comes back."""
ASK_AGAIN_SECONDS = 60.0
"""How often it is asked whether who listens still may."""

OVER = frozenset({"completed", "abandoned", "voided"})


def happenings(
    *, match_id: UUID, viewer: Viewer, first: MatchAnswer | None, at: int, still_allowed: Callable[[], bool]
) -> Iterator[bytes]:
    """What an event stream sends: `first` whole if there is one, then every event after version `at`, one by one.

    Ends when the match is over, when this process ends, and when the viewer may no longer look; also where the database
    is away, for a client that comes back with the last id misses nothing. Holds no database connection between events.
    """
    yield b"retry: %d\n\n" % RETRY_MILLISECONDS
    if first is not None:
        yield _sent("match", at, encode_json(first))
        if first.status in OVER:
            return
    allowed_at = time.monotonic()
    try:
        while True:
            match = match_awaited(match_id=match_id, viewer=viewer, known=at.__ge__, seconds=HEARTBEAT_SECONDS)
            while at < match.version:
                moment = selectors.moment_seen(match_id=match_id, viewer=viewer, version=at + 1)
                at += 1
                _let_go()
                yield _sent(moment.event.type, at, encode_json(_streamed(moment)))
            if match.status in OVER or not wakeups.goes_on():
                return
            # A comment: keeps proxies from closing, and finds out whether anybody still listens.
            yield b":\n\n"
            if time.monotonic() - allowed_at >= ASK_AGAIN_SECONDS:
                if not still_allowed():
                    return
                allowed_at = time.monotonic()
    except (StreamNotFound, DatabaseError):
        return
    finally:
        _let_go()


def _let_go() -> None:
    if not connection.in_atomic_block:
        connection.close()


def _sent(event: str, version: int, data: bytes) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (version, event.encode(), data)


def _streamed(moment: MomentAnswer) -> StreamedEvent:
    after = moment.match
    return StreamedEvent(**structs.asdict(moment.event), turn=after.turn, you=after.you, server_now=after.server_now)
