"""How the tools of the planner are refused."""

from tertulia.core.errors import Invalid, NotAllowed


class CalendarNotShared(NotAllowed):
    """A calendar is asked for where others than its person read what comes of it."""

    code = "calendar_not_shared"

    def __init__(self) -> None:
        super().__init__(
            "A calendar is its person's alone, and others read this conversation: "
            "ask in a conversation of your own."
        )


class DateUnclear(Invalid):
    """Words that should be a day or a time cannot be read, or only in part."""

    code = "date_unclear"

    def __init__(self, text: str, *, read: str = "") -> None:
        part = f"Of “{text}” only “{read}” can be read." if read else f"“{text}” is no day or time."
        super().__init__(
            f"{part} Write 2026-11-20, 2026-11-20T16:00, or words such as “next Friday at 4 pm”."
        )


class DateRecurs(Invalid):
    """Words on a day that comes again are given where one day is needed."""

    code = "date_recurs"

    def __init__(self, text: str) -> None:
        super().__init__(f"“{text}” recurs, and one day is needed here. Name it, such as 2026-11-20.")


class TimeMissing(Invalid):
    """A day is given where a time of day is needed."""

    code = "time_missing"

    def __init__(self, text: str) -> None:
        super().__init__(f"“{text}” is a day without a time. Say when it begins, such as 2026-11-20T16:00.")


class ZoneUnknown(Invalid):
    """A time zone has a name that nobody knows."""

    code = "zone_unknown"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no time zone “{name}”. One looks like Europe/Madrid.")


class TimeOfSeriesMissing(Invalid):
    """Some times of a recurring event are meant, and none is named."""

    code = "time_of_series_missing"

    def __init__(self) -> None:
        super().__init__("Say which time of the series is meant, in `recurrence_id`, or take the scope all.")


class EndsBeforeStart(Invalid):
    """Something would end before it begins, or as it does."""

    code = "ends_before_start"

    def __init__(self) -> None:
        super().__init__("It would end before it begins. Give a later end, or how many minutes it takes.")


class TitleMissing(Invalid):
    """A title has no words."""

    code = "title_missing"

    def __init__(self) -> None:
        super().__init__("The title says nothing. Write at least one word.")


class NothingToChange(Invalid):
    """A change changes nothing."""

    code = "nothing_to_change"

    def __init__(self) -> None:
        super().__init__(
            "`updates` names nothing to change. Name at least one field; a time zone goes with a time."
        )


class BriefTooLong(Invalid):
    """A project's brief would be longer than one may be."""

    code = "brief_too_long"

    def __init__(self, most: int) -> None:
        super().__init__(f"The brief would have more than {most:,} characters. Replace it, or write less.")
