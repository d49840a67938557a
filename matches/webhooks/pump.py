"""The pump: reads on for every webhook, takes what is due, sends it, writes down what came of it, until all is sent.

Sending waits in threads, one for each message under way; the database is asked by the pump's own thread alone. So one
connection serves dozens of slow receivers, and none of them holds a transaction open, for which the feed would wait.
"""

import logging
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from matches.refusals import StreamNotFound
from matches.webhooks import claims, sending, signing
from matches.webhooks.attempts import Attempt
from matches.webhooks.claims import Claimed
from matches.webhooks.fan_out import fan_out
from matches.webhooks.payloads import composed
from tarneeb_service.database import Statement, rows_of

logger = logging.getLogger(__name__)

SLOT_SECONDS = 15.0
"""How long a pump that died keeps its slot."""
LOOK_AGAIN_SECONDS = 0.2


def pump(*, seconds: float = 10.0) -> int:
    """Deliver for up to so long, and until what is under way by then has ended; the number of attempts made.

    Returns at once if as many pumps as there may be are at work. Another may begin as soon as this one takes on nothing
    more, so that those who keep it waiting keep nobody else waiting.
    """
    with _slot() as slot:
        if slot is None:
            return 0
        with ThreadPoolExecutor(settings.WEBHOOK_WIDTH, thread_name_prefix="webhook") as threads:
            return _Pump(slot, threads).run(time.monotonic() + seconds)


class _Pump:
    def __init__(self, slot: "_Slot", threads: ThreadPoolExecutor) -> None:
        self._slot = slot
        self._threads = threads
        self._under_way: dict[Future[Attempt], Claimed] = {}
        self._attempts = 0
        self._looked_at = 0.0

    def run(self, end: float) -> int:
        """Pump until `end` by the monotonic clock, or until nothing is left."""
        while True:
            if time.monotonic() >= end:
                self._slot.give_back()
            elif self._slot.renew():
                self._take_on()
            if not self._under_way:
                return self._attempts
            done, _ = wait(self._under_way, LOOK_AGAIN_SECONDS, FIRST_COMPLETED)
            for future in done:
                claims.settle(self._under_way.pop(future), future.result())

    def _take_on(self) -> None:
        if not self._under_way or time.monotonic() - self._looked_at > LOOK_AGAIN_SECONDS:
            self._looked_at = time.monotonic()
            fan_out()
        free = settings.WEBHOOK_WIDTH - len(self._under_way)
        for claimed in claims.claim(free) if free else ():
            self._attempts += 1
            self._begin(claimed)

    def _begin(self, claimed: Claimed) -> None:
        try:
            headers, body = _message(claimed)
        except StreamNotFound:
            claims.settle(claimed, Attempt("match_gone"), final=True)
        except Exception:
            # One message that cannot be composed keeps no other back; it is tried again, for a day.
            logger.exception("delivery %s cannot be composed", claimed.id)
            claims.settle(claimed, Attempt("internal"))
        else:
            self._under_way[self._threads.submit(_send, claimed, headers, body)] = claimed


def _send(claimed: Claimed, headers: dict[str, str], body: bytes) -> Attempt:
    try:
        return sending.send(claimed.url, headers, body)
    except Exception:
        logger.exception("delivery %s cannot be sent", claimed.id)
        return Attempt("internal")


def _message(claimed: Claimed) -> tuple[dict[str, str], bytes]:
    body = composed(
        tenant_id=claimed.tenant_id,
        match_id=claimed.match_id,
        version=claimed.version,
        kind=claimed.kind,
        occurred_at=claimed.occurred_at,
        details=claimed.details,
    )
    secrets = [signing.unseal(bytes(sealed), claimed.webhook_id) for sealed in claimed.secrets]
    return signing.signed_headers(message_id=claimed.id, at=timezone.now(), body=body, secrets=secrets), body


class _Slot:
    """The right to pump, for as long as it is renewed in time."""

    def __init__(self, slot: int, holder: UUID) -> None:
        self._slot = slot
        self._holder = holder
        self._renewed_at = time.monotonic()
        self._is_held = True

    def renew(self) -> bool:
        """Keep the slot; False if somebody else has it meanwhile."""
        if not self._is_held:
            return False
        if time.monotonic() - self._renewed_at < SLOT_SECONDS / 5:
            return True
        self._renewed_at = time.monotonic()
        rows = rows_of(Statement(_RENEW, (SLOT_SECONDS, self._slot, self._holder)))
        self._is_held = bool(rows)
        return self._is_held

    def give_back(self) -> None:
        """Let the next pump begin at once."""
        if not self._is_held:
            return
        self._is_held = False
        rows_of(Statement(_RENEW, (0.0, self._slot, self._holder)))


@contextmanager
def _slot() -> Iterator[_Slot | None]:
    holder = uuid4()
    for number in range(settings.WEBHOOK_PUMPS):
        rows = rows_of(Statement(_TAKE, (number, holder, SLOT_SECONDS)))
        if rows:
            slot = _Slot(number, holder)
            try:
                yield slot
            finally:
                slot.give_back()
            return
    yield None


_TAKE = """
INSERT INTO webhooks_pumpslot AS s (slot, holder, until)
VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s))
    ON CONFLICT (slot) DO UPDATE SET holder = excluded.holder, until = excluded.until
 WHERE s.until <= clock_timestamp()
RETURNING s.slot"""
_RENEW = """
UPDATE webhooks_pumpslot SET until = clock_timestamp() + make_interval(secs => %s)
 WHERE slot = %s AND holder = %s RETURNING slot"""
