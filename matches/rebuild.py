"""Read rows made again from the log, for when their shape changes or somebody doubts them."""

from uuid import UUID

from django.db import connection, transaction

from matches import event_store, projections
from matches.engine import evolve
from matches.engine.state import Over, State


def rebuild_read_rows() -> int:
    """Drop every read row and make it again from the events; the number of matches. Play waits meanwhile.

    One transaction: readers see the old rows until the new ones are whole.
    """
    count = 0
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE matches_match, matches_matchseat IN EXCLUSIVE MODE")
            cursor.execute("DELETE FROM matches_matchseat; DELETE FROM matches_match")
        for stream_id, tenant_id in event_store.streams():
            _rebuild(stream_id, tenant_id)
            count += 1
        projections.link_matches()
    return count


def _rebuild(stream_id: UUID, tenant_id: UUID) -> None:
    """The rows of one match: its creation as it was recorded, then all that came after it in one step."""
    recorded = event_store.events_of(stream_id)
    created = [entry for entry in recorded if entry.command_id == recorded[0].command_id]
    later = recorded[len(created) :]
    state: State | None = None
    for batch in (created, later):
        ended_at = None
        for entry in batch:
            was_over = isinstance(state, Over)
            state = evolve(state, entry.event)
            if isinstance(state, Over) and not was_over:
                ended_at = entry.recorded_at
        if batch and state is not None:
            projections.project(
                stream_id=stream_id,
                tenant_id=tenant_id,
                version=batch[-1].version,
                state=state,
                events=[entry.event for entry in batch],
                recorded_at=batch[-1].recorded_at,
                ended_at=ended_at,
            )
