"""The outbox: events know their tenant, and what is no event of a match has a table in the feed's order beside them.

Fills the log in one transaction: it was written before the first release, when every log was short.
"""

from django.db import migrations, models

import matches.models

EVENTS_BY_TENANT = """
ALTER TABLE matches_storedevent ADD COLUMN tenant_id uuid;
UPDATE matches_storedevent e SET tenant_id = s.tenant_id FROM matches_stream s WHERE s.id = e.stream_id;
ALTER TABLE matches_storedevent ALTER COLUMN tenant_id SET NOT NULL;

-- A small tenant's feed is read from its own part of the index, however much the others play.
CREATE INDEX matches_storedevent_feed_of_tenant ON matches_storedevent (tenant_id, xid, pos);
"""
OUTBOX = """
ALTER TABLE matches_outbox ALTER COLUMN pos SET DEFAULT nextval('matches_event_pos');
"""


class Migration(migrations.Migration):
    dependencies = [("matches", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.AddField("storedevent", "tenant_id", models.UUIDField(), preserve_default=False)],
            database_operations=[
                migrations.RunSQL(EVENTS_BY_TENANT, "ALTER TABLE matches_storedevent DROP COLUMN tenant_id"),
            ],
        ),
        migrations.CreateModel(
            name="Outbox",
            fields=[
                ("pos", models.BigIntegerField(primary_key=True, serialize=False)),
                ("xid", matches.models.Xid8Field()),
                ("tenant_id", models.UUIDField()),
                ("match_id", models.UUIDField()),
                ("version", models.IntegerField()),
                ("kind", models.TextField()),
                ("details", models.JSONField()),
                ("recorded_at", models.DateTimeField()),
            ],
            options={"indexes": [models.Index(fields=["tenant_id", "xid", "pos"], name="outbox_of_tenant")]},
        ),
        migrations.RunSQL(OUTBOX, migrations.RunSQL.noop),
    ]
