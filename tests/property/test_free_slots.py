"""Free slots against brute force: every minute of the same days asked one by one."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import SOAK_FACTOR, effort
from tests.slot_problems import MINUTE, ODD_DAYS, Problem, brute_force

from tertulia.planning.free_slots import ClockSpan, Slot, SlotQuestion, WeekHours, find_slots


@st.composite
def spans(draw: st.DrawFn) -> list[ClockSpan]:
    """Hours of a weekday: none, ordinary ones, or any, also such as overlap."""
    start = st.integers(0, 1439)
    made = st.builds(lambda a, b: ClockSpan(min(a, b), max(a, b) + 1), start, start)
    ordinary = st.just([ClockSpan(540, 1020)])
    around_night = st.just([ClockSpan(0, 300), ClockSpan(1320, 1440)])
    return draw(st.one_of(ordinary, around_night, st.just([ClockSpan(0, 1440)]), st.lists(made, max_size=3)))


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    zone = draw(st.sampled_from(sorted(ODD_DAYS)))
    anchor = draw(st.sampled_from(ODD_DAYS[zone]))
    first = anchor + timedelta(days=draw(st.integers(-2, 1)))
    last = first + timedelta(days=draw(st.integers(0, 3)))
    hours: WeekHours = {weekday: draw(spans()) for weekday in range(7)}
    around = datetime.combine(first, datetime.min.time(), UTC) - timedelta(hours=15)
    begins = st.integers(0, 5 * 24 * 60)
    lengths = st.one_of(st.integers(0, 240), st.integers(0, 3000))
    made = st.builds(
        lambda begin, length: (around + begin * MINUTE, around + (begin + length) * MINUTE), begins, lengths
    )
    busy = draw(st.lists(made, max_size=12))
    not_before = draw(st.one_of(st.none(), begins.map(lambda begin: around + begin * MINUTE)))
    question = SlotQuestion(
        first,
        last,
        hours,
        zone,
        duration=draw(st.one_of(st.sampled_from([15, 30, 60]), st.integers(1, 1440))) * MINUTE,
        step=draw(st.sampled_from([5, 15, 30, 60, 25, 7, 1440])) * MINUTE,
        not_before=not_before,
    )
    return Problem(question, tuple(busy), buffer=draw(st.sampled_from([0, 0, 10, 45])) * MINUTE)


def solve(problem: Problem) -> list[Slot]:
    return list(find_slots(problem.question, problem.busy, buffer=problem.buffer))


#: A day and a night of hours around the half-hour change of Lord Howe, in which nothing is taken.
LORD_HOWE = Problem(
    SlotQuestion(
        date(2026, 4, 4),
        date(2026, 4, 5),
        {weekday: [ClockSpan(0, 1440)] for weekday in range(7)},
        "Australia/Lord_Howe",
        duration=90 * MINUTE,
        step=60 * MINUTE,
    ),
    (),
)


@given(problems())
@example(LORD_HOWE)
@settings(max_examples=effort(200 if SOAK_FACTOR > 1 else 60))
def test_slots_are_those_of_a_look_at_every_minute(problem: Problem) -> None:
    assert solve(problem) == brute_force(problem)


@given(problems())
@settings(max_examples=effort(20))
def test_a_slot_is_free_and_as_long_as_asked(problem: Problem) -> None:
    for slot in solve(problem):
        assert slot.end - slot.start == problem.question.duration
        for start, end in problem.busy:
            assert start == end or end + problem.buffer <= slot.start or slot.end <= start - problem.buffer


@given(problems(), st.randoms(use_true_random=False))
@settings(max_examples=effort(20))
def test_the_order_of_what_is_busy_does_not_matter(problem: Problem, chance: Random) -> None:
    shuffled = list(problem.busy) * 2
    chance.shuffle(shuffled)
    assert solve(replace(problem, busy=tuple(shuffled))) == solve(problem)


DAY = date(2026, 11, 20)
NINE_TO_FIVE: WeekHours = {weekday: [ClockSpan(540, 1020)] for weekday in range(5)}


def question(zone: str = "UTC", first: date = DAY, **more: Any) -> SlotQuestion:
    values: dict[str, Any] = {"hours": NINE_TO_FIVE, "duration": 60 * MINUTE, "step": 60 * MINUTE}
    values |= {"last_day": first} | more
    return SlotQuestion(first, zone=zone, **values)


def shown(slots: Sequence[Slot], zone: str = "UTC") -> list[str]:
    return [f"{slot.start.astimezone(ZoneInfo(zone)):%d %H:%M%z}" for slot in slots]


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, 20, hour, minute, tzinfo=UTC)


def test_what_touches_a_busy_time_is_free() -> None:
    slots = list(find_slots(question(), [(at(9), at(12)), (at(13), at(16))]))
    assert shown(slots) == ["20 12:00+0000", "20 16:00+0000"]


def test_a_window_begins_where_something_ends_and_goes_on_by_the_clock() -> None:
    slots = list(find_slots(question(step=30 * MINUTE), [(at(9), at(14, 50))]))
    assert shown(slots) == ["20 14:50+0000", "20 15:00+0000", "20 15:30+0000", "20 16:00+0000"]


def test_a_buffer_is_kept_on_both_sides() -> None:
    slots = list(find_slots(question(), [(at(10, 10), at(15, 50))], buffer=10 * MINUTE))
    assert shown(slots) == ["20 09:00+0000", "20 16:00+0000"]


def test_hours_that_the_clock_leaves_out_are_not_there() -> None:
    hours: WeekHours = {6: [ClockSpan(120, 180)]}
    spring = question("Europe/Madrid", date(2026, 3, 29), hours=hours)
    assert list(find_slots(spring, [])) == []
    longer = replace(spring, hours={6: [ClockSpan(90, 240)]})
    assert shown(list(find_slots(longer, [])), "Europe/Madrid") == ["29 01:30+0100", "29 03:00+0200"]


def test_hours_that_come_twice_are_there_twice() -> None:
    autumn = question("Europe/Madrid", date(2026, 10, 25), hours={6: [ClockSpan(120, 180)]})
    assert shown(list(find_slots(autumn, [])), "Europe/Madrid") == ["25 02:00+0200", "25 02:00+0100"]


def test_a_day_that_a_zone_leaves_out_has_no_slots() -> None:
    assert list(find_slots(question("Pacific/Apia", date(2011, 12, 30)), [])) == []


def test_nothing_begins_before_the_moment_given_and_it_begins_by_the_clock() -> None:
    slots = list(find_slots(question(not_before=at(14, 7)), []))
    assert shown(slots) == ["20 15:00+0000", "20 16:00+0000"]


def test_a_busy_time_that_ends_within_a_millisecond_takes_all_of_it() -> None:
    ends = at(12) + timedelta(microseconds=300)
    slots = list(find_slots(question(duration=MINUTE), [(at(9), ends)]))
    assert slots[0].start == at(12) + timedelta(milliseconds=1)


@pytest.mark.parametrize(("start", "end"), [(1320, 300), (600, 600), (-1, 60), (0, 1441)])
def test_hours_over_midnight_are_refused_with_a_sentence(start: int, end: int) -> None:
    with pytest.raises(Exception, match=r"midnight|between 00:00 and 24:00"):
        ClockSpan(start, end)
