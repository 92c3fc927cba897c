"""Addresses and phone numbers in the forms in which people write them, and what only looks like them."""

from datetime import date

import pytest

from tertulia.entities.domain import EntityType
from tertulia.entities.finder import find_entities


def find_values(text: str, type_: EntityType) -> list[str]:
    """Return the values of a type in a text."""
    mentions = find_entities(text, said_on=date(2026, 11, 18), zone="UTC")
    return [mention.value for mention in mentions if mention.type is type_]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("from 41B Camden Road, London NW1.", "41B Camden Road, London NW1"),
        ("Office: 500 Terry A Francois Blvd, open", "500 Terry A Francois Blvd"),
        ("The address is Heidel Gardens, Lion Yard and", "Heidel Gardens, Lion Yard"),
        (
            "the address is b2 fen leisure park cliff way east hinton and",
            "b2 fen leisure park cliff way east hinton",
        ),
        ("located at Leisure Park, Clifton Way Cherry Hinton.", "Leisure Park, Clifton Way Cherry Hinton"),
        ("Address: Quayside Off Bridge Street. Phone 1", "Quayside Off Bridge Street"),
        ("Its address is Parkside, Cambridge and", "Parkside, Cambridge"),
        ("address is 10050 North Wolfe Road SW1-190, call", "10050 North Wolfe Road SW1-190"),
        ("it leaves from 401 I Street at nine", "401 I Street"),
        ("14a Upper Dorset Street, Dublin 1.", "14a Upper Dorset Street, Dublin 1"),
        (
            "en Avenida Diagonal 640, 6ª planta, 08017 Barcelona",
            "Avenida Diagonal 640, 6ª planta, 08017 Barcelona",
        ),
        ("at 12/48 Beach Rd, Bondi NSW 2026", "12/48 Beach Rd, Bondi NSW 2026"),
        ("it is 24 - 25 Green Street", "24 - 25 Green Street"),
        ("on Newmarket Road Fen Ditton , postcode", "Newmarket Road Fen Ditton"),
        ("at 63 Milton Road Chesterton, phone", "63 Milton Road Chesterton"),
        (
            "Unit 7, Riverside Business Park, Leeds LS10 1AB",
            "Unit 7, Riverside Business Park, Leeds LS10 1AB",
        ),
        ("to 6 The Crescent, York YO24 1AW", "6 The Crescent, York YO24 1AW"),
        ("the corner of Pine and 3rd, at noon", "the corner of Pine and 3rd"),
        ("at Fifth and Mission, hurry", "Fifth and Mission"),
        ("stay at Gonville Place, Cambridge CB1 1LY.", "Gonville Place, Cambridge CB1 1LY"),
        ("it is on King's Parade", "King's Parade"),
        ("wait outside 221 High Holborn?", "221 High Holborn"),
        ("Flat 3/1, 27 Byres Road, Glasgow", "Flat 3/1, 27 Byres Road, Glasgow"),
        ("No. 8, Gandhi Nagar 2nd Street, Chennai 600020", "No. 8, Gandhi Nagar 2nd Street, Chennai 600020"),
        ("Prinsengracht 263, 1016 GV Amsterdam", "Prinsengracht 263, 1016 GV Amsterdam"),
        ("at 169 High Street Chesterton and the phone", "169 High Street Chesterton"),
        ("we live at 112 station road, reading rg1 1lx", "112 station road, reading rg1 1lx"),
        ("fae 9 Castle Wynd, Stirling at five", "9 Castle Wynd, Stirling"),
        ("Is 1 Infinite Loop, Cupertino far from here?", "1 Infinite Loop, Cupertino"),
        ("Kantstraße 104, 10627 Berlin, Besichtigung heute", "Kantstraße 104, 10627 Berlin"),
        ("at Rose Cottage, Mill Lane, Bath BA1 2AB.", "Rose Cottage, Mill Lane, Bath BA1 2AB"),
        ("near The Old Rectory, Church Street, Ludlow", "The Old Rectory, Church Street, Ludlow"),
        ("In White House, 12 Dale Road, Leeds LS2 8AA", "White House, 12 Dale Road, Leeds LS2 8AA"),
        ("C/ Serrano 45, 2º izq., 28001 Madrid", "C/ Serrano 45, 2º izq., 28001 Madrid"),
    ],
)
def test_addresses_have_many_forms(text: str, value: str) -> None:
    assert find_values(text, EntityType.ADDRESS) == [value]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Meet at 12 Elm Street Anna Smith.", ["12 Elm Street"]),
        ("10 Main St Q3 results", ["10 Main St"]),
        ("recorded at Abbey Road Studios", []),
        ("Season 2 The Circle", []),
        ("They are at 1620 Willow Pass Road. Anything else?", ["1620 Willow Pass Road"]),
        ("Meet at 123 Maple Street, John will be there", ["123 Maple Street"]),
        ("at 12 Elm Street, Mum bakes", ["12 Elm Street"]),
        ("databases of up to 512 MB", []),
        ("9 square meters is tiny", []),
        ("Unit 8, Mercers Row, 01223 500202", ["Unit 8, Mercers Row"]),
        ("56 Saint Barnabas Road , cb12de", ["56 Saint Barnabas Road", "cb12de"]),
        ("106 Regent Street City Centre, postcode CB2 1DP", ["106 Regent Street City Centre", "CB2 1DP"]),
        ("bit encoding: S1E4M3", []),
        ("a court case, a place to be, no way", []),
        ("in the corner of my eye", []),
    ],
)
def test_names_beside_streets_are_no_part_of_addresses(text: str, values: list[str]) -> None:
    assert find_values(text, EntityType.ADDRESS) == values


def test_french_phones_are_written_with_full_stops() -> None:
    assert find_values("mon portable : 06.12.34.56.78", EntityType.PHONE) == ["06.12.34.56.78"]
