"""Parts of a day that people name, and working hours as free slots take them."""

from enum import StrEnum

from tertulia.planning.free_slots import DAY_MINUTES, ClockSpan, WeekHours, narrow_hours

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class PartOfDay(StrEnum):
    """When in a day somebody would like something to be."""

    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"


SPAN_OF_PART = {
    PartOfDay.MORNING: ClockSpan(0, 12 * 60),
    PartOfDay.AFTERNOON: ClockSpan(12 * 60, 17 * 60),
    PartOfDay.EVENING: ClockSpan(17 * 60, DAY_MINUTES),
}
#: The evening of a day whose working hours are over by then.
FREE_EVENING = ClockSpan(17 * 60, 21 * 60)


def hours_of_part(hours: WeekHours, part: PartOfDay | None) -> WeekHours:
    """Return the hours of a part of the day.

    The evening of a day on which nobody works so late is free too, until 21:00.
    """
    if part is None:
        return hours
    narrowed = narrow_hours(hours, SPAN_OF_PART[part])
    if part is not PartOfDay.EVENING:
        return narrowed
    return {
        weekday: spans or ([FREE_EVENING] if hours[weekday] else []) for weekday, spans in narrowed.items()
    }
