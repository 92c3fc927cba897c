"""When a calendar is kept the same as at its server: right after a change, and every few minutes."""

from datetime import timedelta

from tertulia.infra.courier.news import JobsQueued
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import NO_JOB_DELAY, enqueue, payload_by

SYNC_JOB = "sync_calendar"
#: How often it is asked what others changed at a server.
SYNC_INTERVAL = timedelta(minutes=10)


def sync_key(calendar_id: str) -> str:
    """Return the key under which one process at a time syncs a calendar."""
    return f"{SYNC_JOB}:{calendar_id}"


def queue_sync(tx: Tx, calendar_id: str, *, delay: timedelta = NO_JOB_DELAY, log: EventLog) -> None:
    """Have one of the caller's calendars synced: without a delay right after the commit."""
    payload = payload_by(tx.by, calendar_id=calendar_id)
    enqueue(tx, SYNC_JOB, key=sync_key(calendar_id), payload=payload, delay=delay)
    if not delay:
        tx.after_commit(lambda: log.courier.publish(JobsQueued()))
