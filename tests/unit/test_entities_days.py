"""Days and times in the forms in which people say them, and words that only look like them."""

from datetime import date

import pytest

from tertulia.entities.domain import EntityType
from tertulia.entities.finder import find_entities

#: A Wednesday.
SAID_ON = date(2026, 11, 18)


def find_days_said(text: str) -> dict[str, str]:
    """Return the days and times of a text, each with its normal form."""
    mentions = find_entities(text, said_on=SAID_ON, zone="UTC")
    return {mention.value: mention.normal for mention in mentions if mention.type is EntityType.DATE}


@pytest.mark.parametrize(
    ("text", "value", "normal"),
    [
        ("a week today, please", "a week today", "2026-11-25"),
        ("a week on Thursday", "a week on Thursday", "2026-11-26"),
        ("Friday week then?", "Friday week", "2026-11-27"),
        ("see you Monday fortnight", "Monday fortnight", "2026-12-07"),
        ("we return a week later", "a week later", "+1 week"),
        ("open on weekdays", "weekdays", "every weekday"),
        ("every weekend", "every weekend", "every weekend"),
        ("the last Friday of this month", "the last Friday of this month", "2026-11-27"),
        ("the second Tuesday of January", "the second Tuesday of January", "2027-01-12"),
        ("the last day of the month", "the last day of the month", "2026-11-30"),
        ("the first week of December", "the first week of December", "first week of 2026-12"),
        ("the end of January", "the end of January", "end of 2027-01"),
        ("25/12 is out", "25/12", "2026-12-25"),
        ("12/25 works for me", "12/25", "2026-12-25"),
        ("20-Nov-2026", "20-Nov-2026", "2026-11-20"),
        ("am 3.12.26 um 8", "3.12.26 um 8", "2026-12-03T08:00"),
        ("it works since Jan", "Jan", "2026-01"),
        ("planned for 2026-Q3", "2026-Q3", "2026-Q3"),
        ("Tue May 21 16:26:37 2019", "Tue May 21 16:26:37 2019", "2019-05-21T16:26"),
        ("the card expires 08/28", "08/28", "2028-08"),
        ("the concert was two nights ago", "two nights ago", "2026-11-16"),
        ("half an hour ago", "half an hour ago", "2026-11-18"),
        ("an hour later", "an hour later", "+1 hour"),
        ("the next day", "the next day", "+1 day"),
        ("we come back the day after.", "the day after", "+1 day"),
        ("is the 9th better?", "the 9th", "2026-12-09"),
        ("the first of every month", "the first of every month", "every month 01"),
        ("the 1st of each month", "the 1st of each month", "every month 01"),
        ("open Mon-Fri", "Mon-Fri", "every monday-friday"),
        ("Black Friday", "Black Friday", "2026-11-27"),
        ("u free sat nite?", "sat nite", "2026-11-21"),
        ("see you thurs", "thurs", "2026-11-19"),
        ("day after tmrw", "day after tmrw", "2026-11-20"),
        ("2moro", "2moro", "2026-11-19"),
        ("the weekend after next", "the weekend after next", "2026-12-05/2026-12-06"),
    ],
)
def test_days_are_counted_from_others(text: str, value: str, normal: str) -> None:
    assert find_days_said(text) == {value: normal}


@pytest.mark.parametrize(
    ("text", "value", "normal"),
    [
        ("Tuesday at half 8", "Tuesday at half 8", "2026-11-24T08:30"),
        ("7ish works", "7ish", "T07:00"),
        ("let's do 6-ish at the pub", "6-ish", "T06:00"),
        ("Friday from 2 to 4", "Friday from 2 to 4", "2026-11-20T02:00/04:00"),
        ("Mon-Sat 8am-6pm", "Mon-Sat 8am-6pm", "every monday-saturdayT08:00/18:00"),
        ("Thursday noon", "Thursday noon", "2026-11-19T12:00"),
        ("twelve noon", "twelve noon", "T12:00"),
        ("ETA 1630 hrs", "1630 hrs", "T16:30"),
        ("we close at 1700 hrs", "1700 hrs", "T17:00"),
        ("any weekday after 5", "any weekday after 5", "every weekdayT05:00"),
        ("Friday before 9", "Friday before 9", "2026-11-20T09:00"),
        ("i'll be there half six", "half six", "T06:30"),
        ("thurs at like 1230", "thurs at like 1230", "2026-11-19T12:30"),
        ("scheduled for 12/3 at 0800.", "12/3 at 0800", "2026-12-03T08:00"),
        ("sunday 9.30", "sunday 9.30", "2026-11-22T09:30"),
        ("is the 9.10 to Leeds late", "9.10", "T09:10"),
        ("lunch at twelve thirty", "twelve thirty", "T12:30"),
        ("arriving by 10", "10", "10:00"),
        ("Tomorrow morning at 8 would be best", "Tomorrow morning at 8", "2026-11-19T08:00"),
        ("next Thursday at ten to six", "next Thursday at ten to six", "2026-11-26T05:50"),
        ("remind me tonight at nine to water the plants", "tonight at nine", "2026-11-18T21:00"),
        ("it boards at 16.35", "16.35", "T16:35"),
        ("open between 10 am and 2 pm", "10 am and 2 pm", "T10:00/14:00"),
        ("open 9:30-16:30", "9:30-16:30", "T09:30/16:30"),
        ("viertel nach sechs abends", "viertel nach sechs abends", "T18:15"),
        ("a las diez menos cuarto", "diez menos cuarto", "T09:45"),
        ("à huit heures et demie", "huit heures et demie", "T08:30"),
        ("à midi", "midi", "T12:00"),
    ],
)
def test_times_are_said_short(text: str, value: str, normal: str) -> None:
    assert find_days_said(text) == {value: normal}


