"""When events happen, against the library that counts from the first time on; series taken apart."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import recurring_ical_events
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar
from tests.calendar_world import calendar_file
from tests.effort import effort

from tertulia.calendars.busy_times import list_busy_spans, place_time
from tertulia.calendars.event_changes import change_all, split, take_out
from tertulia.calendars.series import find_span, read_series
from tertulia.core.clock import from_ms, to_ms

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo")
FIRST = datetime(2025, 1, 1, tzinfo=UTC)
LAST = datetime(2027, 1, 1, tzinfo=UTC)
#: The library overlooks what reaches into the time it is asked about.
AROUND = (FIRST - timedelta(days=40), LAST + timedelta(days=40))
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WEEKDAY_SETS = st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=3, unique=True)


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(("YEARLY", "MONTHLY", "WEEKLY", "DAILY")))
    parts = [f"FREQ={frequency}"]
    if interval := draw(st.integers(0, 5)):
        parts.append(f"INTERVAL={interval}")
    how = draw(st.sampled_from(("", "BYDAY", "BYMONTHDAY", "BYMONTH", "NTH", "SETPOS")))
    days = draw(WEEKDAY_SETS)
    if how == "BYDAY" or (how == "SETPOS" and frequency in ("MONTHLY", "YEARLY")):
        parts.append(f"BYDAY={','.join(days)}")
    if how == "SETPOS" and frequency in ("MONTHLY", "YEARLY"):
        parts.append(f"BYSETPOS={draw(st.sampled_from((1, 2, -1)))}")
    if how == "NTH" and frequency == "MONTHLY":
        parts.append(f"BYDAY={draw(st.sampled_from((1, 2, 5, -1)))}{days[0]}")
    if how == "BYMONTHDAY" and frequency != "WEEKLY":
        parts.append(f"BYMONTHDAY={draw(st.sampled_from((1, 15, 29, 31, -1)))}")
    if how == "BYMONTH":
        parts.append(f"BYMONTH={draw(st.integers(1, 12))}")
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, 30))}")
    return ";".join(parts)


@st.composite
def series(draw: st.DrawFn) -> str:
    """A series with exceptions, as a calendar file."""
    rule, zone = draw(rules()), draw(st.sampled_from(("DAY", "FLOATING", *ZONES)))
    shown = datetime(2023, 6, 1) + timedelta(  # noqa: DTZ001 - what a clock shows
        days=draw(st.integers(0, 900)), minutes=30 * draw(st.integers(6, 47))
    )
    times = [shown, *list(rrulestr(rule, dtstart=shown))[:40]] if "COUNT" in rule else [shown]
    head = "VALUE=DATE" if zone == "DAY" else "" if zone == "FLOATING" else f"TZID={zone}"

    def told(name: str, at: datetime) -> str:
        value = f"{at:%Y%m%d}" if zone == "DAY" else f"{at:%Y%m%dT%H%M%S}"
        return f"{name};{head}:{value}" if head else f"{name}:{value}"

    length = timedelta(days=draw(st.integers(1, 3))) if zone == "DAY" else timedelta(minutes=45)
    lines = ["UID:1", told("DTSTART", shown), told("DTEND", shown + length), f"RRULE:{rule}"]
    lines += [told("EXDATE", at) for at in draw(st.lists(st.sampled_from(times), max_size=3))]
    lines += [
        told("RDATE", shown + timedelta(days=days))
        for days in draw(st.lists(st.integers(1, 500), max_size=2))
    ]
    events = ["\n".join(lines)]
    if draw(st.booleans()):
        at, moved = draw(st.sampled_from(times)), timedelta(days=draw(st.integers(-3, 3)))
        override = [
            told("RECURRENCE-ID", at),
            told("DTSTART", at + moved),
            told("DTEND", at + moved + length),
        ]
        events.append("\n".join(["UID:1", *override]))
    return calendar_file(*events)


def list_ours(ics: str, low: datetime = FIRST, high: datetime = LAST) -> list[tuple[int, int]]:
    found = read_series(ics).list_times(to_ms(low), to_ms(high))
    return sorted(
        (time.start, time.end) for time in found if time.start < to_ms(high) and time.end > to_ms(low)
    )


def list_theirs(ics: str) -> list[tuple[int, int]]:
    def moment(value: date) -> int:
        if not isinstance(value, datetime):
            return to_ms(datetime(value.year, value.month, value.day, tzinfo=UTC))
        return to_ms(value if value.tzinfo else value.replace(tzinfo=UTC))

    found = cast("Any", recurring_ical_events).of(Calendar.from_ical(ics)).between(*AROUND)
    times = ((moment(event["DTSTART"].dt), moment(event["DTEND"].dt)) for event in found)
    return sorted(time for time in times if time[0] < to_ms(LAST) and time[1] > to_ms(FIRST))


@settings(max_examples=effort(80))
@given(series())
def test_events_happen_when_the_library_says(ics: str) -> None:
    assert list_ours(ics) == list_theirs(ics)


@settings(max_examples=effort(25))
@given(series())
def test_an_event_lies_within_its_columns(ics: str) -> None:
    starts_at, ends_at = find_span(read_series(ics))
    times = list_ours(ics)
    assert all(to_ms(starts_at) <= start and end <= to_ms(ends_at) for start, end in times)


@settings(max_examples=effort(40))
@given(series(), st.integers(0, 20))
def test_a_series_in_two_parts_happens_as_before(ics: str, number: int) -> None:
    names = list_names(ics)
    if not names:
        return
    head, tail = split(ics, names[number % len(names)])
    assert sorted([*(list_ours(head) if head else []), *list_ours(tail)]) == list_ours(ics)


@settings(max_examples=effort(40))
@given(series(), st.integers(0, 20))
def test_one_time_less_is_one_time_less(ics: str, number: int) -> None:
    names = list_names(ics)
    if not names:
        return
    name = names[number % len(names)]
    left = take_out(ics, name)
    assert list_names(left) == [other for other in names if other != name] if left else len(names) == 1


@settings(max_examples=effort(40))
@given(series(), st.integers(-3, 3), st.integers(-60, 60))
def test_words_change_no_time_and_a_move_moves_as_many(ics: str, days: int, minutes: int) -> None:
    assert list_ours(change_all(ics, {"title": "Other"}, name=None, zone="UTC")) == list_ours(ics)
    part = read_series(ics).lead
    start = part.start + timedelta(days=days, minutes=0 if "VALUE=DATE" in ics else minutes)
    values: dict[str, object] = {"start": start.date() if "VALUE=DATE" in ics else start}
    moved = change_all(ics, values, name=None, zone="UTC")
    assert read_series(moved).lead.start == start
    assert len(set(part.excluded)) == len(set(read_series(moved).lead.excluded))


def list_names(ics: str) -> Sequence[str]:
    """Return the names of the times in some years, in order."""
    found = read_series(ics).list_times(to_ms(FIRST), to_ms(LAST))
    return [time.name for time in sorted(found, key=lambda time: (time.start, time.name))]


def test_clocks_that_are_changed_move_no_event() -> None:
    text = "UID:1\nDTSTART;TZID=Europe/Berlin:20260327T023000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=4"
    times = list_ours(calendar_file(text))
    clock = ZoneInfo("Europe/Berlin")
    assert [f"{from_ms(start).astimezone(clock):%d %H:%M}" for start, _ in times] == [
        "27 02:30",
        "28 02:30",
        "29 03:30",
        "30 02:30",
    ]
    assert {end - start for start, end in times} == {3_600_000}


@settings(max_examples=effort(60), deadline=None)
@given(ics=series(), zone=st.sampled_from(ZONES), day=st.integers(0, 700), length=st.integers(1, 400))
def test_time_is_taken_when_the_times_of_a_series_are(ics: str, zone: str, day: int, length: int) -> None:
    low = to_ms(FIRST + timedelta(days=day))
    high = low + length * 86_400_000
    clock = ZoneInfo(zone)
    placed = [place_time(time, clock) for time in read_series(ics).list_times(low, high)]
    wanted = sorted(span for span in placed if span[0] < high and span[1] > low)
    assert sorted(list_busy_spans(read_series(ics), low, high, clock)) == wanted
