"""Days that a reply names wrongly of what it has written; other days of its text are left alone."""

from datetime import date

import pytest

from tertulia.conversations.domain import WrittenItem, WrittenKind
from tertulia.turns.date_corrections import find_corrections

WEDNESDAY = date(2026, 11, 18)
#: On a Friday.
DENTIST = WrittenItem(
    WrittenKind.EVENT,
    "evt_1",
    "created",
    "Dentist",
    "2026-11-20T16:00:00+01:00",
    "2026-11-20T17:00:00+01:00",
    "Europe/Madrid",
)
#: Due on a Tuesday.
REPORT = WrittenItem(WrittenKind.TASK, "tsk_1", "created", "Write the report", "2026-12-01", "2026-12-02")


#: From a Monday to a Wednesday.
CONFERENCE = WrittenItem(WrittenKind.EVENT, "evt_3", "created", "Conference", "2026-12-07", "2026-12-10")


def marked(text: str, *items: WrittenItem, at: int = 0) -> list[str]:
    written = [(at, item) for item in items or (DENTIST,)]
    return [one.said for one in find_corrections(text, written, today=WEDNESDAY, zone="Europe/Madrid")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I've scheduled “Dentist” for Thursday, 20 November at 16:00.", "Thursday, 20 November"),
        ("Done! The event is on Thursday.", "Thursday"),
        ("Done, it is on Thursday, November 20th, 2026 at 4 pm.", "Thursday, November 20th, 2026"),
        ("Dentist: **Saturday, 21 November 2026**, 16:00", "Saturday, 21 November 2026"),
        ("Your dentist appointment is booked for tomorrow at 4 pm.", "tomorrow"),
        ("When: Thursday, 16:00", "Thursday"),
        ("The appointment is on Thursday at 4.", "Thursday"),
        ("It's set for 2026-11-21 at 16:00.", "2026-11-21"),
        ("I moved it from Monday to Thursday.", "Thursday"),
        ("Created for Thu, Nov 20, 16:00\u201317:00.", "Thu, Nov 20"),
        ("The dentist is on 20/11/2026 (Thursday).", "20/11/2026 (Thursday)"),
        ("It's set for today at 16:00.", "today"),
        ("The task is on your list for Thursday.", "Thursday"),
        ("Scheduled for the 21st of November.", "21st of November"),
        ("I've put it on Thursday the 20th.", "Thursday the 20th"),
        ("- Dentist — Thursday, 16:00", "Thursday"),
        ("Der Termin ist am Donnerstag, den 20. November, eingetragen.", "Donnerstag, den 20. November"),
        ("Ich habe den Termin für morgen eingetragen.", "morgen"),
        ("Termin angelegt: Samstag, 21.11.2026, 16 Uhr.", "Samstag, 21.11.2026"),
        ("He agendado la cita para el jueves 20 de noviembre a las 16:00.", "jueves 20 de noviembre"),
        ("Listo: lo he puesto para mañana.", "mañana"),
        ("Le rendez-vous est prévu pour le jeudi 20 novembre à 16h.", "jeudi 20 novembre"),
        ("C'est ajouté pour demain à 16h.", "demain"),
        ("L'appuntamento è fissato per giovedì 20 novembre.", "giovedì 20 novembre"),
        ("O evento está marcado para quinta-feira, 20 de novembro.", "quinta-feira, 20 de novembro"),
        ("De afspraak staat gepland op donderdag 20 november.", "donderdag 20 november"),
        ("I've added the dentist for Thu 19/11 at 16:00.", "Thu 19/11"),
        ("Der Termin ist am Freitag, den 20.12., eingetragen.", "Freitag, den 20.12"),
        ("Der Termin steht: Samstag, 21. November, 16 Uhr.", "Samstag, 21. November"),
        ("I've added it for the 19th.", "19th"),
        ("I reserved Thursday at 16:00 for you.", "Thursday"),
        ("Created! Day: Saturday", "Saturday"),
        ("Done. Due date: Sunday, 22 November", "Sunday, 22 November"),
        ("Termin eingetragen am Do., 20.11.2026, 16 Uhr.", "Do., 20.11.2026"),
        ("Termin: Do 20.11. um 16 Uhr", "Do 20.11"),
        ("Ich habe den Termin für Do. 20. November eingetragen.", "Do. 20. November"),
        ("La cita queda agendada: sáb. 20/11/2026", "sáb. 20/11/2026"),
        ("La cita está puesta para el jue 20 dic.", "jue 20 dic"),
        ("Rendez-vous prévu jeu. 20 nov. à 16 h", "jeu. 20 nov"),
        ("Marquei o dentista para a próxima terça-feira.", "terça-feira"),
        ("It's set for the 20th, a Thursday.", "20th, a Thursday"),
        ("Booked for 20 November, which is a Thursday.", "20 November, which is a Thursday"),
        ("Booked for Nov 20 (Thu), 4 pm.", "Nov 20 (Thu)"),
        ("Erledigt! Dein Zahnarzttermin ist am Samstag um 16 Uhr.", "Samstag"),
        ("Ich habe den Termin auf Donnerstag, 19.11., 16 Uhr gelegt.", "Donnerstag, 19.11"),
        ("Der Zahnarzttermin steht jetzt für Sonntag, den 22. November.", "Sonntag, den 22. November"),
    ],
)
def test_a_wrong_day_of_what_was_written_is_marked(text: str, said: str) -> None:
    assert marked(text) == [said]


