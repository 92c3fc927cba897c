"""Finding people, addresses, phones, days and numbers in what was said."""

from datetime import date
from time import thread_time

import pytest

from tertulia.entities.domain import EntityType
from tertulia.entities.finder import ENTITIES_READ_MAX_CHARS, MESSAGE_ENTITIES_MAX, find_entities

#: A Wednesday.
SAID_ON = date(2026, 11, 18)


def found(text: str, type_: EntityType, *, zone: str = "UTC") -> dict[str, str]:
    """Return the values of a type in a text, each with its normal form."""
    mentions = find_entities(text, said_on=SAID_ON, zone=zone)
    assert all(text[one.start_char : one.end_char] == one.value for one in mentions)
    return {one.value: one.normal for one in mentions if one.type is type_}


@pytest.mark.parametrize(
    ("text", "value", "normal"),
    [
        ("Call (415) 555-0132 now", "(415) 555-0132", "+14155550132"),
        ("It is 415.555.0132.", "415.555.0132", "+14155550132"),
        ("my number is 4155550132", "4155550132", "+14155550132"),
        ("Ring +44 20 7946 0958!", "+44 20 7946 0958", "+442079460958"),
        ("phone 01223 365599", "01223 365599", "+441223365599"),
        ("their number is 01223365599", "01223365599", "+441223365599"),
        ("my number is now 555-0199", "555-0199", "5550199"),
        ("+1 415-555-0132 ext. 12", "+1 415-555-0132 ext. 12", "+14155550132;ext=12"),
        ("1-800-555-0199 is free", "1-800-555-0199", "+18005550199"),
    ],
)
def test_phone_numbers_are_found_as_they_are_written(text: str, value: str, normal: str) -> None:
    assert found(text, EntityType.PHONE) == {value: normal}


def test_a_number_without_its_country_is_read_as_one_of_the_persons_zone() -> None:
    assert found("tel. 030 901820", EntityType.PHONE, zone="Europe/Berlin") == {"030 901820": "+4930901820"}


@pytest.mark.parametrize(
    "text",
    [
        "order number 4155550132",
        "on 2026-05-04 or 12/05/2026",
        "the server 192.168.1.100",
        "pages 200-1500",
        "$1,200,000.00",
        "the timestamp 1699999999",
    ],
)
def test_other_numbers_are_no_phones(text: str) -> None:
    assert found(text, EntityType.PHONE) == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I live at 123 Maple Street, Springfield. Call me.", "123 Maple Street, Springfield"),
        ("Flat 4, 22 Acacia Avenue, London N1 7AA is mine", "Flat 4, 22 Acacia Avenue, London N1 7AA"),
        (
            "to 1600 Pennsylvania Ave NW, Washington, DC 20500 please",
            "1600 Pennsylvania Ave NW, Washington, DC 20500",
        ),
        ("Meet at 123 Maple Street, John will be there", "123 Maple Street"),
        ("the address is 201 Broadway", "201 Broadway"),
        ("at 1155 Blossom Hill Road #101, San Jose, CA", "1155 Blossom Hill Road #101, San Jose, CA"),
        ("we met at 12 Elm St. Tomorrow we go", "12 Elm St"),
        ("106 regent street city centre", "106 regent street city centre"),
        ("456 Oak Ave Springfield IL 62704", "456 Oak Ave Springfield IL 62704"),
        ("at 42 W 34th St, Apt 5B, New York.", "42 W 34th St, Apt 5B, New York"),
        (
            "1221 Avenue of the Americas, New York, NY 10020",
            "1221 Avenue of the Americas, New York, NY 10020",
        ),
        ("P.O. Box 1234, Denver, CO 80202", "P.O. Box 1234, Denver, CO 80202"),
        ("Ich wohne Hauptstraße 12, 10115 Berlin und", "Hauptstraße 12, 10115 Berlin"),
        ("Unter den Linden 77, Berlin", "Unter den Linden 77, Berlin"),
        ("Vivo en Calle Mayor 5, 3º B, 28013 Madrid.", "Calle Mayor 5, 3º B, 28013 Madrid"),
        ("au 10 rue de la Paix, 75002 Paris", "10 rue de la Paix, 75002 Paris"),
    ],
)
def test_addresses_are_found_whole(text: str, value: str) -> None:
    assert list(found(text, EntityType.ADDRESS)) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "a 10 minute drive down the road",
        "I ate 3 apples on the street",
        "we need 4 more chairs",
        "at 9 pm Friday",
    ],
)
def test_counted_things_are_no_addresses(text: str) -> None:
    assert found(text, EntityType.ADDRESS) == {}


