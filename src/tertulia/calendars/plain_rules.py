"""Rules that repeat days or weekdays and say nothing else: most are, and their times need no library."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

ONE_DAY = timedelta(days=1)
#: What a plain rule may say; the time of day has to be that of the first time.
PLAIN_PARTS = {"BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND", "WKST"}
PERIOD_DAYS = {"DAILY": 1, "WEEKLY": 7}


@dataclass(frozen=True, slots=True)
class PlainRule:
    """The days of each period, counted from its beginning, and how far the periods lie apart."""

    start: datetime
    days: tuple[timedelta, ...]
    step: timedelta
    #: The only weekdays that count, where days are repeated.
    weekdays: frozenset[int]

    def list_times(self, first: datetime, end: datetime) -> Iterator[datetime]:
        """Yield the times from the period that begins at a midnight on, and before an end."""
        clock = self.start - self.start.replace(hour=0, minute=0, second=0, microsecond=0)
        period = first + clock
        while period < end + ONE_DAY:
            for day in self.days:
                time = period + day
                if time >= end:
                    return
                if time >= self.start and time.weekday() in self.weekdays:
                    yield time
            period += self.step


def find_plain_rule(
    frequency: str, interval: int, settled: Mapping[str, str], start: datetime, weekdays: tuple[str, ...]
) -> PlainRule | None:
    """Return a rule as a plain one, where it is; its parts include what follows from the first time."""
    told = (settled.get("BYHOUR"), settled.get("BYMINUTE"), settled.get("BYSECOND"))
    if frequency not in PERIOD_DAYS or not set(settled) <= PLAIN_PARTS:
        return None
    names = settled["BYDAY"].split(",") if "BYDAY" in settled else list(weekdays)
    if told != (str(start.hour), str(start.minute), str(start.second)) or not set(names) <= set(weekdays):
        return None
    numbers = frozenset(weekdays.index(name) for name in names)
    days: tuple[timedelta, ...] = (timedelta(),)
    if frequency == "WEEKLY":
        first = weekdays.index(settled.get("WKST", weekdays[0]))
        days = tuple(timedelta(days=number) for number in sorted((number - first) % 7 for number in numbers))
    return PlainRule(start, days, ONE_DAY * PERIOD_DAYS[frequency] * interval, numbers)
