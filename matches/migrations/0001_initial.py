"""The log, its heads, and the read rows of matches."""

from datetime import UTC, datetime

import django.db.models.deletion
import uuid_utils.compat
from django.db import migrations, models
from django.db.models import F, Q

import matches.models
from matches.partitions import ensure_partitions

EVENTS = """
CREATE SEQUENCE matches_event_pos;

CREATE TABLE matches_storedevent (
    stream_id uuid NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    command_ix smallint NOT NULL,
    seat smallint CHECK (seat BETWEEN 0 AND 3),
    schema_version smallint NOT NULL,
    recorded_at timestamptz NOT NULL,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    pos bigint NOT NULL DEFAULT nextval('matches_event_pos'),
    command_id uuid NOT NULL,
    type text NOT NULL,
    actor_kind text NOT NULL,
    request_digest bytea,
    prev_hash bytea NOT NULL,
    hash bytea NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (stream_id, version),
    UNIQUE (stream_id, command_id, command_ix)
) PARTITION BY RANGE (stream_id);

-- The feed reads across streams in the order of transactions.
CREATE INDEX matches_storedevent_feed ON matches_storedevent (xid, pos);

-- Heads and read rows change with every move: room on the page keeps those updates off the indexes.
ALTER TABLE matches_stream SET (fillfactor = 70);
ALTER TABLE matches_match SET (fillfactor = 70);
"""


# What makes an append valid: the stream's lock is had before anything is written, and after that, in a snapshot of its
# own, which each statement of a volatile function takes, the head stands where the writer read it.
CLAIM = """
CREATE FUNCTION matches_claim(lock_key bigint, stream uuid, expected integer) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(lock_key);
    IF (SELECT version FROM matches_stream WHERE id = stream) IS DISTINCT FROM expected THEN
        RAISE unique_violation USING MESSAGE = 'the stream has moved on';
    END IF;
END $$;
"""


def make_partitions(apps, schema_editor):
    """The partitions of the coming year; upkeep makes the later ones."""
    ensure_partitions(datetime.now(UTC))


class Migration(migrations.Migration):
    initial = True

    dependencies = [("access", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Stream",
            fields=[
                ("id", models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ("kind", models.TextField()),
                ("version", models.IntegerField()),
                ("head_hash", models.BinaryField()),
                ("recorded_at", models.DateTimeField()),
                ("snapshot", models.TextField(null=True)),
                ("snapshot_version", models.IntegerField(null=True)),
                ("tenant", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="access.tenant")),
            ],
        ),
        migrations.CreateModel(
            name="DealSecret",
            fields=[
                ("stream", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name="deal_secret", serialize=False, to="matches.stream")),
                ("sealed_seed", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("version", models.IntegerField()),
                ("status", models.TextField()),
                ("variant", models.TextField()),
                ("target", models.IntegerField()),
                ("visibility", models.TextField()),
                ("turn_seconds", models.IntegerField(null=True)),
                ("spectator_delay_seconds", models.IntegerField()),
                ("hand", models.IntegerField()),
                ("total_0", models.IntegerField()),
                ("total_1", models.IntegerField()),
                ("winner", models.SmallIntegerField(null=True)),
                ("reason", models.TextField(null=True)),
                ("turn_seat", models.SmallIntegerField(null=True)),
                ("turn_since", models.DateTimeField(null=True)),
                ("deadline", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("previous_match", models.UUIDField(null=True)),
                ("next_match", models.UUIDField(null=True)),
                ("tenant", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="access.tenant")),
            ],
            options={
                "indexes": [
                    models.Index(F("tenant"), F("id").desc(), name="match_newest"),
                    models.Index(fields=["tenant", "status", "id"], name="match_by_status"),
                    models.Index(condition=Q(deadline__isnull=False), fields=["deadline"], name="match_due"),
                ],
            },
        ),
        migrations.CreateModel(
            name="MatchSeat",
            fields=[
                ("pk", models.CompositePrimaryKey("match_id", "seat", blank=True, editable=False, primary_key=True, serialize=False)),
                ("seat", models.SmallIntegerField()),
                ("player", models.UUIDField()),
                ("match", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="matches.match")),
            ],
            options={"indexes": [models.Index(F("player"), F("match").desc(), name="matches_of_player")]},
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="StoredEvent",
                    fields=[
                        ("pk", models.CompositePrimaryKey("stream_id", "version", blank=True, editable=False, primary_key=True, serialize=False)),
                        ("stream_id", models.UUIDField()),
                        ("version", models.IntegerField()),
                        ("type", models.TextField()),
                        ("schema_version", models.SmallIntegerField()),
                        ("actor_kind", models.TextField()),
                        ("seat", models.SmallIntegerField(null=True)),
                        ("command_id", models.UUIDField()),
                        ("command_ix", models.SmallIntegerField()),
                        ("request_digest", models.BinaryField(null=True)),
                        ("body", models.TextField()),
                        ("prev_hash", models.BinaryField()),
                        ("hash", models.BinaryField()),
                        ("recorded_at", models.DateTimeField()),
                        ("xid", matches.models.Xid8Field()),
                        ("pos", models.BigIntegerField()),
                    ],
                ),
            ],
            database_operations=[
                migrations.RunSQL(EVENTS, "DROP TABLE matches_storedevent; DROP SEQUENCE matches_event_pos"),
                migrations.RunSQL(CLAIM, "DROP FUNCTION matches_claim"),
                migrations.RunPython(make_partitions, migrations.RunPython.noop),
            ],
        ),
    ]