@pytest.mark.parametrize(
    "text",
    [
        "I've scheduled “Dentist” for Friday, 20 November at 16:00.",
        "Done! The event is on Friday.",
        "It is on 20 November 2026.",
        "It's in two days, on Friday the 20th.",
        "I moved it from Thursday to Friday.",
        "I moved it from Thursday, 19 November.",
        "You are busy on Thursday, so I did not use that day.",
        "Since Thursday is a holiday, I have booked another day.",
        "Would you prefer Thursday?",
        "Remember that your passport expires on 3 December.",
        "The meeting on Monday stays as it is.",
        "Der Termin am Montag bleibt bestehen.",
        "La cita del lunes sigue igual.",
        "Le rendez-vous de lundi ne change pas.",
        "The meeting notes are due on Monday.",
        "Note that the following Monday, 23 November, the shop opens late.",
        "I have booked it. Your flight on Monday stays.",
        "Your week: Monday is full, Thursday has two meetings.",
        "Thursday was taken, so I've booked it for the day after.",
        "I have scheduled it the day after Thanksgiving, which is on Thursday, November 26.",
        "The event was created. It was last changed on 18 November.",
        "Dentist: your earlier one on 13 November stays.",
        "The event is planned in the week of Monday 16 November.",
        "Scheduled well ahead of Monday's review.",
        "Created the event in the calendar “Sunday League”.",
        "I have booked it for Fri 20/11.",
        "I've put it on the 20th; the 2nd floor is closed.",
        "Booked for the 3rd time.",
        "The reminder is set for Thursday at 18:00.",
        "I created it. Your next event is “Standup” on Monday 30 November.",
        "Dentist is on Friday, two days after your call on Wednesday.",
        "I can also book Thursday.",
        "If Thursday suits you better, I can move it.",
        "The report is due by Monday.",
        "Remember that the office is closed on Monday.",
        "Bring your card. The card expires on 3 December 2027.",
        "Done. Not on Thursday, of course.",
        "I have created the event. On Sunday the weather will be fine.",
        "It is on Friday, which is before Saturday.",
        "Am Freitag, den 20.11.2026, ist der Termin eingetragen.",
        "Ich habe den Termin vom Donnerstag auf Freitag verschoben.",
        "Falls Donnerstag besser passt, verschiebe ich den Termin.",
        "Guten Morgen! Der Termin ist eingetragen.",
        "Heute Morgen habe ich den Termin angelegt.",
        "La cita es el viernes 20 de noviembre por la mañana.",
        "¿Prefieres el jueves?",
        "Le rendez-vous est déplacé du jeudi au vendredi.",
        "Today I have booked it for Friday.",
        "May I help with anything else?",
        "The event is set. Version 20.11 of the plan is out.",
        "I put the 3 documents into the folder.",
        "Der Termin am Freitag, 16.30 Uhr, ist eingetragen.",
        "Der Termin am Freitag, 16.10 Uhr, ist eingetragen.",
        "Der Termin ist am Fr., 20.11.2026, um 16 Uhr eingetragen.",
        "The dentist is booked for Friday 4.30 pm.",
        "Dentist: Friday 16.00",
        "So, 20.11.2026 works: it is booked.",
        "Booked, so 20 November it is.",
        "It's on the 20th, a Friday.",
        "Created on 18 November 2026 at 10:02.",
        "As of Wednesday 18 November, the appointment is booked.",
        "The event was created from the email of 12 November.",
        "Dentist: 20 November 16\u201317",
        "",
    ],
)
def test_other_days_are_left_alone(text: str) -> None:
    assert marked(text) == []


