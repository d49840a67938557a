"""What the workers do for webhooks. Beat sends both; a lost message is made up for by the next."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings

from matches import outbox
from matches.webhooks import pump, queue


# Confirmed before its work: the next message comes in a second anyway, and a worker that loses its broker stops what is
# not confirmed yet, in the middle of deliveries that would then be made twice.
@shared_task(ignore_result=True, acks_late=False)  # type: ignore[untyped-decorator, unused-ignore]  # Celery is typed in part
def deliver() -> None:
    """Deliver what is due and what becomes due meanwhile."""
    pump.pump()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator, unused-ignore]  # Celery is typed in part
def purge_deliveries() -> None:
    """Let go of the delivery log past its time, and of what was put beside the log."""
    kept = timedelta(days=settings.WEBHOOK_KEEP_DAYS)
    queue.purge(older_than=kept)
    outbox.purge(older_than=kept)
