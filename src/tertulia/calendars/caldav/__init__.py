"""CalDAV: calendars of other servers, kept the same here and there."""
