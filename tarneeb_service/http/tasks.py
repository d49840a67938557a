"""What the workers do for HTTP."""

from celery import shared_task

from tarneeb_service.http import idempotency


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator, unused-ignore]  # Celery is typed in part
def purge_answers() -> None:
    """Let go of kept answers whose time is over."""
    idempotency.purge_answers()
