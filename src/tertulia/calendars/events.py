"""Telling a person's devices that there are calendars to fetch, never what they say."""

from tertulia.core.nul_characters import encode_storable_json
from tertulia.infra.courier.news import JobsQueued
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import member_topic
from tertulia.live.personal_events import CalendarsChanged


def publish_change(tx: Tx, *, log: EventLog) -> None:
    """Tell the caller's own devices, and nobody else's, that calendars or events changed."""
    topic = member_topic(tx.by.workspace_id, tx.by.user_id)
    log.append(tx, topic, [encode_storable_json(CalendarsChanged())])
    # Where a server keeps the calendar, it is told right away.
    tx.after_commit(lambda: log.courier.publish(JobsQueued()))
