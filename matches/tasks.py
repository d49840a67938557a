"""What the workers do for matches."""

from datetime import UTC, datetime

from celery import shared_task

from matches import partitions


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator, unused-ignore]  # Celery is typed in part
def ensure_partitions() -> None:
    """Keep a year of the log's partitions ready."""
    partitions.ensure_partitions(datetime.now(UTC))
