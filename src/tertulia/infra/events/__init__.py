"""The event log: numbered, stored, then heard. See `log`."""

from tertulia.infra.events.log import Entry, EventLog

__all__ = ["Entry", "EventLog"]
