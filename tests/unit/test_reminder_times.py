"""What is due when, what a reminder says, and where a mail server is: reckoned without a server."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes, policy
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.calendars.domain import EventStatus, Occurrence
from tertulia.reminders.deliverer import settle
from tertulia.reminders.delivery_store import BACKOFF_MAX, DELIVERY_ATTEMPTS_MAX, FIRST_BACKOFF
from tertulia.reminders.domain import (
    DeliveryStatus,
    Reminder,
    ReminderKind,
    ReminderMessage,
    ReminderSubject,
    SendOutcome,
)
from tertulia.reminders.due_times import list_event_reminders, moment_of
from tertulia.reminders.loop import NOBODY_TO_CONTACT, choose_contact
from tertulia.reminders.mail_sender import MailSender, build_mail
from tertulia.reminders.mail_server import MailEncryption, MailServer, read_mail_server
from tertulia.reminders.planner import window_start
from tertulia.reminders.wording import describe_reminder
from tertulia.settings import SettingInvalid, Settings

TEN = datetime(2027, 3, 1, 10, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
MEETING = Occurrence("evt_1", "cal_1", "uid", "Meeting", TEN, TEN + 60 * MINUTE, reminders=(10,))


def due_times(*occurrences: Occurrence, since: datetime, until: datetime) -> list[datetime]:
    return [one.due_at for one in list_event_reminders(occurrences, since=since, until=until)]


def test_each_reminder_of_an_event_is_due_so_long_before_it() -> None:
    meeting = replace(MEETING, reminders=(10, 0, 10, 1440))
    assert due_times(meeting, since=TEN - 20 * MINUTE, until=TEN) == [TEN, TEN - 10 * MINUTE]
    assert due_times(meeting, since=TEN - timedelta(days=1), until=TEN - timedelta(days=1)) == [
        TEN - timedelta(days=1)
    ]


def test_a_cancelled_event_is_due_never() -> None:
    gone = replace(MEETING, status=EventStatus.CANCELLED)
    assert due_times(gone, since=TEN - timedelta(days=1), until=TEN) == []


def test_a_time_that_was_moved_is_another_one() -> None:
    moved = replace(MEETING, start=TEN + 60 * MINUTE, recurrence_id="20270301T100000Z")
    told = [
        next(iter(list_event_reminders([one], since=TEN - 60 * MINUTE, until=TEN + 60 * MINUTE))).occurrence
        for one in (replace(MEETING, recurrence_id="20270301T100000Z"), moved)
    ]
    assert told[0] != told[1]


@given(
    starts=st.lists(st.integers(0, 3000), max_size=8),
    minutes=st.lists(st.integers(0, 600), max_size=3),
    cuts=st.lists(st.integers(0, 3000), min_size=2, max_size=5, unique=True),
)
def test_looks_that_follow_each_other_miss_nothing(
    starts: list[int], minutes: list[int], cuts: list[int]
) -> None:
    events = [replace(MEETING, start=TEN + start * MINUTE, reminders=minutes) for start in starts]
    cuts.sort()
    looked = [
        due
        for since, until in pairwise(cuts)
        for due in due_times(*events, since=TEN + since * MINUTE, until=TEN + until * MINUTE)
    ]
    assert set(looked) == set(due_times(*events, since=TEN + cuts[0] * MINUTE, until=TEN + cuts[-1] * MINUTE))


@pytest.mark.parametrize(
    ("day", "minute", "zone", "moment"),
    [
        (date(2027, 3, 1), 540, "UTC", datetime(2027, 3, 1, 9, tzinfo=UTC)),
        (date(2027, 7, 1), 540, "Europe/Madrid", datetime(2027, 7, 1, 7, tzinfo=UTC)),
        # Left out when the clock was set ahead, and shown twice when it was set back.
        (date(2027, 3, 28), 150, "Europe/Madrid", datetime(2027, 3, 28, 1, 30, tzinfo=UTC)),
        (date(2027, 10, 31), 150, "Europe/Madrid", datetime(2027, 10, 31, 0, 30, tzinfo=UTC)),
    ],
)
def test_a_time_of_a_day_is_the_one_of_the_zone(day: date, minute: int, zone: str, moment: datetime) -> None:
    assert moment_of(day, minute=minute, zone=ZoneInfo(zone)) == moment


def test_what_was_planned_is_told_late_for_a_day_and_what_was_not_is_not() -> None:
    assert window_start(None, at=TEN) == TEN - 2 * MINUTE
    assert window_start(TEN + 60 * MINUTE, at=TEN) == TEN - 2 * MINUTE
    assert window_start(TEN - 60 * MINUTE, at=TEN) == TEN - 60 * MINUTE
    assert window_start(TEN - timedelta(days=9), at=TEN) == TEN - timedelta(days=1)


def reminder(kind: ReminderKind = ReminderKind.EVENT, *, is_late: bool = False) -> Reminder:
    return Reminder("rem_1", "usr_1", kind, "sub_1", "", None, 10, TEN, TEN, is_late, None, None, TEN)


def test_a_reminder_says_when_in_the_zone_of_its_person() -> None:
    subject = ReminderSubject("Meeting", TEN, location="Room 12")
    told = describe_reminder(reminder(is_late=True), subject, zone="Europe/Madrid")
    assert told.title == "Meeting"
    assert told.text.splitlines()[:2] == ["Monday 1 March 2027, 11:00 (Europe/Madrid)", "Room 12"]
    assert "late" in told.text
    assert told.path == "/calendar?date=2027-03-01&event=sub_1"
    all_day = describe_reminder(reminder(), ReminderSubject("Trip", TEN, day="2027-03-02"), zone="UTC")
    assert all_day.text == "Tuesday 2 March 2027"


@pytest.mark.parametrize(
    "title", ["Hello\r\nBcc: eve@example.org", "Hello\x00\x1b[31m\u2028Bcc: x", "x" * 5000]
)
def test_no_title_reaches_beyond_the_subject_of_an_email(title: str) -> None:
    told = describe_reminder(reminder(), ReminderSubject(title, TEN), zone="UTC")
    for message in (told, ReminderMessage(title, title, "/", "rem_1")):
        mail = build_mail(message, sender="Tertulia <t@example.org>", to="ada@example.org", public_url="")
        read = message_from_bytes(mail.as_bytes(), policy=policy.default)
        assert read["Bcc"] is None
        assert read.get_all("To") == ["ada@example.org"]
        assert len(read["Subject"].splitlines()) == 1
        assert len(read["Subject"]) <= 150


def test_attempts_rest_longer_each_time_and_end() -> None:
    waits = [
        settle(SendOutcome(DeliveryStatus.WAITING), attempts=attempts).retry_after
        for attempts in range(1, DELIVERY_ATTEMPTS_MAX)
    ]
    assert waits[0] == FIRST_BACKOFF
    assert waits == sorted(waits, key=lambda wait: wait or BACKOFF_MAX)
    last = settle(SendOutcome(DeliveryStatus.WAITING, "down"), attempts=DELIVERY_ATTEMPTS_MAX)
    assert (last.status, last.problem) == (DeliveryStatus.FAILED, "down")
    asked = SendOutcome(DeliveryStatus.WAITING, retry_after=timedelta(minutes=9))
    assert settle(asked, attempts=1).retry_after == timedelta(minutes=9)


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example.org", MailServer("mail.example.org", 587, MailEncryption.STARTTLS)),
        ("smtps://mail.example.org", MailServer("mail.example.org", 465, MailEncryption.TLS)),
        ("smtp+plain://mail.lan:2525", MailServer("mail.lan", 2525, MailEncryption.NONE)),
        ("smtp://127.0.0.1:1025", MailServer("127.0.0.1", 1025, MailEncryption.NONE)),
        ("smtp://localhost", MailServer("localhost", 25, MailEncryption.NONE)),
        (
            "SMTP://ada%40home:p%3Aw%25@mail.example.org:587/",
            MailServer("mail.example.org", 587, MailEncryption.STARTTLS, "ada@home", "p:w%"),
        ),
    ],
)
def test_the_address_of_a_mail_server_says_how_it_is_spoken_to(url: str, server: MailServer) -> None:
    settings = Settings.from_env({"TERTULIA_SMTP_URL": url, "TERTULIA_SMTP_FROM": "t@example.org"})
    assert read_mail_server(settings.smtp_url) == server
    assert MailSender.of(settings) is not None
    assert MailSender.of(Settings.from_env({})) is None


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.org",
        "http://ada:hush@mail.example.org",
        "smtp://",
        "smtp://ada:hush@",
        "smtp://ada:hush@mail.example.org:port",
        "smtp://ada:hush@mail.example.org/inbox",
        "smtp://ada:hush @mail.example.org",
        "smtp://ada:hush%zz@mail.example.org",
        "smtp://ada:hush#1@mail.example.org",
    ],
)
def test_a_wrong_address_of_a_mail_server_is_told_without_its_password(url: str) -> None:
    with pytest.raises(SettingInvalid) as refused:
        Settings.from_env({"TERTULIA_SMTP_URL": url, "TERTULIA_SMTP_FROM": "t@example.org"})
    assert "hush" not in str(refused.value)


def test_a_password_is_shown_nowhere() -> None:
    url = "smtp://ada:hush@mail.example.org"
    settings = Settings.from_env({"TERTULIA_SMTP_URL": url, "TERTULIA_SMTP_FROM": "t@example.org"})
    assert "hush" not in repr(settings) + repr(read_mail_server(url))


@pytest.mark.parametrize("sender", ["nobody", "Tertulia <>", "a@b\nBcc: c@d", "t@example.org, u@example.org"])
def test_emails_come_from_one_address(sender: str) -> None:
    url = {"TERTULIA_SMTP_URL": "smtp://mail.example.org"}
    with pytest.raises(SettingInvalid):
        Settings.from_env(url | {"TERTULIA_SMTP_FROM": sender})
    with pytest.raises(SettingInvalid, match="needs TERTULIA_SMTP_FROM"):
        Settings.from_env(url)


@pytest.mark.parametrize(
    ("settings", "contact"),
    [
        ({"push_contact": "mailto:ada@example.org"}, "mailto:ada@example.org"),
        ({"smtp_from": "Tertulia <t@example.org>"}, "mailto:t@example.org"),
        ({"public_url": "https://ai.example.org"}, "https://ai.example.org"),
        ({"public_url": "http://ai.lan"}, NOBODY_TO_CONTACT),
    ],
)
def test_push_services_are_told_whom_to_ask(settings: dict[str, Any], contact: str) -> None:
    assert choose_contact(replace(Settings(data_dir=Path("unused")), **settings)) == contact


@pytest.mark.parametrize("text", ["ada@example.org", "mailto:ada@example.org", "https://example.org"])
def test_a_contact_is_an_address_of_mail_or_of_the_web(text: str) -> None:
    assert Settings.from_env({"TERTULIA_PUSH_CONTACT": text}).push_contact.endswith("example.org")
    with pytest.raises(SettingInvalid):
        Settings.from_env({"TERTULIA_PUSH_CONTACT": "nobody"})
