"""How planning is refused."""

from tertulia.core.errors import Kind, TertuliaError
from tertulia.core.json_object import JsonObject

#: How much of what nobody could read is shown to whoever wrote it.
TEXT_SHOWN_MAX_CHARS = 60
#: Events in the way that a sentence names; the rest are in its data.
IN_THE_WAY_NAMED_MAX = 3


class HoursInvalid(TertuliaError):
    """Working hours that no day has."""

    kind = Kind.INVALID
    code = "hours_invalid"

    def __init__(self, message: str) -> None:
        super().__init__(message)


class SlotQuestionInvalid(TertuliaError):
    """A question for free time that cannot be answered."""

    kind = Kind.INVALID
    code = "slot_question_invalid"

    def __init__(self, message: str) -> None:
        super().__init__(message)


class TimeUnreadable(TertuliaError):
    """Something that should be a day or a time is none that can be planned."""

    kind = Kind.INVALID
    code = "time_unreadable"

    def __init__(self, text: str, message: str = "") -> None:
        shown = text if len(text) <= TEXT_SHOWN_MAX_CHARS else f"{text[:TEXT_SHOWN_MAX_CHARS]}…"
        super().__init__(
            message
            or f"“{shown}” is no day or time that can be planned. Write 2026-11-20, 2026-11-20T16:00, "
            "or words such as “next Friday at 4 pm”."
        )


class NothingRead(TertuliaError):
    """Words name no day or time, or several of them."""

    kind = Kind.INVALID
    code = "nothing_read"

    def __init__(self) -> None:
        super().__init__("There is no day or time in these words, or more than one. Write “Friday at 4 pm”.")


class TimeTaken(TertuliaError):
    """Something on a calendar lies where a task is to be."""

    kind = Kind.CONFLICT
    code = "time_taken"
    is_personal = True

    def __init__(self, wanted: str, in_the_way: list[JsonObject]) -> None:
        named = ", ".join(f"“{event['title']}”" for event in in_the_way[:IN_THE_WAY_NAMED_MAX])
        super().__init__(
            f"{wanted} overlaps {named}. Choose another time, or say that it may lie there nevertheless.",
            in_the_way=in_the_way,
        )


class NoSlotFree(TertuliaError):
    """There is no free time in which a task fits."""

    kind = Kind.CONFLICT
    code = "no_slot_free"

    def __init__(self, message: str) -> None:
        super().__init__(message)


class ScheduleUnfit(TertuliaError):
    """What was asked of a task's schedule does not fit where the task or the calendar stands."""

    kind = Kind.CONFLICT
    code = "schedule_unfit"

    def __init__(self, message: str) -> None:
        super().__init__(message)
