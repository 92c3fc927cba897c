"""Statements that tell other figures of the same thing, without a word that says so."""

import pytest

from tertulia.memory.domain import Point, PointKind
from tertulia.memory.restatements import find_restatements, is_restated_by
from tertulia.memory.reversed_points import pair_reversals


def point(number: int, text: str) -> Point:
    return Point(PointKind.ENTITY, text, [f"q{number}"], [number], ["user"])


@pytest.mark.parametrize(
    ("statement", "later"),
    [
        ("My phone number is 555-0101.", "The phone number to use is 555-0199."),
        ("The launch party is on 3 March.", "People come to the launch party on 24 March."),
        ("Das Lager hat 40 Paletten Platz.", "Das Lager hat 60 Paletten Platz."),
        ("The deposit for the hall is 400 euros.", "We paid a deposit of 650 euros for the hall."),
    ],
)
def test_other_figures_of_the_same_thing_are_told_beside_the_first(statement: str, later: str) -> None:
    assert is_restated_by(statement, later)
    [first, second] = pair_reversals([point(2, statement), point(9, later)], [])
    assert first.text == f"{statement} [later, in round 9: {later}]"
    assert first.sources == ["q2", "q9"]
    assert second.text == later


@pytest.mark.parametrize(
    ("statement", "later"),
    [
        ("The code of the north gate is 1177.", "The code of the south gate is 2288."),
        ("My aunt Hanne lives at number 4.", "My aunt Lise lives at number 9."),
        ("The rent is 900 euros.", "The rent is 900 euros, as I said."),
        ("The rent is 900 euros.", "The tank holds 900 litres."),
        ("We have 3 cats.", "We have 4 hours."),
        ("Pier 0 opens at 6:30 sharp.", "Pier 1 opens at 7:30 sharp."),
    ],
)
def test_other_things_are_left_alone(statement: str, later: str) -> None:
    assert not is_restated_by(statement, later)


def test_readings_of_a_series_are_not_told_beside_each_other() -> None:
    readings = [point(number, f"The pump gave {number * 7} litres today.") for number in range(1, 9)]
    assert list(find_restatements(readings)) == []


def test_the_latest_of_two_later_statements_is_told() -> None:
    said = [point(1, "The hall seats 80 guests."), point(5, "The hall seats 95 guests at tables.")]
    [(_, later)] = find_restatements(said)
    assert later.text == said[1].text
