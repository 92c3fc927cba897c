"""The names of the caller's calendars."""

from tertulia.calendars import service as calendar_service
from tertulia.infra.db import Tx


def read_calendar_names(tx: Tx) -> dict[str, str]:
    """Return the name of each of the caller's calendars by its id."""
    return {calendar.id: calendar.name for calendar in calendar_service.list_calendars(tx)}
