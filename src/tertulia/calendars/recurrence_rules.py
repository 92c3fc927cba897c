"""The times of a recurrence rule, year by year, with bounded work whatever the rule says.

The library counts a rule from its first time, and one that never happens up to the year 9999. So a year is
reckoned by itself: the rule begins anew with the first of its periods in that year, and the year is moved
near 9999, to one in which every day falls on the same weekday.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from functools import lru_cache
from typing import TYPE_CHECKING

from tertulia.calendars.errors import EventRuleInvalid
from tertulia.calendars.plain_rules import PlainRule, find_plain_rule

if TYPE_CHECKING:
    from dateutil.rrule import rrule

RULE_MAX_CHARS = 2_000
#: How often events can recur; what recurs every minute is no event of a person.
RULE_FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY")
#: As many times a day as there are hours; parts such as BYMINUTE could ask for one every second.
RULE_TIMES_A_DAY_MAX = 24
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
#: Parts that say which days of a period are meant: without any, it is the day of the first time.
DAY_PARTS = ("BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO")
#: The years in which events recur.
FIRST_YEAR, LAST_YEAR = 1901, 2099
#: Weekdays and leap years come again after so many years, in the years above.
WEEKDAY_CYCLE_YEARS = 28
#: The same, whatever the years.
CALENDAR_CYCLE_YEARS = 400
#: The last year to which others are moved: there is one more after it.
WORKING_YEAR = 9998
#: A rule that did not happen in so many years never does.
BARREN_YEARS_MAX = 28
UNCOUNTED_BARREN_YEARS = 3
#: Times that are counted of a rule with an end by number; one with more has none in sight.
COUNT_MAX = 100_000


@dataclass(slots=True)
class RecurrenceRule:
    """A rule with the first time from which it counts; all times as a clock shows them."""

    start: datetime
    frequency: str
    interval: int
    #: All parts but FREQ, INTERVAL, COUNT and UNTIL, with those that follow from the first time.
    by: str
    week_start: int
    count: int | None
    until: datetime | None
    #: The same, where it is so plain that no library is asked.
    plain: PlainRule | None = None
    #: How many times were worked out up to now: that is what takes a while.
    computed_count: int = 0
    #: How many times a rule with an end by number has in each year.
    _counts: dict[int, int] = field(default_factory=dict[int, int], repr=False)
    #: Years without any time, as long as there was none with one.
    _barren_years: set[int] = field(default_factory=set[int], repr=False)
    _has_happened: bool = False

    @property
    def is_barren(self) -> bool:
        """Tell whether it has been found out that there is never any time."""
        return not self._has_happened and len(self._barren_years) >= BARREN_YEARS_MAX

    def list_year(self, year: int) -> list[datetime]:
        """Return the times in a year, in order."""
        if not FIRST_YEAR <= year <= LAST_YEAR or year < self.start.year:
            return []
        if self.until is not None and year > self.until.year:
            return []
        return self._count_year(year) if self.is_counted else self._reckon_year(year)

    @property
    def is_counted(self) -> bool:
        """Tell whether it ends after a number of times that can be counted."""
        return self.count is not None and self.count <= COUNT_MAX

    def find_last(self) -> datetime | None:
        """Return the last time of a rule that has an end; None where it has none in sight."""
        if self.until is not None:
            return self.until
        if self.count is None or not self.is_counted:
            return None
        last, counted = self.start, 0
        for year in range(self.start.year, LAST_YEAR + 1):
            times = self.list_year(year)
            counted += len(times)
            last = times[-1] if times else last
            if counted >= self.count or self.is_barren:
                return last
            # What happens seldom or never is not counted to its end: nobody needs to know that exactly.
            if len(self._barren_years) >= UNCOUNTED_BARREN_YEARS:
                return None
        return None

    def happens(self) -> bool:
        """Tell whether there is any time at all."""
        last = min(LAST_YEAR, self.until.year if self.until else LAST_YEAR)
        for year in range(max(self.start.year, FIRST_YEAR), last + 1):
            if self.list_year(year):
                return True
            if self.is_barren:
                return False
        return False

    def count_before(self, moment: datetime) -> int:
        """Return how many times there are before a moment."""
        years = range(max(self.start.year, FIRST_YEAR), min(moment.year, LAST_YEAR) + 1)
        return sum(1 for year in years for time in self.list_year(year) if time < moment)

    def find_next(self, moment: datetime) -> datetime | None:
        """Return the first time at a moment or after it."""
        for year in range(max(self.start.year, moment.year, FIRST_YEAR), LAST_YEAR + 1):
            if found := [time for time in self.list_year(year) if time >= moment]:
                return found[0]
            if self.is_barren:
                break
        return None

    def _count_year(self, year: int) -> list[datetime]:
        """Return the times in a year of a rule that ends after some number of times."""
        counted = 0
        for earlier in range(self.start.year, year):
            if earlier not in self._counts:
                self._counts[earlier] = len(self._cut(self._reckon_year(earlier), counted))
            counted += self._counts[earlier]
            if counted >= (self.count or 0):
                return []
        return self._cut(self._reckon_year(year), counted)

    def _cut(self, times: list[datetime], counted: int) -> list[datetime]:
        return times[: max(0, (self.count or 0) - counted)]

    def _reckon_year(self, year: int) -> list[datetime]:
        """Return the times of the rule in a year, however often it happened before."""
        first = self._find_first_period(year)
        if first is None or self.is_barren:
            return []
        times = list(self._yield_plain_year(year, first) if self.plain else self._yield_year(year, first))
        self.computed_count += len(times)
        self._has_happened = self._has_happened or bool(times)
        if not times and year > self.start.year:
            self._barren_years.add(year)
        return times

    def _yield_year(self, year: int, first: datetime) -> Iterator[datetime]:
        moved_by = find_like_year(year) - year
        days = _parse(
            f"FREQ={self.frequency};INTERVAL={self.interval};{self.by}", move_years(first, moved_by)
        )
        end = start_of_year(year + moved_by + 1)
        for time in days:
            if time >= end:
                return
            found = move_years(time, -moved_by)
            if self.until is not None and found > self.until:
                return
            if found.year == year and found >= self.start:
                yield found

    def _yield_plain_year(self, year: int, first: datetime) -> Iterator[datetime]:
        end = start_of_year(year + 1)
        for time in self.plain.list_times(first, end) if self.plain else ():
            if self.until is not None and time > self.until:
                return
            if time.year == year:
                yield time

    def _find_first_period(self, year: int) -> datetime | None:
        """Return the beginning of the first period of the rule that may have times in a year."""
        begin = start_of_year(year)
        start = self.start
        if self.frequency == "YEARLY":
            return begin if (year - start.year) % self.interval == 0 else None
        if self.frequency == "MONTHLY":
            first, at = start.year * 12 + start.month - 1, year * 12
            at += (first - at) % self.interval if at >= first else first - at
            return begin.replace(month=at % 12 + 1) if at // 12 == year else None
        unit = {"WEEKLY": timedelta(weeks=1), "DAILY": timedelta(days=1), "HOURLY": timedelta(hours=1)}
        step = unit[self.frequency] * self.interval
        origin = self._find_period_start()
        periods = max(0, -((origin - begin) // step) if begin > origin else 0)
        at_time = origin + step * periods
        # The period that holds the beginning of the year may have begun before it.
        if at_time - step >= origin and at_time - step + unit[self.frequency] > begin:
            at_time -= step
        return at_time if at_time.year <= year else None

    def _find_period_start(self) -> datetime:
        """Return when the period began in which the first time lies."""
        if self.frequency == "HOURLY":
            return self.start.replace(minute=0, second=0, microsecond=0)
        day = self.start.replace(hour=0, minute=0, second=0, microsecond=0)
        if self.frequency == "WEEKLY":
            day -= timedelta(days=(day.weekday() - self.week_start) % 7)
        return day


def read_rule(text: str, *, start: datetime, until: datetime | None = None) -> RecurrenceRule:
    """Return a rule that counts from a time, or raise where it is none; `until` is in its zone."""
    parts = split_rule(text)
    frequency = parts.pop("FREQ", "")
    if frequency not in RULE_FREQUENCIES:
        raise EventRuleInvalid("FREQ has to be YEARLY, MONTHLY, WEEKLY, DAILY or HOURLY")
    interval = read_number(parts.pop("INTERVAL", "1"), "INTERVAL")
    count = read_number(parts.pop("COUNT"), "COUNT") if "COUNT" in parts else None
    parts.pop("UNTIL", None)
    week_start = parts.get("WKST", "MO")
    if week_start not in WEEKDAYS:
        raise EventRuleInvalid("WKST has to be a weekday such as MO")
    settled = settle_parts(parts, frequency, start)
    _check_times_a_day(settled, frequency)
    by = join_rule(settled)
    _parse(f"FREQ={frequency};INTERVAL={interval};{by}", start)
    weekday = WEEKDAYS.index(week_start)
    plain = find_plain_rule(frequency, interval, settled, start, WEEKDAYS)
    return RecurrenceRule(start, frequency, interval, by, weekday, count, until, plain)


def split_rule(text: str) -> dict[str, str]:
    """Return the parts of a rule by their names."""
    written = text.strip().upper().removeprefix("RRULE:").strip(";")
    if len(written) > RULE_MAX_CHARS or not written.isascii():
        raise EventRuleInvalid("it is too long, or has letters that no rule has")
    parts: dict[str, str] = {}
    for part in written.split(";"):
        name, is_pair, value = part.strip().partition("=")
        if not is_pair or not value or name in parts:
            raise EventRuleInvalid("each part has to be written once, as NAME=VALUE")
        parts[name] = value.strip()
    return parts


def join_rule(parts: dict[str, str]) -> str:
    """Return the text of a rule."""
    return ";".join(f"{name}={value}" for name, value in parts.items())


def read_number(text: str, name: str) -> int:
    """Return a number above zero; one with more digits than any calendar has days is as good as endless."""
    if not (text.isascii() and text.isdigit()) or int(text[:7]) == 0:
        raise EventRuleInvalid(f"{name} has to be a number above zero")
    return int(text[:7])


def settle_parts(parts: dict[str, str], frequency: str, start: datetime) -> dict[str, str]:
    """Return the parts of a rule with those that follow from its first time."""
    settled = {name: value for name, value in parts.items() if name.startswith("BY") or name == "WKST"}
    if not any(name in settled for name in DAY_PARTS):
        if frequency == "YEARLY" and "BYMONTH" not in settled:
            settled["BYMONTH"] = str(start.month)
        if frequency in ("YEARLY", "MONTHLY"):
            settled["BYMONTHDAY"] = str(start.day)
        if frequency == "WEEKLY":
            settled["BYDAY"] = WEEKDAYS[start.weekday()]
    if frequency != "HOURLY":
        settled.setdefault("BYHOUR", str(start.hour))
    settled.setdefault("BYMINUTE", str(start.minute))
    settled.setdefault("BYSECOND", str(start.second))
    return settled


def _check_times_a_day(settled: dict[str, str], frequency: str) -> None:
    """Raise where a rule has more times in a day than one every hour."""
    hours = RULE_TIMES_A_DAY_MAX if frequency == "HOURLY" else len(set(settled["BYHOUR"].split(",")))
    times = hours * len(set(settled["BYMINUTE"].split(","))) * len(set(settled["BYSECOND"].split(",")))
    if times > RULE_TIMES_A_DAY_MAX:
        raise EventRuleInvalid("it happens more often than every hour")


@lru_cache(maxsize=256)
def find_like_year(year: int) -> int:
    """Return a late year with the same weekdays, also in the years beside it."""
    if FIRST_YEAR <= year <= LAST_YEAR:
        return WORKING_YEAR - (WORKING_YEAR - CALENDAR_CYCLE_YEARS * 20 - year) % WEEKDAY_CYCLE_YEARS
    return year + (WORKING_YEAR - year) // CALENDAR_CYCLE_YEARS * CALENDAR_CYCLE_YEARS


def move_years(moment: datetime, years: int) -> datetime:
    """Return the same day and time so many years later; both years are alike."""
    return moment.replace(year=moment.year + years)


def start_of_year(year: int) -> datetime:
    """Return the first moment of a year as a clock shows it."""
    return datetime.combine(date(year, 1, 1), time_of_day.min)


def end_of_day(day: date) -> datetime:
    """Return the last moment of a day as a clock shows it."""
    return datetime.combine(day, time_of_day(23, 59, 59))


def _parse(rule: str, start: datetime) -> "rrule":
    from dateutil.rrule import rrule, rrulestr

    try:
        times = rrulestr(rule, dtstart=start)
    except (ValueError, KeyError, IndexError, TypeError, OverflowError, AttributeError) as error:
        raise EventRuleInvalid(str(error) or "it is no rule of RFC 5545") from None
    if not isinstance(times, rrule):
        raise EventRuleInvalid("it is not one single rule")
    return times
