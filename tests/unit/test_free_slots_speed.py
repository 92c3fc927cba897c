"""Free slots are found in a time that grows with the events, and no faster."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from random import Random
from time import process_time

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


def make_busy(count: int) -> list[tuple[datetime, datetime]]:
    chance = Random(7)
    starts = [FIRST + timedelta(minutes=15 * chance.randint(0, 365 * 96)) for _ in range(count)]
    return [(start, start + timedelta(minutes=30)) for start in starts]


def quickest(work: Callable[[], object]) -> float:
    """The processor seconds of the quickest of several runs."""
    seconds: list[float] = []
    for _ in range(5):
        began = process_time()
        work()
        seconds.append(process_time() - began)
    return min(seconds)


def test_four_times_as_many_events_take_about_four_times_as_long() -> None:
    few, many = make_busy(FEW), make_busy(MANY)
    short = quickest(lambda: find_first_slots(QUESTION, few, limit=1_000))
    long = quickest(lambda: find_first_slots(QUESTION, many, limit=1_000))
    assert long < GROWTH_MAX * short
