"""Webhooks, their secrets, and the deliveries of which the queue and the delivery log are made."""

import django.contrib.postgres.fields
import django.db.models.deletion
import matches.webhooks.models
from django.db import migrations, models


QUEUE = """
CREATE SEQUENCE webhooks_queue;

-- Both change with every delivery: room on the page keeps the updates off the indexes.
ALTER TABLE webhooks_webhook SET (fillfactor = 50);
ALTER TABLE webhooks_delivery SET (fillfactor = 80);
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("access", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="PumpSlot",
            fields=[
                ("slot", models.SmallIntegerField(primary_key=True, serialize=False)),
                ("holder", models.UUIDField()),
                ("until", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.UUIDField(default=matches.webhooks.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ("url", models.TextField()),
                ("events", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ("enabled", models.BooleanField(default=True)),
                ("disabled_at", models.DateTimeField(null=True)),
                ("disabled_reason", models.TextField(null=True)),
                ("failing_since", models.DateTimeField(null=True)),
                ("last_success_at", models.DateTimeField(null=True)),
                ("last_failure_at", models.DateTimeField(null=True)),
                ("feed_xid", models.BigIntegerField()),
                ("feed_pos", models.BigIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now_add=True)),
                ("tenant", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="access.tenant")),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.UUIDField(default=matches.webhooks.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ("match_id", models.UUIDField()),
                ("version", models.IntegerField()),
                ("kind", models.TextField()),
                ("details", models.JSONField(null=True)),
                ("occurred_at", models.DateTimeField()),
                ("created_at", models.DateTimeField()),
                ("status", models.TextField()),
                ("queued", models.BigIntegerField()),
                ("next_try_at", models.DateTimeField(null=True)),
                ("claim", models.UUIDField(null=True)),
                ("attempts", models.IntegerField(default=0)),
                ("first_attempt_at", models.DateTimeField(null=True)),
                ("last_attempt_at", models.DateTimeField(null=True)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("error", models.TextField(null=True)),
                ("response_status", models.SmallIntegerField(null=True)),
                ("response_body", models.TextField(null=True)),
                ("took_ms", models.IntegerField(null=True)),
                ("webhook", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="webhooks.webhook")),
            ],
        ),
        migrations.CreateModel(
            name="WebhookSecret",
            fields=[
                ("id", models.UUIDField(default=matches.webhooks.models.uuid7, editable=False, primary_key=True, serialize=False)),
                ("sealed", models.BinaryField()),
                ("expires_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("webhook", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="secrets", to="webhooks.webhook")),
            ],
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(fields=["tenant", "id"], name="webhooks_of_tenant"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(condition=models.Q(("status", "waiting")), fields=["webhook", "match_id", "queued"], name="delivery_queue"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(condition=models.Q(("next_try_at__isnull", False)), fields=["webhook", "next_try_at"], name="delivery_due"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(models.F("webhook"), models.OrderBy(models.F("id"), descending=True), name="delivery_newest"),
        ),
        migrations.RunSQL(QUEUE, "DROP SEQUENCE webhooks_queue"),
    ]
