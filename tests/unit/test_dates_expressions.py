"""Days and times in words: what is meant, what is left over, and what people are told of it."""

from datetime import date, datetime
from time import process_time
from zoneinfo import ZoneInfo

import pytest

from tertulia.dates.expressions import DateReading, read_expression

MADRID = "Europe/Madrid"
#: It takes some milliseconds.
READING_MAX_SECONDS = 0.5
WEDNESDAY = datetime(2026, 11, 18, 10, tzinfo=ZoneInfo(MADRID))


def read(text: str, now: datetime = WEDNESDAY, zone: str = MADRID, **more: bool) -> DateReading:
    reading = read_expression(text, now=now, zone=zone, **more)
    assert reading is not None, text
    return reading


def at(moment: str, zone: str = MADRID) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(zone))


def test_a_reading_says_what_people_should_see_before_it_is_saved() -> None:
    reading = read("Dentist next Friday at 4")
    assert reading.start == at("2026-11-27T16:00")
    assert (reading.end, reading.is_all_day, reading.rrule) == (None, False, "")
    assert (reading.said, reading.rest) == ("next Friday at 4", "Dentist")
    assert reading.reading == "Friday 27 November 2026, 16:00 (Europe/Madrid)"
    assert reading.note == "“Next Friday” is read as that of next week, not Friday 20 November 2026."


def test_words_around_an_expression_are_kept_and_those_that_lead_to_it_are_not() -> None:
    assert read("Submit the taxes by April 15, please").rest == "Submit the taxes, please"
    assert read("On Monday at 1: lunch with Sam").rest == "lunch with Sam"
    both = read("Lunch at 1 with Sam on Friday")
    assert (both.start, both.rest, both.said) == (
        at("2026-11-20T13:00"),
        "Lunch with Sam",
        "at 1 … on Friday",
    )
    assert read("Zahnarzt am 3. April um 8:15 Uhr").rest == "Zahnarzt"
    assert read("llamar a Marta el viernes").rest == "llamar a Marta"
    assert read("Dîner avec Léa samedi à 20h").rest == "Dîner avec Léa"


def test_several_days_end_with_the_day_after_the_last() -> None:
    trip = read("Trip from 3 to 7 January")
    assert (trip.start, trip.end, trip.is_all_day) == (date(2027, 1, 3), date(2027, 1, 8), True)
    assert trip.reading == "Sunday 3 January 2027 \u2013 Thursday 7 January 2027"


def test_what_recurs_is_said_in_words_and_ends_in_utc() -> None:
    reading = read("team lunch every Friday at noon until 18 December")
    assert reading.rrule == "FREQ=WEEKLY;BYDAY=FR;UNTIL=20261218T110000Z"
    assert reading.reading.endswith(
        "12:00 (Europe/Madrid), every week on Friday, until Friday 18 December 2026"
    )
    assert "every 3 weeks" in read("every third Friday at 9").note


def test_a_time_that_the_clock_skips_is_moved_and_told() -> None:
    eve = datetime(2026, 3, 28, 18, tzinfo=ZoneInfo("Europe/Berlin"))
    skipped = read("tomorrow at 2:30am", eve, "Europe/Berlin")
    assert skipped.start == at("2026-03-29T03:30", "Europe/Berlin")
    assert skipped.note == "Clocks skip 02:30 on this day, so it is moved to 03:30."
    plain = read("tomorrow at 2:30", eve, "Europe/Berlin")
    assert (plain.start, plain.note) == (at("2026-03-29T14:30", "Europe/Berlin"), "")


def test_of_a_time_that_comes_twice_the_first_is_meant() -> None:
    eve = datetime(2026, 10, 24, 18, tzinfo=ZoneInfo(MADRID))
    twice = read("tomorrow at 02:30", eve)
    assert isinstance(twice.start, datetime)
    assert twice.start.isoformat() == "2026-10-25T02:30:00+02:00"
    assert "twice" in twice.note


def test_so_many_hours_from_now_pass_on_a_day_of_25_hours_too() -> None:
    eve = datetime(2026, 10, 24, 18, tzinfo=ZoneInfo(MADRID))
    assert read("in 24 hours", eve).start == at("2026-10-25T17:00")


def test_another_zone_is_told_in_ones_own() -> None:
    reading = read("call at 3pm New York time on Friday")
    assert isinstance(reading.start, datetime)
    assert reading.start.isoformat() == "2026-11-20T21:00:00+01:00"
    assert reading.rest == "call"


def test_figures_are_read_as_people_there_write_them_or_as_asked() -> None:
    assert read("3/4/2027").start == date(2027, 4, 3)
    assert read("3/4/2027", zone="America/New_York").start == date(2027, 3, 4)
    assert read("3/4/2027", is_month_first=True).start == date(2027, 3, 4)
    assert read("13/4/2027", is_month_first=True).start == date(2027, 4, 13)


def test_a_wrong_weekday_is_told() -> None:
    assert read("Monday 20 November 2026").note == "This day is a Friday: Friday 20 November 2026."


@pytest.mark.parametrize(
    "text", ["", " ", "Friday or Monday", "buy milk", "1.2.3.4", "31 February 2027", "\x00", "½ cup"]
)
def test_where_there_is_no_day_or_several_nothing_is_read(text: str) -> None:
    assert read_expression(text, now=WEDNESDAY, zone=MADRID) is None


