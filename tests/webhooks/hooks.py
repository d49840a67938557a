"""Webhooks of a house, and what becomes of their deliveries, read past the code under test."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from matches.webhooks import claims, pump
from matches.webhooks.attempts import Attempt
from matches.webhooks.claims import Claimed
from matches.webhooks.fan_out import fan_out
from matches.webhooks.kinds import KINDS
from tests.api.callers import House
from tests.webhooks.receiver import Receiver

HOUR = 3600
DAY = 24 * HOUR


@dataclass
class Hook:
    """A webhook, made over the API."""

    house: House
    id: str
    secret: str

    @property
    def path(self) -> str:
        """Its address below /api/v1/."""
        return f"webhooks/{self.id}"

    def seen(self) -> dict[str, Any]:
        """What the API says of it."""
        answer: dict[str, Any] = self.house.backend.get(self.path).ok()
        return answer

    def change(self, **changes: Any) -> dict[str, Any]:
        """PATCH."""
        answer: dict[str, Any] = self.house.backend.ask("PATCH", self.path, changes).ok()
        return answer

    def log(self, **query: str) -> list[dict[str, Any]]:
        """Its delivery log, oldest first, all pages."""
        found: list[dict[str, Any]] = []
        cursor = ""
        while True:
            text = "&".join(f"{name}={value}" for name, value in {**query, "limit": "200"}.items()) + cursor
            page = self.house.backend.get(f"{self.path}/deliveries?{text}").ok()
            found += page["deliveries"]
            if page["next_cursor"] is None:
                return found[::-1]
            cursor = f"&cursor={page['next_cursor']}"

    def statuses(self) -> dict[str, int]:
        """How many deliveries have each status."""
        counts: dict[str, int] = {}
        for delivery in self.log():
            counts[delivery["status"]] = counts.get(delivery["status"], 0) + 1
        return counts


def hook(house: House, receiver: Receiver | str, events: Iterable[str] = KINDS) -> Hook:
    """A new webhook that wants to be told of everything, or of these kinds."""
    url = receiver if isinstance(receiver, str) else receiver.url
    made = house.backend.post("webhooks", {"url": url, "events": list(events)}).ok(201)
    return Hook(house, made["id"], made["secret"])


def deliver_until(condition: Callable[[], bool]) -> None:
    """Pump until it holds. Any transaction that is open anywhere on the server may keep the feed waiting."""
    while not condition():
        pump.pump()
        time.sleep(0.005)


def pump_all() -> int:
    """Wait until the feed shows everything that is stored, then pump once; the number of attempts."""
    wait_for_feed()
    return pump.pump()


def wait_for_feed() -> None:
    """Come back once the feed shows everything that is stored."""
    hidden = "SELECT FROM matches_storedevent WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1"
    with connection.cursor() as cursor:
        while True:
            cursor.execute(hidden)
            if cursor.fetchone() is None:
                return
            time.sleep(0.005)


def read_until_queued(count: int) -> None:
    """Read on for every webhook, without sending anything, until so many deliveries are waiting."""
    while waiting() < count:
        fan_out()
        time.sleep(0.005)


def claimed_until(count: int, most: int = 100) -> list[Claimed]:
    """Take what is due until so many are taken."""
    found: list[Claimed] = []
    while len(found) < count:
        found += claims.claim(most)
    return found


def waiting() -> int:
    """How many deliveries wait, of all webhooks."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM webhooks_delivery WHERE status = 'waiting'")
        return int(cursor.fetchone()[0])


def later(seconds: float) -> None:
    """Let so much time pass for all webhooks and deliveries: every time that they know of is moved back."""
    moved = {
        "webhooks_delivery": ("next_try_at", "first_attempt_at", "last_attempt_at", "delivered_at", "created_at"),
        "webhooks_webhook": ("failing_since", "last_success_at", "last_failure_at", "disabled_at"),
        "webhooks_webhooksecret": ("expires_at",),
        "webhooks_pumpslot": ("until",),
    }
    with connection.cursor() as cursor:
        for table, columns in moved.items():
            changes = ", ".join(f"{column} = {column} - make_interval(secs => {seconds})" for column in columns)
            cursor.execute(f"UPDATE {table} SET {changes}")


def seconds_to_next_try(delivery: dict[str, Any]) -> float:
    """How long a delivery rests from now on."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM next_try_at - clock_timestamp()) FROM webhooks_delivery WHERE id = %s",
            [UUID(delivery["id"])],
        )
        return float(cursor.fetchone()[0])


FAILED = Attempt("refused", 500, "no")
SUCCEEDED = Attempt(None, 200, "")
