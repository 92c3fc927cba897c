"""Phone numbers in the forms and sentences in which people write them, and numbers of other things."""

from datetime import date

import pytest

from tertulia.entities.domain import EntityType
from tertulia.entities.finder import find_entities
from tertulia.entities.phone_numbers import normalise_phone

PHONES = (
    "01223365599",
    "01223-247942",
    "+1 707-552-0240",
    "(510) 597-0795",
    "+44 1226 261 010",
    "(+44) 20 7946 0958",
    "0800 096 9779",
    "6505550137",
    "415.282.0344",
    "0151 / 23456789",
    "0221 / 55 50 12-0",
    "963 51 22 10",
    "01 44 55 66 77",
    "06.12.34.56.78",
    "(02) 9555 0171",
    "(11) 91234-5678",
    "138 0013 8000",
    "1-877-383-4802",
    "+353 (0)1 555 0123",
    "1-800-GO-FEDEX",
    "+43 1 58858 0",
    "+49 211 4939 - 0",
)
SENTENCES = (
    "Call {}",
    "The number is {} , anything else?",
    "for lost cards ring us ({})",
    "(phone {})",
    "call {} 3 times",
    "call {} at 5pm",
    "{} 24/7",
    "**{}**",
    "Your reference is 4KX9QW2A and the contact number is {}.",
    "Booking completed! Contact number : {}",
    "reference number 00AF41, phone {}",
    "my driver called me ten minutes ago from {}",
    "| name | {} |",
)


def find_phones_said(text: str) -> list[str]:
    """Return the phone numbers of a text as they are written."""
    mentions = find_entities(text, said_on=date(2026, 11, 18), zone="UTC")
    return [mention.value for mention in mentions if mention.type is EntityType.PHONE]


@pytest.mark.parametrize("phone", PHONES)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_phones_are_found_in_any_sentence(phone: str, sentence: str) -> None:
    assert find_phones_said(sentence.format(phone)) == [phone]


def test_two_phones_side_by_side_are_two() -> None:
    assert find_phones_said("6175550100/6175550101") == ["6175550100", "6175550101"]
    assert find_phones_said("01223 365599 / 415-282-0344") == ["01223 365599", "415-282-0344"]


def test_a_number_of_an_unknown_country_keeps_its_digits() -> None:
    assert normalise_phone("030 901820", zone="America/New_York") == "030901820"
    assert normalise_phone("030 901820", zone="Europe/Berlin") == "+4930901820"
    assert normalise_phone("06 6982 1234", zone="Europe/Rome") == "+390669821234"


def test_an_abbreviation_does_not_end_the_words_before_a_phone() -> None:
    assert find_phones_said("My mobile no. is 98450 12345") == ["98450 12345"]


@pytest.mark.parametrize(
    "text",
    [
        "IBAN DE89 3704 0044 0532 0130 00",
        "passcode 482211",
        "the last 10 digits are 0000000000",
        "3000000000 rows",
        "2^31 = 2147483648",
        "the number of my account is 4155550132",
        "12/05/2026 works",
        "SSN 123-45-6789, zip 94596-1234",
        "NIST 800-171 controls",
        "text=2310144, free=2181107712",
    ],
)
def test_numbers_of_other_things_are_no_phones(text: str) -> None:
    assert find_phones_said(text) == []
