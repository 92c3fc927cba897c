"""Days and times as people also say them: numbers in words, halves, offsets, and words around a day."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from tertulia.dates.expressions import DateReading, read_expression

MADRID = "Europe/Madrid"
WEDNESDAY = datetime(2026, 11, 18, 10, tzinfo=ZoneInfo(MADRID))


def find(text: str) -> DateReading | None:
    return read_expression(text, now=WEDNESDAY, zone=MADRID)


def read(text: str) -> DateReading:
    reading = find(text)
    assert reading is not None, text
    return reading


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(MADRID))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("am einundzwanzigsten Dezember um siebzehn Uhr", at("2026-12-21T17:00")),
        ("morgen um achtzehn Uhr fünf", at("2026-11-19T18:05")),
        ("in vierzehn Tagen", date(2026, 12, 2)),
        ("in fünfundzwanzig Minuten", at("2026-11-18T10:25")),
        ("in zweieinhalb Stunden", at("2026-11-18T12:30")),
        ("el treinta y uno de diciembre", date(2026, 12, 31)),
        ("el veinticinco de enero a las dieciséis horas", at("2027-01-25T16:00")),
        ("a las diecinueve treinta el lunes", at("2026-11-23T19:30")),
        ("el lunes a las cinco menos veinticinco", at("2026-11-23T16:35")),
        ("le trente et un décembre", date(2026, 12, 31)),
        ("mardi à dix-sept heures", at("2026-11-24T17:00")),
        ("lundi à dix-neuf heures trente", at("2026-11-23T19:30")),
        ("mardi à huit heures cinq", at("2026-11-24T08:05")),
    ],
)
def test_numbers_are_read_in_words_as_far_as_a_month_or_a_clock_counts(text: str, start: date) -> None:
    assert read(text).start == start


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("le 3 mai", date(2027, 5, 3)),
        ("réunion le 21 mars", date(2027, 3, 21)),
        ("3. Mai", date(2027, 5, 3)),
        ("a la una y media", at("2026-11-18T13:30")),
        ("Pfingstmontag", date(2027, 5, 17)),
        ("Presidents' Day 2027", date(2027, 2, 15)),
    ],
)
def test_a_few_words_of_a_language_tell_it_together(text: str, start: date) -> None:
    assert read(text).start == start


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("ten to four tomorrow afternoon", "2026-11-19T15:50", None),
        ("from ten to four tomorrow", "2026-11-19T10:00", "2026-11-19T16:00"),
        ("five to seven tomorrow evening", "2026-11-19T17:00", "2026-11-19T19:00"),
        ("at quarter to 5 to feed the cat", "2026-11-18T16:45", None),
        ("wed at 4p", "2026-11-18T16:00", None),
        ("nine-thirty Monday", "2026-11-23T09:30", None),
        ("in four and a half hours", "2026-11-18T14:30", None),
        ("in 3 1/2 hours", "2026-11-18T13:30", None),
        ("en dos horas y media", "2026-11-18T12:30", None),
        ("dans deux heures et demie", "2026-11-18T12:30", None),
        ("demain à deux heures et demie", "2026-11-19T14:30", None),
        ("tomorrow at 3 for two and a half hours", "2026-11-19T15:00", "2026-11-19T17:30"),
        ("an hour before noon", "2026-11-18T11:00", None),
        ("two hours before midnight", "2026-11-18T22:00", None),
        ("half an hour before 12:15 pm tomorrow", "2026-11-19T11:45", None),
        ("tomorrow at 15:00 UTC+2", "2026-11-19T14:00", None),
        ("Mon, 07 Dec 2026 15:00:00 +0530", "2026-12-07T10:30", None),
        ("Nov 25 9:00-0500", "2026-11-25T15:00", None),
        ("tomorrow 9:00-11:30", "2026-11-19T09:00", "2026-11-19T11:30"),
        ("3pm Eastern on Friday", "2026-11-20T21:00", None),
        ("noon Pacific time on Friday", "2026-11-20T21:00", None),
        ("el martes 1 a las 10", "2026-12-01T10:00", None),
        ("Tuesday 1 at 10", "2026-12-01T10:00", None),
        ("book a table for 4 on Saturday at 7:45 pm", "2026-11-21T19:45", None),
        ("in einer Dreiviertelstunde", "2026-11-18T10:45", None),
        ("in 1h 30m", "2026-11-18T11:30", None),
        ("a 2-hour workshop on Friday at 9am", "2026-11-20T09:00", "2026-11-20T11:00"),
        ("from 9am Monday to 5pm Tuesday", "2026-11-23T09:00", "2026-11-24T17:00"),
        ("03.12.26 at 10", "2026-12-03T10:00", None),
        ("übermorgen Abend um halb acht", "2026-11-20T19:30", None),
    ],
)
def test_times_are_those_that_people_mean(text: str, start: str, end: str | None) -> None:
    reading = read(text)
    assert (reading.start, reading.end) == (at(start), at(end) if end else None)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("the weekend of December 12", date(2026, 12, 12)),
        ("week of the 7th", date(2026, 12, 7)),
        ("tomorrow week", date(2026, 11, 26)),
        ("two Tuesdays ago", date(2026, 11, 10)),
        ("this past Monday", date(2026, 11, 16)),
        ("Friday two weeks from now", date(2026, 12, 4)),
        ("next year on July 4", date(2027, 7, 4)),
        ("Dec 4 next year", date(2027, 12, 4)),
        ("next month on the 25th", date(2026, 12, 25)),
        ("in the year 2030", date(2030, 1, 1)),
        ("Due: 12/15", date(2026, 12, 15)),
        ("the last Friday before Christmas", date(2026, 12, 18)),
        ("by year end", date(2026, 12, 31)),
        ("the last Sunday of the year", date(2026, 12, 27)),
        ("the week before Christmas", date(2026, 12, 18)),
        ("St. Patrick's Day", date(2027, 3, 17)),
    ],
)
def test_words_around_a_day_say_which_one_is_meant(text: str, start: date) -> None:
    assert read(text).start == start


@pytest.mark.parametrize(
    ("text", "start", "rrule"),
    [
        ("every six weeks on a Monday", date(2026, 11, 23), "FREQ=WEEKLY;INTERVAL=6;BYDAY=MO"),
        ("once a week on Friday at noon", at("2026-11-20T12:00"), "FREQ=WEEKLY;BYDAY=FR"),
        ("every first Friday at 9", at("2026-12-04T09:00"), "FREQ=MONTHLY;BYDAY=1FR"),
        ("for the next three Mondays at 5pm", at("2026-11-23T17:00"), "FREQ=WEEKLY;BYDAY=MO;COUNT=3"),
        ("every day until Friday at noon", at("2026-11-18T12:00"), "FREQ=DAILY;UNTIL=20261120T110000Z"),
        ("alternate Mondays at 10", at("2026-11-23T10:00"), "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
        ("nightly at 11", at("2026-11-18T23:00"), "FREQ=DAILY"),
        ("los martes y jueves a las 19:00", at("2026-11-19T19:00"), "FREQ=WEEKLY;BYDAY=TU,TH"),
        ("every last day of the month", date(2026, 11, 30), "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("every Christmas", date(2026, 12, 25), "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25"),
        ("every Thanksgiving", date(2026, 11, 26), "FREQ=YEARLY;BYDAY=4TH;BYMONTH=11"),
        ("weekly sync Mondays at 11", at("2026-11-23T11:00"), "FREQ=WEEKLY;BYDAY=MO"),
        ("alle vierzehn Tage montags", date(2026, 11, 23), "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
        ("jeden 15. des Monats", date(2026, 12, 15), "FREQ=MONTHLY;BYMONTHDAY=15"),
        ("chaque jour ouvré à 9h", at("2026-11-19T09:00"), "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ],
)
def test_rules_are_those_that_people_mean(text: str, start: date, rrule: str) -> None:
    reading = read(text)
    assert (reading.start, reading.rrule) == (start, rrule)


@pytest.mark.parametrize(
    "text",
    [
        "Monday and Wednesday at 9",
        "yoga Tue/Thu 6:30pm",
        "gym Mon, Wed and Fri at 6am",
        "call Ann 2pm or 3pm tomorrow",
        "Sat and Sun at 10",
        "standup Mon-Fri 9:15am",
        "today at 3 and tomorrow at 4",
        "weekdays except Friday at 9",
        "24/7 support",
        "do it at once",
    ],
)
def test_of_several_days_and_of_exceptions_nothing_is_read_rather_than_a_part(text: str) -> None:
    assert find(text) is None
