"""Days and times in the arguments of tools: exact ones stay what they are, words are read or refused."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tertulia.tools.planner.date_arguments import (
    read_first_day,
    read_last_day,
    read_moment,
    read_time,
    write_time,
)
from tertulia.tools.planner.errors import DateUnclear, EndsBeforeStart, TimeMissing
from tertulia.tools.planner.event_arguments import read_event_time

ZONE = "Europe/Madrid"


def exact(text: str, zone: str = ZONE) -> str:
    return write_time(read_time(text, zone=zone).start, zone)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-11-20", "2026-11-20"),
        ("2026-11-20T16:00", "2026-11-20T16:00:00+01:00"),
        ("2026-11-20 16:00", "2026-11-20T16:00:00+01:00"),
        ("2026-11-20T16:00:00Z", "2026-11-20T17:00:00+01:00"),
        ("2026-07-20T16:00:00-04:00", "2026-07-20T22:00:00+02:00"),
        ("2026-03-29T02:30", "2026-03-29T03:30:00+02:00"),
        ("2026-10-25T02:30", "2026-10-25T02:30:00+02:00"),
    ],
)
def test_exact_times_are_read_in_the_zone(text: str, meant: str) -> None:
    assert exact(text) == meant
    assert exact(meant) == meant


@given(
    moment=st.datetimes(datetime(1980, 1, 1), datetime(2100, 1, 1)),  # noqa: DTZ001 - what clocks show
    zone=st.sampled_from([ZONE, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]),
)
@settings(max_examples=60, deadline=None)
def test_what_was_made_exact_is_read_as_the_same_again(moment: datetime, zone: str) -> None:
    first = exact(moment.isoformat(timespec="minutes"), zone)
    assert exact(first, zone) == first


@pytest.mark.parametrize(
    "text",
    ["", "when pigs fly", "2026-02-30", "2026-11-20T25:00", "the Friday before the fair", "soon", "20261120"],
)
def test_what_is_not_sure_is_refused(text: str) -> None:
    with pytest.raises(DateUnclear):
        read_time(text, zone=ZONE)


@pytest.mark.parametrize("text", ["tomorrow", "on tomorrow", "mañana", "morgen", "demain"])
def test_words_are_read_as_a_day_in_the_zone(text: str) -> None:
    assert read_first_day(text, zone=ZONE) == datetime.now(ZoneInfo(ZONE)).date() + timedelta(days=1)


def test_of_several_days_the_first_or_the_last_is_meant() -> None:
    monday = read_first_day("next week", zone=ZONE)
    assert monday.weekday() == 0
    assert read_last_day("next week", zone=ZONE) == monday + timedelta(days=6)
    assert read_last_day("2026-11-20", zone=ZONE) == date(2026, 11, 20)


def test_a_day_alone_is_no_moment() -> None:
    with pytest.raises(TimeMissing):
        read_moment("2026-11-20", zone=ZONE)
    assert read_moment("2026-11-20T16:00", zone="UTC")[0] == datetime(2026, 11, 20, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "end", "minutes", "meant"),
    [
        ("2026-11-20T16:00", None, None, "Friday 20 November 2026, 16:00\u201317:00 (Europe/Madrid)"),
        ("2026-11-20T16:00", None, 90, "Friday 20 November 2026, 16:00\u201317:30 (Europe/Madrid)"),
        ("2026-11-20T16:00", "17:15", None, "Friday 20 November 2026, 16:00\u201317:15 (Europe/Madrid)"),
        ("2026-11-20", None, None, "Friday 20 November 2026, all day"),
        (
            "2026-11-20",
            "2026-11-22",
            None,
            "Friday 20 November 2026 \u2013 Sunday 22 November 2026, all day",
        ),
        # An hour of the night in which clocks are put back, and of the one in which they are put forward.
        ("2026-10-25T02:30", None, 90, "Sunday 25 October 2026, 02:30\u201303:00 (Europe/Madrid)"),
        ("2026-03-29T01:30", None, 60, "Sunday 29 March 2026, 01:30\u201303:30 (Europe/Madrid)"),
    ],
)
def test_an_event_lasts_as_long_as_is_said(
    start: str, end: str | None, minutes: int | None, meant: str
) -> None:
    time = read_event_time(start, end, minutes=minutes, zone=ZONE)
    assert time.describe() == meant
    again = read_event_time(time.written_start, time.written_end, minutes=None, zone=ZONE)
    assert (again.start, again.end) == (time.start, time.end)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-11-20T16:00", "2026-11-20T15:00"),
        ("2026-11-20T16:00", "2026-11-20"),
        ("2026-11-20", "2026-11-19"),
        ("2026-11-20T16:00", "16:00"),
    ],
)
def test_nothing_ends_before_it_begins(start: str, end: str) -> None:
    with pytest.raises(EndsBeforeStart):
        read_event_time(start, end, minutes=None, zone=ZONE)


@pytest.mark.parametrize(
    ("end", "since", "is_after"),
    [
        ("Friday", timedelta(days=8), True),
        ("Sunday at 9", timedelta(days=8), True),
        ("in two weeks", timedelta(), False),
        ("today", timedelta(days=3), False),
    ],
)
def test_a_weekday_at_the_end_is_one_after_the_start(end: str, since: timedelta, is_after: bool) -> None:
    first = read_first_day("today", zone=ZONE) + since
    last = read_last_day(end, zone=ZONE, since=first)
    if is_after:
        assert first <= last < first + timedelta(7)
    else:
        assert last == read_last_day(end, zone=ZONE)
