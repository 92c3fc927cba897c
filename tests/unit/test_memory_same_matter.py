"""What the person said later on the same matter goes with what was said of it before."""

from dataclasses import replace

import pytest

from tertulia.memory.domain import Point, PointKind
from tertulia.memory.point_worth import Worth, assess_points
from tertulia.memory.same_matter import find_later_statements, with_later_statements

OTHER_TALK = [
    "The lift holds 600 kilos.",
    "Tolvanen keeps the minutes.",
    "Our bank closes at four.",
    "The seeds came from Turku.",
    "Der Garten liegt am Bach.",
    "La llave está en la oficina.",
]


def point(number: int, text: str, *speakers: str) -> Point:
    said_by = speakers or ("user",)
    return Point(PointKind.TOPIC, text, [f"m{number}"] * len(said_by), [number] * len(said_by), [*said_by])


def conversation(*texts: str) -> list[Point]:
    return [point(number, text) for number, text in enumerate((*texts, *OTHER_TALK), 1)]


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("Ottilie plays the organ.", "Ottilie has gone to Bergen, so Matti sits down at the keys."),
        ("The bulletin comes out weekly.", "a fortnightly bulletin will do, says the vicar"),
        ("Wir nehmen den Saal in Espoo.", "Der Saal ist feucht, das machen wir in der Schule."),
        ("El folleto lo imprime Ramiro.", "Ramiro está de baja, lo lleva Inés."),
        ("On mange chez Colette.", "Colette ferme pour travaux, pique-nique au parc."),
        ("I take sugar in my tea.", "I've given up sugar, plain will do."),
        ("Entry costs 8.", "The council wants us to take 5 as entry."),
        ("The website is built with Drupal.", "We have put the site on Jekyll."),
        ("The pump is an MD11.", "The plate was painted over, so much for MD11."),
    ],
)
def test_a_change_of_mind_goes_with_what_it_changes_in_whatever_words(said: str, later: str) -> None:
    assert find_later_statements(conversation(said, later)) == {0: [1]}


def test_words_that_many_statements_have_name_no_matter() -> None:
    texts = [f"The choir sings in {place}." for place in ("Vaasa", "Oulu", "Rauma", "Pori", "Kotka")]
    assert find_later_statements(conversation(*texts)) == {}


def test_nor_do_measures_and_days() -> None:
    assert find_later_statements(conversation("The hall is 14 metres long.", "My rope has 30 metres.")) == {}


def test_questions_and_answers_of_models_change_nothing() -> None:
    points = [
        point(1, "Ottilie plays the organ."),
        point(2, "Does Ottilie have a stool?"),
        point(3, "Who is Ottilie? Ottilie may be a first name.", "user", "model"),
        point(4, "Ottilie is a fine name.", "model"),
    ]
    assert find_later_statements(points) == {}


def test_what_changes_a_change_comes_too() -> None:
    points = conversation("Ottilie plays the organ.", "Matti stands in for Ottilie.", "Matti broke a wrist.")
    assert with_later_statements(0, find_later_statements(points)) == [0, 1, 2]


def test_the_next_sentence_says_what_holds_instead() -> None:
    points = conversation("Das Lager kommt nach Husum.", "Husum hat keinen Platz.", "Wir mieten in Kiel.")
    points[2] = replace(points[2], sources=points[1].sources, rounds=points[1].rounds)
    assert with_later_statements(0, find_later_statements(points)) == [0, 1, 2]


def test_what_a_model_said_of_a_statement_comes_with_it_and_with_its_change() -> None:
    points = conversation("Ottilie plays the organ.", "Matti stands in for Ottilie.")
    points.append(point(1, "Ottilie needs 40 minutes to warm up.", "model"))
    assert with_later_statements(len(points) - 1, find_later_statements(points)) == [len(points) - 1, 0, 1]


def test_a_change_is_worth_no_less_than_what_it_changes() -> None:
    points = conversation("I am allergic to sesame.", "Sesame, fine.")
    assert assess_points(points)[:2] == [Worth.PERSONAL, Worth.PERSONAL]


def test_the_same_points_are_looked_at_once() -> None:
    said = "Ottilie plays the organ.", "Ottilie has gone to Bergen, so Matti sits down at the keys."
    assert find_later_statements(conversation(*said)) is find_later_statements(conversation(*said))


def test_the_same_words_said_in_other_rounds_are_other_points() -> None:
    first, second = (
        "Ottilie plays the organ.",
        "Ottilie has gone to Bergen, so Matti sits down at the keys.",
    )
    others = [point(number, text) for number, text in enumerate(OTHER_TALK, 3)]
    assert find_later_statements([point(1, first), point(2, second), *others])[0] == [1]
    assert 0 not in find_later_statements([point(2, first), point(1, second), *others])
