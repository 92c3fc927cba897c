"""The event log: numbered, stored, then heard. See `log`."""

from tertulia.infra.events.log import EventLog
from tertulia.infra.events.topic_feed import EventEntry

__all__ = ["EventEntry", "EventLog"]
