"""Free slots are found in a time that grows with the events, and no faster; series are read once."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from random import Random
from time import thread_time
from zoneinfo import ZoneInfo

from tests.calendar_world import calendar_file

from tertulia.calendars.busy_times import list_busy_spans
from tertulia.calendars.series import read_series
from tertulia.core.clock import to_ms
from tertulia.planning.free_slots import ClockSpan, SlotQuestion, find_first_slots

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
QUESTION = SlotQuestion(
    date(2026, 1, 1),
    date(2026, 12, 31),
    {weekday: [ClockSpan(540, 1020)] for weekday in range(5)},
    "Europe/Madrid",
    timedelta(hours=1),
)
FEW, MANY = 2_000, 8_000
#: Four times as many events may take so much longer, sorting and a busy machine included.
GROWTH_MAX = 9.0
#: What is known of a year is found so much quicker than it was worked out, a busy machine included.
KNOWN_YEAR_GAIN_MIN = 5.0


def make_busy(count: int) -> list[tuple[datetime, datetime]]:
    chance = Random(7)
    starts = [FIRST + timedelta(minutes=15 * chance.randint(0, 365 * 96)) for _ in range(count)]
    return [(start, start + timedelta(minutes=30)) for start in starts]


def quickest(work: Callable[[], object]) -> float:
    """The processor seconds of the quickest of several runs."""
    seconds: list[float] = []
    for _ in range(5):
        began = thread_time()
        work()
        seconds.append(thread_time() - began)
    return min(seconds)


def test_four_times_as_many_events_take_about_four_times_as_long() -> None:
    few, many = make_busy(FEW), make_busy(MANY)
    short = quickest(lambda: find_first_slots(QUESTION, few, limit=1_000))
    long = quickest(lambda: find_first_slots(QUESTION, many, limit=1_000))
    assert long < GROWTH_MAX * short


def test_a_year_of_a_series_is_worked_out_once() -> None:
    clock = ZoneInfo("Europe/Madrid")
    low, high = to_ms(FIRST), to_ms(FIRST + timedelta(days=365))
    texts = [
        calendar_file(
            f"UID:{number}\nDTSTART;TZID=America/New_York:202501{number:02}T093000\nDURATION:PT30M\n"
            "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1,1,2,3,4"
        )
        for number in range(1, 21)
    ]
    known = [read_series(text) for text in texts]

    def list_all() -> object:
        return [list_busy_spans(series, low, high, clock) for series in known]

    began = thread_time()
    list_all()
    first = thread_time() - began
    assert quickest(list_all) * KNOWN_YEAR_GAIN_MIN < first
