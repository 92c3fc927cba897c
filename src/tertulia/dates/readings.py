"""What an expression of a day or time means, and the parts of which it is made."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from tertulia.dates.rule_wording import describe_rule
from tertulia.dates.wording import describe_span


@dataclass(frozen=True, slots=True)
class DateReading:
    """A day, a moment or a span that was said, with what a person should see before it is saved."""

    start: date | datetime
    #: Where several days or a span of time are meant: the day after the last one, or the moment of the end.
    end: date | datetime | None
    is_all_day: bool
    #: An RFC 5545 rule without its name, such as `FREQ=WEEKLY;BYDAY=TU`; empty where nothing recurs.
    rrule: str
    #: The words that were read.
    said: str
    #: The text without them.
    rest: str
    zone: str
    #: What the person should know of the choices made: a sentence each.
    note: str = ""
    #: Whether a time of day was said without a day: the next such time is then meant.
    is_time_alone: bool = False

    @property
    def last_day(self) -> date:
        """The only day, or the last of several."""
        if isinstance(self.start, datetime):
            return self.start.date()
        return self.start if self.end is None else self.end - timedelta(days=1)

    @property
    def reading(self) -> str:
        """What was read, in words: `Friday 20 November 2026, 16:00 (Europe/Madrid)`."""
        span = describe_span(self.start, self.end, self.zone)
        return f"{span}, {describe_rule(self.rrule, self.zone)}" if self.rrule else span


@dataclass(frozen=True, slots=True)
class Occasion:
    """When and where something is said."""

    #: As the clocks of the zone show it.
    now: datetime
    zone: str
    #: Whether people there write the month before the day.
    is_month_first: bool = False

    @property
    def today(self) -> date:
        """The day on which it is said."""
        return self.now.date()


@dataclass(frozen=True, slots=True)
class SaidDays:
    """A day, or several of them."""

    first: date
    #: The last of several days.
    last: date | None = None
    #: The next such day, which is meant where nothing to come is left of the first.
    later: date | None = None
    #: A month, a quarter, a year: less sure to be what something is planned for than a day.
    is_period: bool = False
    is_weekday: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class SaidMoment:
    """A moment that is counted from now."""

    moment: datetime


@dataclass(frozen=True, slots=True)
class SaidHour:
    """A time as the clock shows it: which half of the day may be open."""

    hour: int
    minute: int = 0
    #: `am`, `pm`, `24` where the figures are those of a clock of 24 hours, `h` where they are if no part of
    #: the day is said, or empty.
    half: str = ""


@dataclass(frozen=True, slots=True)
class SaidTime:
    """A time of day, or from when to when."""

    start: SaidHour
    end: SaidHour | None = None
    #: A bare number, which is a time only beside a day.
    needs_day: bool = False
    #: What "ten to four" is where it is no span: minutes before an hour.
    shifted: SaidHour | None = None


@dataclass(frozen=True, slots=True)
class SaidPart:
    """A part of a day: morning, noon, afternoon, evening or night."""

    name: str
    #: Said of today: "this morning", "tonight".
    is_today: bool = False


@dataclass(frozen=True, slots=True)
class SaidLength:
    """How long something lasts: some minutes, or some days, weeks, months, or times."""

    count: float
    unit: str


@dataclass(frozen=True, slots=True)
class SaidShift:
    """So many days, weeks, months or years before or after the day that is said right behind it."""

    count: float
    unit: str


@dataclass(frozen=True, slots=True)
class SaidZone:
    """The time zone of a time."""

    name: str


@dataclass(frozen=True, slots=True)
class SaidRule:
    """How something recurs."""

    frequency: str
    interval: int = 1
    #: Weekdays as RFC 5545 names them, such as `TU` or `-1FR`.
    weekdays: tuple[str, ...] = ()
    month_day: int | None = None
    month: int | None = None
    #: How many times, where that is said; 0 for no end.
    count: int = 0
    #: Words such as "every third Friday", which may mean two things.
    is_unclear: bool = False


Said = SaidDays | SaidMoment | SaidTime | SaidPart | SaidLength | SaidShift | SaidZone | SaidRule


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an expression, and where it stands in the plain text."""

    start: int
    end: int
    said: Said
