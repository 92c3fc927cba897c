"""What a sentence is worth: who the person is and what binds, before figures of a moment."""

import pytest

from tertulia.memory.condensation import condense_points
from tertulia.memory.domain import Point, PointKind
from tertulia.memory.point_worth import Worth, assess_points, assess_text, assess_worth

PERSONAL = [
    "Please call me Juno.",
    "I have a shellfish allergy.",
    "My husband Idris picks up the twins.",
    "We live in Aarhus, above the bakery.",
    "Ich heiße Wendelin.",
    "Meine Tochter ist sechs.",
    "Soy de Cuenca y soy celíaco, mi hija también es alérgica.",
    "J'habite à Nantes.",
    "我对花生过敏。",
]
BINDING = [
    "I will send Tove the floor plan by Thursday.",
    "We promised the choir a piano.",
    "The cake must not weigh more than 3 kg.",
    "At most 40 people may be in the hall.",
    "Ich schicke dir das Angebot bis Freitag.",
    "Prometí llamar a la notaría antes del jueves.",
    "Le dossier doit partir au plus tard le 4.",
    "We agreed on the green tiles.",
    "Remember that the alarm is silent on Sundays.",
    "Scrap the trip to Malmö.",
    "Let us rather start out from Visby.",
    "Tout compte fait, le départ se fera à Brest.",
]
REFERENCE = [
    "The gate code of the marina is 7741.",
    "The spare fuse is kept in the drawer under the sink.",
    "The shop on Elm Street opens at 9:30.",
    "The boat is called Halcyon and lies at berth 14.",
    "La reunión es los martes.",
]
PASSING = [
    "Today it took me 47 minutes and 3 attempts.",
    "We had 12 visitors this morning and 31 yesterday.",
    "What a week it was.",
]


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        *((text, Worth.PERSONAL) for text in PERSONAL),
        *((text, Worth.BINDING) for text in BINDING),
        *((text, Worth.REFERENCE) for text in REFERENCE),
    ],
)
def test_what_a_person_says_of_lasting_use_is_worth_more_than_a_figure_of_a_moment(
    text: str, worth: Worth
) -> None:
    assert assess_text(text, by_user=True) == worth


@pytest.mark.parametrize("text", PASSING)
def test_figures_of_a_moment_are_worth_little(text: str) -> None:
    assert assess_text(text, by_user=True) < Worth.REFERENCE


@pytest.mark.parametrize("text", [*PERSONAL, *BINDING, *REFERENCE])
def test_what_models_say_binds_nobody(text: str) -> None:
    assert assess_text(text, by_user=False) < Worth.REFERENCE


def test_a_question_is_worth_no_more_than_that_it_is_open() -> None:
    assert assess_text("Must we pay by Friday?", by_user=True) < Worth.BINDING


def test_what_was_taken_back_is_worth_less_than_what_holds() -> None:
    taken_back = "We agreed on the green tiles. [later, in round 9: Forget the green tiles.]"
    assert assess_worth(Point(PointKind.DECISION, taken_back, ["m1"], [3], ["user"])) < Worth.REFERENCE


def test_newer_figures_do_not_push_out_older_facts() -> None:
    facts = [
        Point(PointKind.TOPIC, text, [f"f{n}"], [n], ["user"])
        for n, text in enumerate([*PERSONAL, *BINDING, *REFERENCE])
    ]
    figures = [
        Point(PointKind.ENTITY, f"Run {n} took {n + 7} minutes today.", [f"n{n}"], [100 + n], ["user"])
        for n in range(300)
    ]
    kept = condense_points([*facts, *figures], max_tokens=900)
    assert {point.text for point in facts} <= {point.text for point in kept}
    assert len(kept) > len(facts)


def stated(text: str, number: int, *, name: str = "") -> Point:
    """Return what a person said in a round, under their name if they have one."""
    return Point(PointKind.ENTITY, text, [f"m{number}"], [number], ["user"], authors=(name,) if name else ())


ROOMS = [f"My room is number {number}." for number in (12, 19, 27)]


def test_each_person_has_their_own_series() -> None:
    alone = [stated(text, number) for number, text in enumerate(ROOMS)]
    names = ("Mara", "Olu", "Pim")
    several = [stated(text, number, name=names[number]) for number, text in enumerate(ROOMS)]
    assert assess_points(alone) == [Worth.PASSING] * 3
    assert assess_points(several) == [Worth.REFERENCE] * 3


def test_what_three_people_say_alike_of_themselves_is_kept_before_talk() -> None:
    talk = [stated(f"Matter {number} was talked about at some length.", 10 + number) for number in range(9)]
    rooms = [stated(text, number) for number, text in enumerate(ROOMS)]
    people = {"m0": "usr_1", "m1": "usr_2", "m2": "usr_3"}
    kept = condense_points([*rooms, *talk], max_tokens=60, authors=people)
    assert [point.text for point in kept][:3] == ROOMS
