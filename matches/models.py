"""Tables: the log and its heads (the truth), and the read rows (derived, rebuildable).

The log is written and read with plain SQL in `event_store.py`; these models give the migrations their
state and the rest of Django something to query.
"""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from uuid_utils.compat import uuid7


class Xid8Field(models.Field[str, str]):
    """PostgreSQL's 64-bit transaction id."""

    def db_type(self, connection: object) -> str:  # noqa: ARG002  Django's signature
        """The column type."""
        return "xid8"


class Stream(models.Model):
    """The head of one stream of events. The only part of the log that changes."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.TextField()
    tenant = models.ForeignKey("access.Tenant", on_delete=models.PROTECT, related_name="+")
    version = models.IntegerField()
    head_hash = models.BinaryField()
    recorded_at = models.DateTimeField()
    snapshot = models.TextField(null=True)
    snapshot_version = models.IntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.id} at {self.version}"


class StoredEvent(models.Model):
    """One event, for ever. Partitioned by stream id, which carries the month in which the stream began."""

    pk = models.CompositePrimaryKey("stream_id", "version")
    stream_id = models.UUIDField()
    version = models.IntegerField()
    type = models.TextField()
    schema_version = models.SmallIntegerField()
    actor_kind = models.TextField()
    seat = models.SmallIntegerField(null=True)
    command_id = models.UUIDField()
    command_ix = models.SmallIntegerField()
    request_digest = models.BinaryField(null=True)
    body = models.TextField()
    prev_hash = models.BinaryField()
    hash = models.BinaryField()
    recorded_at = models.DateTimeField()
    xid = Xid8Field()
    pos = models.BigIntegerField()
    tenant_id = models.UUIDField()

    def __str__(self) -> str:
        return f"{self.stream_id}@{self.version} {self.type}"


class Outbox(models.Model):
    """What is no event of a match and is to be told of it all the same, in its place in the feed. See `outbox.py`."""

    pos = models.BigIntegerField(primary_key=True)
    xid = Xid8Field()
    tenant_id = models.UUIDField()
    match_id = models.UUIDField()
    version = models.IntegerField()
    kind = models.TextField()
    details = models.JSONField()
    recorded_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["tenant_id", "xid", "pos"], name="outbox_of_tenant")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.match_id}"


class DealSecret(models.Model):
    """The sealed seed of a match's deals. Not part of the log: whoever reads the log must not foresee a deal."""

    stream = models.OneToOneField(Stream, primary_key=True, on_delete=models.CASCADE, related_name="deal_secret")
    sealed_seed = models.BinaryField()

    def __str__(self) -> str:
        return f"deals of {self.stream_id}"


class Match(models.Model):
    """Read row of a match: what lists, turns and clocks need without folding. Rebuilt from events at any time."""

    id = models.UUIDField(primary_key=True, editable=False)
    tenant = models.ForeignKey("access.Tenant", on_delete=models.PROTECT, related_name="+")
    version = models.IntegerField()
    status = models.TextField()
    variant = models.TextField()
    target = models.IntegerField()
    visibility = models.TextField()
    turn_seconds = models.IntegerField(null=True)
    spectator_delay_seconds = models.IntegerField()
    hand = models.IntegerField()
    total_0 = models.IntegerField()
    total_1 = models.IntegerField()
    winner = models.SmallIntegerField(null=True)
    reason = models.TextField(null=True)
    turn_seat = models.SmallIntegerField(null=True)
    turn_since = models.DateTimeField(null=True)
    deadline = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    previous_match = models.UUIDField(null=True)
    next_match = models.UUIDField(null=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(F("tenant"), F("id").desc(), name="match_newest"),
            models.Index(fields=["tenant", "status", "id"], name="match_by_status"),
            models.Index(fields=["deadline"], condition=Q(deadline__isnull=False), name="match_due"),
        ]

    def __str__(self) -> str:
        return f"{self.variant} {self.id} {self.status}"


class MatchSeat(models.Model):
    """Read row: who sits where. `player` is the random reference that events carry."""

    pk = models.CompositePrimaryKey("match_id", "seat")
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    seat = models.SmallIntegerField()
    player = models.UUIDField()

    class Meta:
        indexes: ClassVar = [models.Index(F("player"), F("match").desc(), name="matches_of_player")]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.match_id}"
