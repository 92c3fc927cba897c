"""Calendars: events as iCalendar, in the built-in calendar and on CalDAV servers."""