@pytest.mark.parametrize(
    ("text", "value", "normal"),
    [
        ("next Tuesday at 3pm", "next Tuesday at 3pm", "2026-11-24T15:00"),
        ("on the 4th of July", "4th of July", "2027-07-04"),
        ("tomorrow", "tomorrow", "2026-11-19"),
        ("the 3rd works", "the 3rd", "2026-12-03"),
        ("it is 2026-05-04", "2026-05-04", "2026-05-04"),
        ("at 11:30 am", "11:30 am", "T11:30"),
        ("quarter to 6 in the evening", "quarter to 6 in the evening", "T17:45"),
        ("Monday next week", "Monday next week", "2026-11-23"),
        ("the day after tomorrow", "the day after tomorrow", "2026-11-20"),
        ("by 12/05", "12/05", "2026-12-05"),
        ("3 days ago", "3 days ago", "2026-11-15"),
        ("in two weeks", "in two weeks", "2026-12-02"),
        ("this weekend", "this weekend", "2026-11-21/2026-11-22"),
        ("we met on Monday", "Monday", "2026-11-16"),
        ("my birthday is June 3rd", "June 3rd", "--06-03"),
        ("Friday evening at 7", "Friday evening at 7", "2026-11-20T19:00"),
        ("Thanksgiving", "Thanksgiving", "2026-11-26"),
        ("Easter 2027", "Easter 2027", "2027-03-28"),
        ("open 9am-5pm", "9am-5pm", "T09:00/17:00"),
        ("it was moved to Friday, November 27", "Friday, November 27", "2026-11-27"),
        ("nächsten Montag um 15 Uhr", "nächsten Montag um 15 Uhr", "2026-11-23T15:00"),
        ("am 3. März 2027", "3. März 2027", "2027-03-03"),
        ("el 3 de mayo a las 5 de la tarde", "3 de mayo a las 5 de la tarde", "2027-05-03T17:00"),
        ("pasado mañana", "pasado mañana", "2026-11-20"),
    ],
)
def test_days_and_times_are_resolved(text: str, value: str, normal: str) -> None:
    assert found(text, EntityType.DATE) == {value: normal}


def test_the_order_of_day_and_month_is_that_of_the_zone() -> None:
    assert found("due 5/4/2026", EntityType.DATE, zone="America/New_York") == {"5/4/2026": "2026-05-04"}
    assert found("due 5/4/2026", EntityType.DATE, zone="Europe/London") == {"5/4/2026": "2026-04-05"}


@pytest.mark.parametrize(
    "text",
    ["may I ask", "the 3rd floor", "five to ten people", "on 31/31/2026", "February 30", "1/2 cup", "24/7"],
)
def test_what_is_no_day_is_not_taken_for_one(text: str) -> None:
    assert found(text, EntityType.DATE) == {}


def test_amounts_have_one_form() -> None:
    said = "I pay $1,200.50, or 1.200,50 €, 45 dollars, $1.2 million and 20%"
    assert list(found(said, EntityType.AMOUNT).values()) == [
        "1200.5 USD",
        "1200.5 EUR",
        "45 USD",
        "1200000 USD",
        "20 %",
    ]


