"""The event log: numbered, stored, then heard. See `log`."""

from tertulia.infra.events.log import EventEntry, EventLog

__all__ = ["EventEntry", "EventLog"]
