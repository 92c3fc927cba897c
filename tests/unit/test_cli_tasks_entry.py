"""Lines of words and tables of the commands for tasks and calendars."""

from typing import Any

import click
import pytest

from tertulia.cli.calendar_commands import event_times
from tertulia.cli.calendar_text import time_text
from tertulia.cli.date_reading import ReadDate
from tertulia.cli.id_ends import find_by_end
from tertulia.cli.tasks_quick_entry import date_fields, split_marks
from tertulia.core.errors import NotFound


def read(start: str, end: str | None = None, *, rrule: str = "") -> ReadDate:
    return ReadDate(start, end, is_all_day="T" not in start, rrule=rrule, rest="", reading="")


@pytest.mark.parametrize(
    ("line", "rest", "fields"),
    [
        ("Call Mara", "Call Mara", {}),
        ("Call  #home Mara !High", "Call Mara", {"tags": ["home"], "priority": "high"}),
        ("#a #b #a Paint !low !medium", "Paint", {"tags": ["a", "b"], "priority": "medium"}),
        ("Fix #42 and C# now!", "Fix #42 and C# now!", {}),
        ("Ruhe #büro/west", "Ruhe", {"tags": ["büro/west"]}),
        ("#home", "", {"tags": ["home"]}),
    ],
)
def test_marks_are_taken_out_of_a_line(line: str, rest: str, fields: dict[str, Any]) -> None:
    assert split_marks(line) == (rest, fields)


def test_a_day_says_when_a_task_is_due_and_a_span_when_it_starts() -> None:
    assert date_fields(read("2026-11-20")) == {"due_date": "2026-11-20"}
    assert date_fields(read("2026-11-20", "2026-11-23")) == {
        "start_date": "2026-11-20",
        "due_date": "2026-11-22",
    }
    at_four = read("2026-11-20T16:00:00+01:00", "2026-11-20T16:45:00+01:00", rrule="FREQ=WEEKLY")
    assert date_fields(at_four) == {
        "due_date": "2026-11-20",
        "duration_minutes": 45,
        "rrule": "FREQ=WEEKLY",
    }


def test_an_event_without_a_length_takes_an_hour_or_the_day() -> None:
    times = event_times(read("2026-11-20T16:00:00+01:00"))
    assert (times["end"], times["all_day"]) == ("2026-11-20T17:00:00+01:00", False)
    assert event_times(read("2026-11-20"))["end"] == "2026-11-21"
    assert event_times(read("2026-11-20", "2026-11-23"))["end"] == "2026-11-23"


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ("2026-11-20", "2026-11-21", "all day"),
        ("2026-11-20", "2026-11-22", "until Sat 2026-11-21"),
        ("2026-11-20T16:00:00+01:00", "2026-11-20T16:30:00+01:00", "16:00-16:30"),
        ("2026-11-20T22:00:00+01:00", "2026-11-21T01:00:00+01:00", "22:00-Sat 2026-11-21 01:00"),
    ],
)
def test_times_are_written_as_people_read_them(start: str, end: str, text: str) -> None:
    assert time_text({"start": start, "end": end, "all_day": "T" not in start}) == text


def test_the_end_of_an_id_names_one_thing_or_none() -> None:
    known = [{"id": "tsk_01M7R4SN50KN4C2YRPHCSQ29ZF"}, {"id": "tsk_02M7R4SN50KN4C2YRPHCSQ29ZF"}]
    assert find_by_end(known[:1], "sq29zf", noun="task") == known[0]
    for end in ("29ZF", "AAAAAA"):
        with pytest.raises(NotFound):
            find_by_end(known, end, noun="task")
    with pytest.raises(click.UsageError, match="Several tasks end in SQ29ZF"):
        find_by_end(known, "SQ29ZF", noun="task")
