"""How calendars and events are refused."""

from tertulia.core.errors import Conflict, Invalid, Limited, TooLarge


class EventTimesReversed(Invalid):
    """An event would end before it begins."""

    code = "event_times_reversed"

    def __init__(self) -> None:
        super().__init__("The event ends before it begins. Choose a later end, or an earlier start.")


class EventTimeInvalid(Invalid):
    """A time of an event cannot be one."""

    code = "event_time_invalid"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The event's time cannot be read: {reason}.")


class EventFieldInvalid(Invalid):
    """A field of an event has a value that it cannot have."""

    code = "event_field_invalid"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name!r} of an event cannot be read: {reason}.", field=name)


class EventRuleInvalid(Invalid):
    """A rule of recurrence is none that events can follow."""

    code = "event_rule_invalid"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"This rule of recurrence cannot be used: {reason}. One looks like FREQ=WEEKLY;BYDAY=MO."
        )


class EventRangeTooLong(Invalid):
    """More time was asked about than is looked through at once."""

    code = "event_range_too_long"

    def __init__(self, days: int) -> None:
        super().__init__(f"Ask about {days} days or fewer at a time, with the end after the start.")


class TooManyOccurrences(Limited):
    """More events happen in a stretch of time than are listed at once."""

    code = "too_many_occurrences"

    def __init__(self, limit: int) -> None:
        super().__init__(f"More than {limit} events happen in this time. Ask about fewer days or calendars.")


class EventChanged(Conflict):
    """An event was changed since it was read."""

    code = "event_changed"

    def __init__(self) -> None:
        super().__init__("The event was changed meanwhile. Read it again, and then make your change.")


class ScopeUnfit(Invalid):
    """Some times of a series were meant, but not said which, or the event does not recur."""

    code = "scope_unfit"

    def __init__(self, message: str) -> None:
        super().__init__(message)


class CalendarReadOnly(Conflict):
    """Nobody can change the events of a calendar here."""

    code = "calendar_read_only"
    is_personal = True

    def __init__(self, name: str) -> None:
        super().__init__(f"The events of {name!r} can only be read. Choose another calendar.")


class CalendarNeeded(Conflict):
    """The calendar that everybody has was to be deleted."""

    code = "calendar_needed"

    def __init__(self) -> None:
        super().__init__("Everybody keeps this calendar. Rename it, or delete its events.")


class CalendarTextInvalid(Invalid):
    """A text is no iCalendar."""

    code = "calendar_text_invalid"

    def __init__(self, reason: str) -> None:
        super().__init__(f"This is no calendar file (.ics) that can be read: {reason}.")
        self.reason = reason


class CalendarTextTooLarge(TooLarge):
    """A calendar file is larger than is read."""

    code = "calendar_text_too_large"

    def __init__(self, megabytes: int) -> None:
        super().__init__(f"A calendar file may have {megabytes} MB. Split it, and import the parts.")


class EventTooLarge(TooLarge):
    """One event is larger than is kept."""

    code = "event_too_large"

    def __init__(self, kilobytes: int) -> None:
        super().__init__(f"One event may have {kilobytes} kB with all that is attached to it.")
