"""Two versions of an event become one, or what they disagree about is named."""

import pytest
from tests.caldav_server import event_text

from tertulia.calendars.caldav.ical_lines import NotCalendarText, parse_calendar, uid_of, write_calendar
from tertulia.calendars.caldav.merge import is_same_event, merge_events

BASE = event_text(
    "a", "Lunch", "LOCATION:Porto", "X-TIE:green", "BEGIN:VALARM", "TRIGGER:-PT5M", "END:VALARM"
)
SERIES = event_text("a", "Standup", "RRULE:FREQ=DAILY;COUNT=9")
SPECIAL = """BEGIN:VEVENT\r
UID:a\r
RECURRENCE-ID:20260603T090000Z\r
DTSTART:20260603T110000Z\r
SUMMARY:Special\r
END:VEVENT\r
END:VCALENDAR"""


def with_exception(series: str) -> str:
    return series.replace("END:VCALENDAR", SPECIAL)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("SUMMARY:Lunch", "SUMMARY:Dinner"), ("LOCATION:Porto", "LOCATION:Lisbon")),
        (("X-TIE:green", "X-TIE:red"), ("SUMMARY:Lunch", "SUMMARY:Dinner")),
        (("T090000Z", "T083000Z"), ("X-TIE:green\r\n", "")),
        (("TRIGGER:-PT5M", "TRIGGER:-PT9M"), ("T090000Z", "T083000Z")),
        (("X-TIE:green", "X-TIE:green\r\nATTENDEE:mailto:bob@example.org"), ("Lunch", "Dinner")),
    ],
)
def test_changes_of_different_fields_are_both_in_what_results(
    ours: tuple[str, str], theirs: tuple[str, str]
) -> None:
    merged = merge_events(BASE, BASE.replace(*ours), BASE.replace(*theirs))
    assert merged.conflicts == ()
    assert is_same_event(merged.content, BASE.replace(*ours).replace(*theirs))


@pytest.mark.parametrize(
    ("ours", "theirs", "told"),
    [
        (("Lunch", "Dinner"), ("Lunch", "Supper"), "title"),
        (("T090000Z", "T083000Z"), ("T100000Z", "T113000Z"), "time"),
        (("TRIGGER:-PT5M", "TRIGGER:-PT9M"), ("TRIGGER:-PT5M", "TRIGGER:-PT1M"), "reminders"),
        (("X-TIE:green", "X-TIE:red"), ("X-TIE:green\r\n", ""), "x-tie"),
    ],
)
def test_what_both_changed_differently_is_named_and_theirs_stays(
    ours: tuple[str, str], theirs: tuple[str, str], told: str
) -> None:
    merged = merge_events(BASE, BASE.replace(*ours), BASE.replace(*theirs))
    assert merged.conflicts == (told,)
    assert merged.content == BASE.replace(*theirs)


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    changed = BASE.replace("Lunch", "Dinner")
    assert merge_events(BASE, changed, changed).conflicts == ()


def test_another_time_of_a_series_changed_on_each_side_is_in_what_results() -> None:
    ours = SERIES.replace("RRULE", "EXDATE:20260605T090000Z\r\nRRULE")
    merged = merge_events(SERIES, ours, with_exception(SERIES))
    assert merged.conflicts == ()
    assert "EXDATE:20260605T090000Z" in merged.content
    assert "SUMMARY:Special" in merged.content


def test_a_series_moved_on_one_side_while_a_time_of_it_changed_on_the_other_is_told() -> None:
    moved = SERIES.replace("T090000Z", "T080000Z")
    assert merge_events(SERIES, moved, with_exception(SERIES)).conflicts == ("time",)


def test_times_taken_out_on_both_sides_are_all_out() -> None:
    ours, theirs = (SERIES.replace("RRULE", f"EXDATE:2026060{day}T090000Z\r\nRRULE") for day in (4, 5))
    merged = merge_events(SERIES, ours, theirs)
    assert merged.conflicts == ()
    assert merged.content.count("EXDATE") == 2


def test_how_it_is_written_makes_no_difference() -> None:
    other = BASE.replace("DTSTAMP:20260101", "DTSTAMP:20270202").replace("\r\n", "\n")
    assert is_same_event(BASE, other.replace("LOCATION:Porto", "LOCATION:Po\n rto"))
    assert not is_same_event(BASE, BASE.replace("Porto", "Lisbon"))


def test_a_text_is_written_as_it_was_read() -> None:
    long = BASE.replace("Lunch", "Lunch with everybody 🍉 " * 9)
    tree = parse_calendar(long)
    assert parse_calendar(write_calendar(tree)) == tree
    assert all(len(line.encode()) <= 75 for line in write_calendar(tree).split("\r\n"))


@pytest.mark.parametrize(
    "text", ["", "BEGIN:VCALENDAR", BASE[:-20], BASE.partition("END:VEVENT")[0], "<html>"]
)
def test_half_a_text_is_none(text: str) -> None:
    with pytest.raises(NotCalendarText):
        parse_calendar(text)
    assert uid_of(text) == ""
