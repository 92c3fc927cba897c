"""Rules of recurrence: read in one form, and followed by days alone."""

from datetime import date, timedelta

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from tertulia.tasks.errors import RuleUnreadable
from tertulia.tasks.recurrence import choose_anchor, find_day, read_rule

WEDNESDAY = date(2026, 11, 18)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("FREQ=WEEKLY;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO"),
        (" rrule:freq=daily;interval=2; ", "FREQ=DAILY;INTERVAL=2"),
        ("FREQ=DAILY;UNTIL=20261231T235959Z", "FREQ=DAILY;UNTIL=20261231"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "FREQ=MONTHLY;BYDAY=-1FR"),
    ],
)
def test_a_rule_is_read_in_one_form(written: str, read: str) -> None:
    assert read_rule(written) == read
    assert read_rule(read) == read


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "weekly",
        "FREQ=HOURLY",
        "FREQ=SOMETIMES",
        "BYDAY=MO",
        "FREQ=DAILY;BYHOUR=3",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=²",
        "FREQ=DAILY;INTERVAL=-1",
        "FREQ=DAILY;COUNT=2;UNTIL=20261231",
        "FREQ=DAILY;UNTIL=20261331",
        "FREQ=DAILY;UNTIL=tomorrow",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=MONTHLY;BYMONTHDAY=x",
        "FREQ=DAILY\nRDATE:20261231",
        "FREQ=DAILY;X-MINE=1",
        f"FREQ=DAILY;BYMONTH={','.join(['1'] * 300)}",
    ],
)
def test_what_is_no_rule_of_days_is_refused(wrong: str) -> None:
    with pytest.raises(RuleUnreadable):
        read_rule(wrong)


@pytest.mark.parametrize(
    ("rule", "start", "after", "found"),
    [
        ("FREQ=WEEKLY;BYDAY=MO", date(2026, 11, 16), date(2026, 11, 16), date(2026, 11, 23)),
        ("FREQ=WEEKLY;BYDAY=MO", WEDNESDAY, None, date(2026, 11, 23)),
        ("FREQ=YEARLY", date(2024, 2, 29), date(2024, 2, 29), date(2028, 2, 29)),
        ("FREQ=YEARLY", date(2096, 2, 29), date(2096, 2, 29), date(2104, 2, 29)),
        ("FREQ=MONTHLY;BYMONTHDAY=31", date(2026, 1, 31), date(2026, 1, 31), date(2026, 3, 31)),
        ("FREQ=MONTHLY;BYDAY=-1MO", WEDNESDAY, None, date(2026, 11, 30)),
        ("FREQ=DAILY;COUNT=2", WEDNESDAY, WEDNESDAY, WEDNESDAY + timedelta(1)),
        ("FREQ=DAILY;COUNT=2", WEDNESDAY, WEDNESDAY + timedelta(1), None),
        ("FREQ=DAILY;UNTIL=20261118", WEDNESDAY, WEDNESDAY, None),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", WEDNESDAY, None, None),
        ("FREQ=DAILY", date(9999, 12, 31), date(9999, 12, 31), None),
    ],
)
def test_the_next_day_of_a_rule_is_found(
    rule: str, start: date, after: date | None, found: date | None
) -> None:
    assert find_day(rule, start=start, after=after) == found


@given(
    frequency=st.sampled_from(("DAILY", "WEEKLY", "MONTHLY", "YEARLY")),
    interval=st.integers(1, 5),
    more=st.sampled_from(("", ";COUNT=4", ";UNTIL=20270101", ";BYDAY=MO,TH", ";BYMONTHDAY=1,-1")),
    start=st.dates(date(2020, 1, 1), date(2026, 12, 31)),
    later=st.integers(0, 400),
)
def test_days_are_those_of_the_library_that_reckons_from_the_start(
    frequency: str, interval: int, more: str, start: date, later: int
) -> None:
    # Ours are found in a later period of the calendar, which must be the same one.
    rule = read_rule(f"FREQ={frequency};INTERVAL={interval}{more}")
    after = start + timedelta(later)
    from_start = rrulestr(f"DTSTART:{start:%Y%m%d}\nRRULE:{rule}")
    wanted = next((day.date() for day in from_start if day.date() > after), None)
    assert find_day(rule, start=start, after=after) == wanted


def test_a_rule_is_about_the_day_that_it_names() -> None:
    monday, wednesday = date(2026, 11, 16), WEDNESDAY
    rule = "FREQ=WEEKLY;BYDAY=MO"
    assert choose_anchor(rule, start_date=monday, due_date=wednesday) == monday
    assert choose_anchor(rule, start_date=None, due_date=wednesday) == wednesday
    assert choose_anchor("FREQ=WEEKLY", start_date=monday, due_date=wednesday) == wednesday
    assert choose_anchor(rule, start_date=None, due_date=None) is None
