"""Days, times and rules made into one reading."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from tertulia.dates.clock_choices import DAY_MINUTES, SPAN_OF_PART, part_of, span_of_time
from tertulia.dates.length_phrases import UNIT_MINUTES, shift_day
from tertulia.dates.local_moments import LocalMoment, make_local_moment
from tertulia.dates.readings import Occasion, SaidDays, SaidHour, SaidPart, SaidRule, SaidTime
from tertulia.dates.rule_days import count_times, find_rule_day, write_rule
from tertulia.dates.said_parts import SaidParts

DAY = timedelta(days=1)
NOON = SaidTime(SaidHour(12))
UNCLEAR_RULE_NOTE = "Read as every {interval} weeks; for a day of the month say “of every month”."


@dataclass(frozen=True, slots=True)
class Meaning:
    """When something is: what a reading has besides its words."""

    start: date | datetime
    end: date | datetime | None = None
    rrule: str = ""
    notes: tuple[str, ...] = ()
    #: Whether a time was said and no day of it.
    is_time_alone: bool = False


def compose(parts: SaidParts, occasion: Occasion, text: str) -> Meaning | None:
    """Return what the parts of an expression mean together."""
    if parts.rule is not None:
        return compose_rule(parts.rule, parts, occasion, text)
    if parts.moment is not None:
        return compose_moment(parts, parts.moment.moment.astimezone(occasion.now.tzinfo))
    if parts.time is not None or parts.part is not None:
        return compose_times(parts, occasion, text)
    # "Monday to Friday at 9" is a time of each of them, or of one: nobody knows which.
    if parts.days is None or (parts.until is not None and parts.until.time is not None):
        return None
    return compose_days(parts.days, parts)


def compose_moment(parts: SaidParts, moment: datetime) -> Meaning:
    """Return a moment, and its end where it is said how long it lasts."""
    return Meaning(moment, end_by_length(moment, parts))


def compose_days(days: SaidDays, parts: SaidParts) -> Meaning:
    """Return whole days; the end is the day after the last of them."""
    # Whoever means this very day says "today".
    days = replace(days, first=days.later) if days.later is not None else days
    last = days.last
    if parts.until is not None and parts.until.days is not None:
        until = parts.until.days
        last = until.last or until.first
        if last < days.first and until.is_weekday:
            last += timedelta((days.first - last).days // 7 * 7 + 7)
    end = last + DAY if last is not None and last > days.first else None
    if parts.length is not None and parts.length.unit not in UNIT_MINUTES and end is None:
        end = shift_day(days.first, parts.length.count, parts.length.unit)
        end = end if end is not None and end > days.first + DAY else None
    return Meaning(days.first, end, notes=notes_of(days.note))


def compose_times(parts: SaidParts, occasion: Occasion, text: str) -> Meaning | None:
    """Return a moment of a day, or from when to when something lasts."""
    begin, finish = minutes_said(parts, text)
    zone = parts.zone.name if parts.zone else occasion.zone
    days = parts.days or SaidDays(day_without_words(parts, occasion, begin, zone))
    start = make_local_moment(days.first, begin, zone)
    if days.later is not None and start.moment < occasion.now:
        days = replace(days, first=days.later)
        start = make_local_moment(days.first, begin, zone)
    # Midnight of today is over before anybody speaks of it: the one to come is meant.
    if begin == 0 and parts.days is not None and days.first == occasion.today and start.moment < occasion.now:
        start = make_local_moment(days.first, DAY_MINUTES, zone)
    end = find_end(parts, days.first, finish, zone, text)
    notes = notes_of(days.note, start.note, end.note if end else "")
    moment = start.moment.astimezone(occasion.now.tzinfo)
    is_alone = parts.days is None and not (parts.part is not None and parts.part.is_today)
    if end is not None and end.moment > start.moment:
        return Meaning(moment, end.moment.astimezone(occasion.now.tzinfo), "", notes, is_alone)
    return Meaning(moment, end_by_length(moment, parts), "", notes, is_alone)


def minutes_said(parts: SaidParts, text: str) -> tuple[int, int | None]:
    """Return the time that is said in minutes after midnight, or that of a part of the day."""
    if parts.time is None and parts.part is not None:
        return SPAN_OF_PART[parts.part.name]
    return span_of_time(fit_to_part(parts.time or NOON, parts.part), part_of(parts.part, text))


def fit_to_part(time: SaidTime, part: SaidPart | None) -> SaidTime:
    """Return "ten to four in the afternoon" as a time before four: no afternoon lasts from ten to four."""
    if part is None or time.shifted is None or time.end is None or time.start.hour <= time.end.hour:
        return time
    return SaidTime(time.shifted)


def day_without_words(parts: SaidParts, occasion: Occasion, begin: int, zone: str) -> date:
    """Return the day of a time alone: today, or tomorrow where it is past; "tonight" is always today."""
    today = occasion.now.astimezone(make_local_moment(occasion.today, 0, zone).moment.tzinfo).date()
    if parts.part is not None and parts.part.is_today:
        return today
    is_past = make_local_moment(today, begin, zone).moment < occasion.now
    return today + DAY if is_past else today


def find_end(parts: SaidParts, day: date, finish: int | None, zone: str, text: str) -> LocalMoment | None:
    """Return the end of a time: on the same day, or on another that is said."""
    if parts.until is not None and parts.until.days is not None:
        last = parts.until.days.last or parts.until.days.first
        if parts.until.time is None:
            return None if last <= day else make_local_moment(last + DAY, 0, zone)
        begin, end = span_of_time(parts.until.time, part_of(parts.until.part, text))
        return make_local_moment(last, begin if end is None else end, zone)
    return None if finish is None else make_local_moment(day, finish, zone)


def end_by_length(start: datetime, parts: SaidParts) -> datetime | None:
    """Return the end of something that lasts some minutes or hours."""
    length = parts.length
    if length is None or length.unit not in UNIT_MINUTES:
        return None
    minutes = timedelta(minutes=length.count * UNIT_MINUTES[length.unit])
    return (start.astimezone(UTC) + minutes).astimezone(start.tzinfo)


def compose_rule(rule: SaidRule, parts: SaidParts, occasion: Occasion, text: str) -> Meaning | None:
    """Return the first time of something that recurs, and its rule."""
    if parts.time is None and parts.until is not None and parts.until.time is not None:
        # "Every day until Friday at noon" is at noon on each of them.
        parts = replace(parts, time=parts.until.time, part=parts.until.part)
    meaning = find_first_time(rule, parts, occasion, text)
    if meaning is None:
        return None
    note = UNCLEAR_RULE_NOTE.format(interval=rule.interval) if rule.is_unclear else ""
    rrule = rule_with_end(rule, parts, meaning, occasion)
    return replace(meaning, rrule=rrule, notes=(*meaning.notes, *notes_of(note)))


def find_first_time(rule: SaidRule, parts: SaidParts, occasion: Occasion, text: str) -> Meaning | None:
    """Return the first time of a rule from the day that is said on, or the first that is to come."""
    day = find_rule_day(rule, parts.days.first if parts.days else occasion.today)
    if day is None or (parts.time is None and parts.part is None):
        return Meaning(day) if day else None
    once = replace(parts, rule=None, until=None, days=SaidDays(day, later=find_rule_day(rule, day + DAY)))
    # A day that is said counts although its time is past.
    if parts.days is not None:
        once = replace(once, days=SaidDays(day))
    return compose_times(once, occasion, text)


def rule_with_end(rule: SaidRule, parts: SaidParts, meaning: Meaning, occasion: Occasion) -> str:
    """Return a rule with what is said of its end: a day, or how many times."""
    if parts.until is not None and parts.until.days is not None:
        last = parts.until.days.last or parts.until.days.first
        return write_rule(rule, until=write_until(meaning, last, occasion))
    count = rule.count or (count_times(rule, parts.length) if parts.length else 0)
    if count or parts.length is None or parts.length.unit in UNIT_MINUTES:
        return write_rule(rule, count=count)
    first = meaning.start.date() if isinstance(meaning.start, datetime) else meaning.start
    end = shift_day(first, parts.length.count, parts.length.unit)
    return write_rule(rule, until=write_until(meaning, end - DAY, occasion) if end else "")


def write_until(meaning: Meaning, last: date, occasion: Occasion) -> str:
    """Return the end of a rule: a day, or the moment of that day at which something would begin, in UTC."""
    if not isinstance(meaning.start, datetime):
        return f"{last:%Y%m%d}"
    minutes = meaning.start.hour * 60 + meaning.start.minute
    return f"{make_local_moment(last, minutes, occasion.zone).moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def notes_of(*notes: str) -> tuple[str, ...]:
    """Return the notes that say something, each once."""
    return tuple(dict.fromkeys(note for note in notes if note))