def test_links_and_mail_end_where_the_sentence_goes_on() -> None:
    said = "See https://example.com/a(b). Or www.foo.org, and write to foo.bar@x.co.uk."
    assert list(found(said, EntityType.LINK)) == ["https://example.com/a(b)", "www.foo.org"]
    assert list(found(said, EntityType.EMAIL)) == ["foo.bar@x.co.uk"]


def test_names_are_told_apart_by_what_stands_beside_them() -> None:
    said = "My wife Anna works at Acme Corp in Berlin with Dr. Smith on Project Falcon, ticket FAL-12."
    assert list(found(said, EntityType.PERSON)) == ["Anna", "Dr. Smith"]
    assert list(found(said, EntityType.ORGANISATION)) == ["Acme Corp"]
    assert list(found(said, EntityType.PLACE)) == ["Berlin"]
    assert list(found(said, EntityType.PROJECT)) == ["Falcon"]
    assert list(found(said, EntityType.IDENTIFIER)) == ["FAL-12"]


def test_code_blocks_are_left_out() -> None:
    said = "Look:\n```\ncall(4155550132)\n```\nand 212-555-0187"
    assert list(found(said, EntityType.PHONE)) == ["212-555-0187"]


HOSTILE = {
    "digits": "1" * 100_000,
    "numbers": "12 " * 33_000,
    "capitals": "Aa " * 33_000,
    "joined capitals": "A-" * 50_000,
    "dots": "a." * 50_000,
    "at signs": "a@" * 50_000,
    "plus signs": "+1" * 50_000,
    "brackets": "(" * 100_000,
    "spaces": " " * 100_000,
    "fences": "```\n" * 25_000,
    "ticks": "`" * 100_000,
    "lone digits": "1 " * 50_000,
    "dates": "1 Jan " * 17_000,
    "districts": "Elm Street Fen Ditton " * 4_500,
    "weekdays": "Monday " * 14_000,
    "streets": "1 a st " * 14_000,
    "calls": "call 12 " * 12_000,
    "hosts": "www." * 25_000,
    "lines": "\n" * 100_000,
}


HOSTILE_TEXT_CHARS, HOSTILE_TEXT_MAX_MS = 25_000, 5_000


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_in_little_time(name: str) -> None:
    # Half a second of this thread; what is quadratic takes a minute.
    assert measure_ms(HOSTILE[name][:HOSTILE_TEXT_CHARS]) < HOSTILE_TEXT_MAX_MS


#: The unit is repeated. Four times as much text takes four times as long, and sixteen times as long where
#: something looks back from every place; how long a machine takes for either says nothing.
SHORT_TEXT_CHARS, LONGER_TEXT_CHARS = 1_000, 4_000
GROWTH_MAX = 8


@pytest.mark.parametrize(
    "unit", ["1 ", "x : ", "1 Jan ", "call 12 ", "+49 1 ", "C/.", "\u00a0 ", "12 Elm Street, ", "`", "Aa, "]
)
def test_the_time_for_a_text_grows_no_faster_than_the_text_whatever_it_is(unit: str) -> None:
    text = unit * LONGER_TEXT_CHARS
    short = min(measure_ms(text[:SHORT_TEXT_CHARS]) for _ in range(3))
    longer = min(measure_ms(text[:LONGER_TEXT_CHARS]) for _ in range(3))
    assert longer < GROWTH_MAX * short


def measure_ms(text: str) -> float:
    """Return how many milliseconds of this thread it takes to look through a text."""
    began = thread_time()
    find_entities(text, said_on=SAID_ON, zone="UTC")
    return (thread_time() - began) * 1000


def test_only_so_much_of_a_long_message_is_read() -> None:
    said = "x " * (ENTITIES_READ_MAX_CHARS // 2) + "(415) 555-0132"
    assert found(said, EntityType.PHONE) == {}
    assert len(find_entities("$5 " * 5_000, said_on=SAID_ON, zone="UTC")) <= MESSAGE_ENTITIES_MAX