def test_a_correction_names_the_right_day_and_what_it_is_of() -> None:
    (event,) = find_corrections("It is on Thursday.", [(0, DENTIST)], today=WEDNESDAY, zone="UTC")
    assert (event.right, event.event_id, event.task_id) == ("Friday 20 November 2026", "evt_1", None)
    (task,) = find_corrections("The task is due on Monday.", [(0, REPORT)], today=WEDNESDAY, zone="UTC")
    assert (task.right, task.event_id, task.task_id) == ("Tuesday 1 December 2026", None, "tsk_1")


def test_of_two_things_each_is_compared_with_what_is_said_of_it() -> None:
    text = "- Dentist: Thursday 19 November\n- Write the report: Tuesday 1 December"
    assert marked(text, DENTIST, REPORT) == ["Thursday 19 November"]
    assert marked("Dentist is on Friday, and the report is due on 1 December.", DENTIST, REPORT) == []
    assert marked("Both are done: Thursday and Monday.", DENTIST, REPORT) == []
    assert marked("Done! I've scheduled “Dentist” for Tuesday.", DENTIST, REPORT) == ["Tuesday"]
    assert marked("Done! One is on Tuesday.", DENTIST, REPORT) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "The conference runs from Tuesday, December 8 to Thursday, December 10.",
            "Tuesday, December 8 to Thursday, December 10",
        ),
        ("I've added the conference, Dec 7\u201311.", "Dec 7\u201311"),
        ("Conference is on your calendar for 6-9 December.", "6-9 December"),
        ("Conference: Mon 7 Dec \u2013 Thu 10 Dec", "Mon 7 Dec \u2013 Thu 10 Dec"),
    ],
)
def test_of_what_lasts_several_days_the_first_and_the_last_are_compared(text: str, said: str) -> None:
    assert marked(text, CONFERENCE) == [said]


@pytest.mark.parametrize(
    "text",
    [
        "The conference runs from Monday, December 7 to Wednesday, December 9.",
        "Conference: 7\u20139 December",
        "Conference: Mon 7 Dec \u2013 Wed 9 Dec",
        "The conference is on your calendar; the second day is Tuesday.",
    ],
)
def test_the_days_of_what_lasts_several_are_left_alone(text: str) -> None:
    assert marked(text, CONFERENCE) == []


def test_a_task_is_known_by_a_word_of_its_title_where_it_is_said_when_it_is_due() -> None:
    assert marked("The report is due Friday.", REPORT) == ["Friday"]
    assert marked("The report is due on Tuesday.", REPORT) == []
    assert marked("The invoice is due Friday.", REPORT) == []


def test_what_was_said_before_it_was_written_is_left_alone() -> None:
    text = "I will put it on Thursday. "
    assert marked(text + "Done, it is on Friday.", at=len(text)) == []
    assert marked(text + "Done, it is on Saturday.", at=len(text)) == ["Saturday"]


def test_either_day_of_a_moment_is_right_where_two_zones_disagree() -> None:
    late = WrittenItem(
        WrittenKind.EVENT,
        "evt_2",
        "created",
        "Call",
        "2026-11-20T20:00:00-05:00",
        "2026-11-20T20:30:00-05:00",
        "America/New_York",
    )
    assert marked("The call is set for Friday.", late) == []
    assert marked("The call is set for Saturday, 21 November.", late) == []
    assert marked("The call is set for Sunday.", late) == ["Sunday"]


def test_a_recurring_event_is_corrected_only_where_a_date_has_the_wrong_weekday() -> None:
    weekly = WrittenItem(
        WrittenKind.EVENT,
        "evt_3",
        "created",
        "Yoga",
        "2026-11-20T18:00:00+01:00",
        "2026-11-20T19:00:00+01:00",
        "Europe/Madrid",
        recurrence_id="20261120T170000Z",
    )
    assert (
        marked("Yoga is on the calendar for Tuesdays and Fridays; next is Tuesday 24 November.", weekly) == []
    )
    assert marked("Yoga begins on Thursday, 20 November.", weekly) == ["Thursday, 20 November"]


def test_the_last_change_of_a_thing_counts_and_what_is_deleted_has_no_day() -> None:
    moved = WrittenItem(WrittenKind.EVENT, "evt_1", "changed", "Dentist", "2026-11-23T16:00:00+01:00")
    assert marked("It is on Monday now.", DENTIST, moved) == []
    assert marked("It is on Friday now.", DENTIST, moved) == ["Friday"]
    gone = WrittenItem(WrittenKind.EVENT, "evt_1", "deleted", "Dentist", "2026-11-23T16:00:00+01:00")
    assert marked("Deleted: it was on Friday.", DENTIST, gone) == []