def test_an_unknown_zone_is_read_as_utc_and_a_long_text_at_its_beginning() -> None:
    assert read("noon", zone="Mars/Base").zone == "UTC"
    assert read("tomorrow " + "word " * 500).start == date(2026, 11, 19)
    assert read_expression("word " * 500 + "tomorrow", now=WEDNESDAY, zone=MADRID) is None


@pytest.mark.parametrize(
    "piece", ["1 ", "12:", "monday and ", "every monday on ", "5 past 5 ", "- ", "(((", "1st of "]
)
def test_a_line_of_any_kind_is_read_in_little_time(piece: str) -> None:
    began = process_time()
    read_expression(piece * 500, now=WEDNESDAY, zone=MADRID)
    assert process_time() - began < READING_MAX_SECONDS


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("lundi en huit", date(2026, 11, 30)),
        ("jeudi en huit à 15h", at("2026-11-26T15:00")),
        ("vendredi en quinze", date(2026, 12, 4)),
        ("demain en huit", date(2026, 11, 26)),
        ("Montag in acht Tagen", date(2026, 11, 30)),
        ("heute in acht Tagen um 9", at("2026-11-25T09:00")),
        ("vendredi à midi et demi", at("2026-11-20T12:30")),
        ("see you Sat @ 6", at("2026-11-21T18:00")),
        ("today at midnight", at("2026-11-19T00:00")),
        ("hoy a medianoche", at("2026-11-19T00:00")),
    ],
)
def test_days_and_times_by_which_people_call_them(text: str, start: date) -> None:
    assert read(text).start == start


@pytest.mark.parametrize(
    ("text", "rrule"),
    [
        ("tous les quinze jours", "FREQ=WEEKLY;INTERVAL=2"),
        ("cada quince días", "FREQ=WEEKLY;INTERVAL=2"),
        ("every last Friday of the month", "FREQ=MONTHLY;BYDAY=-1FR"),
        ("every second Tuesday of the month at 9", "FREQ=MONTHLY;BYDAY=2TU"),
        ("every second Tuesday at 9", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
    ],
)
def test_rules_by_which_people_call_them(text: str, rrule: str) -> None:
    assert read(text).rrule == rrule


def test_two_times_are_no_span_unless_something_lies_between_them() -> None:
    assert read("pills every day at 7am and 7pm").end is None
    assert read("Friday at 10 and 2").end is None
    assert read("Friday between 10 and 2").end == at("2026-11-20T14:00")
    assert read("mañana entre las 10 y las 12").end == at("2026-11-19T12:00")


def test_a_time_of_which_nobody_knows_on_which_of_several_days_is_not_dropped() -> None:
    assert read_expression("Monday to Friday at 9", now=WEDNESDAY, zone=MADRID) is None
    assert read("Friday at 10 to Sunday at 4").end == at("2026-11-22T16:00")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("el 15 a las 10", "2026-12-15T10:00"),
        ("rendez-vous le 15 à 10h", "2026-12-15T10:00"),
        ("à 10h le 15", "2026-12-15T10:00"),
        ("el día 25 a mediodía", "2026-11-25T12:00"),
        ("den 15. um 10 Uhr", "2026-12-15T10:00"),
    ],
)
def test_a_day_of_the_month_in_figures_alone_counts_beside_a_time(text: str, start: str) -> None:
    assert read(text).start == at(start)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("demain à 6h30", "2026-11-19T06:30"),
        ("demain vers 6h", "2026-11-19T06:00"),
        ("morgen um 6 Uhr 30", "2026-11-19T06:30"),
        ("morgen um 5:45 Uhr", "2026-11-19T05:45"),
        ("morgen Abend um 7:30 Uhr", "2026-11-19T19:30"),
        ("ce soir à 8h", "2026-11-18T20:00"),
        ("dans 2h30", "2026-11-18T12:30"),
    ],
)
def test_people_who_write_24_hours_mean_them_unless_they_say_a_part_of_the_day(text: str, start: str) -> None:
    assert read(text).start == at(start)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("half a year from now", date(2027, 5, 18)),
        ("la veille de Noël", date(2026, 12, 24)),
        ("la víspera de Navidad", date(2026, 12, 24)),
        ("am Tag vor Weihnachten", date(2026, 12, 24)),
        ("le lendemain de Noël", date(2026, 12, 26)),
    ],
)
def test_words_that_move_a_day_are_not_passed_over(text: str, day: date) -> None:
    assert read(text).start == day


@pytest.mark.parametrize("text", ["un samedi sur deux", "cada dos sábados", "un sábado sí y otro no"])
def test_every_second_weekday_recurs(text: str) -> None:
    reading = read(text)
    assert (reading.start, reading.rrule) == (date(2026, 11, 21), "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA")


@pytest.mark.parametrize(
    "text", ["half a week ago", "on the 1st and 15th of every month", "the 5th and 20th of January"]
)
def test_of_several_days_none_is_chosen_nor_is_half_a_count_a_whole(text: str) -> None:
    assert read_expression(text, now=WEDNESDAY, zone=MADRID) is None
