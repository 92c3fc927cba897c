"""What the database keeps beside the text of an event, so that it is found without reading it."""

from tertulia.calendars.domain import EventColumns
from tertulia.calendars.errors import CalendarTextInvalid
from tertulia.calendars.event_reading import TimeKind
from tertulia.calendars.series import FAR_FUTURE, TOO_FAR_AWAY, EventSeries, find_span, read_series
from tertulia.core.clock import EPOCH
from tertulia.core.errors import TertuliaError

SEARCH_TEXT_MAX_CHARS = 20_000
TITLE_MAX_CHARS = 1_000
#: An event that cannot be read: it is kept as it came, and happens nowhere.
UNREADABLE = EventColumns(
    FAR_FUTURE, EPOCH, is_zoned=True, is_recurring=False, is_busy=False, title="", search_text=""
)


def describe_text(ics: str) -> EventColumns:
    """Return what is looked up of an event, or raise where its text cannot be read."""
    return describe_series(read_series(ics))


def describe_any_text(ics: str) -> tuple[EventColumns, str]:
    """Return what is looked up of an event that comes from elsewhere, and what is wrong with it."""
    try:
        series = read_series(ics)
        return describe_series(series), find_problem(series)
    except TertuliaError as error:
        return UNREADABLE, error.message


def describe_series(series: EventSeries) -> EventColumns:
    """Return what is looked up of an event."""
    try:
        starts_at, ends_at = find_span(series)
    except OverflowError:
        raise CalendarTextInvalid(TOO_FAR_AWAY) from None
    told = dict.fromkeys(
        text for part in series.parts for text in (part.title, part.location, part.description) if text
    )
    return EventColumns(
        starts_at,
        ends_at,
        is_zoned=all(part.clock.kind is TimeKind.ZONED for part in series.parts),
        is_recurring=series.is_recurring,
        is_busy=series.is_busy,
        title=series.lead.title[:TITLE_MAX_CHARS],
        search_text="\n".join(told)[:SEARCH_TEXT_MAX_CHARS],
    )


def find_problem(series: EventSeries) -> str:
    """Return what of an event cannot be reckoned with; empty where all can."""
    return next((part.problem for part in series.parts if part.problem), "")