@pytest.mark.parametrize(
    ("text", "value", "normal"),
    [
        ("on se voit demain à 15h", "demain à 15h", "2026-11-19T15:00"),
        ("jeudi 3 décembre à 9h30", "jeudi 3 décembre à 9h30", "2026-12-03T09:30"),
        ("le 1er mars 2027", "1er mars 2027", "2027-03-01"),
        ("c'était hier soir", "hier soir", "2026-11-17"),
        ("aujourd\u2019hui", "aujourd\u2019hui", "2026-11-18"),
        ("lundi dernier", "lundi dernier", "2026-11-16"),
        ("dans deux semaines", "dans deux semaines", "2026-12-02"),
        ("il y a 3 jours", "il y a 3 jours", "2026-11-15"),
    ],
)
def test_days_are_said_in_french(text: str, value: str, normal: str) -> None:
    assert find_days_said(text) == {value: normal}


@pytest.mark.parametrize(
    ("text", "value", "normal"),
    [
        ("nächste Woche Dienstag", "nächste Woche Dienstag", "2026-11-24"),
        ("Dienstag nächster Woche", "Dienstag nächster Woche", "2026-11-24"),
        ("Ende Januar", "Ende Januar", "end of 2027-01"),
        ("im März", "März", "2027-03"),
        ("dieses Wochenende", "dieses Wochenende", "2026-11-21/2026-11-22"),
        ("al lunes que viene", "lunes que viene", "2026-11-23"),
        ("del 10 al 14 de diciembre", "10 al 14 de diciembre", "2026-12-10/2026-12-14"),
        ("esta tarde", "esta tarde", "2026-11-18"),
        ("en marzo", "marzo", "2027-03"),
        ("este fin de semana", "este fin de semana", "2026-11-21/2026-11-22"),
        ("la semaine prochaine", "la semaine prochaine", "2026-W48"),
        ("du 3 au 5 mai", "3 au 5 mai", "2027-05-03/2027-05-05"),
        ("ce soir", "ce soir", "2026-11-18"),
        ("fin janvier", "fin janvier", "end of 2027-01"),
    ],
)
def test_weeks_and_months_are_said_in_german_spanish_and_french(text: str, value: str, normal: str) -> None:
    assert find_days_said(text) == {value: normal}


def test_two_times_or_days_are_two() -> None:
    assert list(find_days_said("at 10 am and 2 pm")) == ["10 am", "2 pm"]
    assert list(find_days_said("from March 3rd to March 5th")) == ["March 3rd", "March 5th"]
    assert list(find_days_said("from March 3rd to 5th")) == ["March 3rd to 5th"]
    assert list(find_days_said("on the 21st or 22nd?")) == ["the 21st", "22nd"]


def test_what_was_seen_by_a_doctor_is_past() -> None:
    assert find_days_said("Seen by Dr. Ortiz on the 5th of Oct") == {"5th of Oct": "2026-10-05"}


@pytest.mark.parametrize(
    "day",
    [
        "tomorrow at 5 pm",
        "the 14th of this month",
        "March 8th",
        "8 March 2027",
        "may 3rd",
        "the twenty first",
        "Saturday this week",
        "half past 11 in the morning",
        "quarter to 2 in the afternoon",
        "evening 6:15",
        "tonight at 8",
        "2:00 PM on Friday",
        "11:30 am on the 8th",
        "this coming friday",
    ],
)
@pytest.mark.parametrize(
    "sentence",
    [
        "I want it {}.",
        "Can you book it for {}?",
        "Book a table for 2 {} in San Jose",
        "please make it {}, and not later",
        "{} works for me",
        "The event is {} at the stadium",
        "Please confirm: 4 people, {}, in Oakland.",
    ],
)
def test_days_are_found_in_any_sentence(day: str, sentence: str) -> None:
    assert list(find_days_said(sentence.format(day))) == [day]


@pytest.mark.parametrize(
    "text",
    [
        "a ratio of 3/4, a score of 21/19, and 13/10 would buy again",
        "version 3.11.4, then 2.0.1",
        "$1,299.00 and £12.30",
        "a table for two, or for 4 tonight's guests",
        "you may march on, and the sun was out when we sat",
        "give me a second, the second half is weak",
        "12 people, or 10ish people, and he is 20ish",
        "2000 hrs of video",
        "ça dure 2h30",
        "I ate 3 Mars bars at Mardi Gras",
        "hier ist es schön",
        "Plácido Domingo sang",
        "I may second that, and we march first",
        "the ratio 3/4 is fine, 24/7 at 5 sites",
        "we sat night after night on sun loungers",
        "next day delivery",
        "the 3rd best player, at 5 good schools, the 1st available slot",
        "the 2nd and 3rd rows were empty",
        "at 5 items it broke, in the fifteenth century, for the second time",
        "cut it in half four times",
        "at 1500 rpm, at 12.50 each, Python 3.10 to Python 3.12",
        "las dos chicas, pendant 8 heures",
        "start from 1 and go on",
        "Python 3.12.12, boto3 1.28.57 and certifi>=2023.5.7",
        "Jan and April said so, June called",
        "after 10 tries, by 3 people at most, from 5 to 7 items",
    ],
)
def test_plain_words_and_numbers_are_no_days(text: str) -> None:
    assert {value for value in find_days_said(text) if value != "tonight"} == set()
