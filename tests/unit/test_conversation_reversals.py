"""Which sentences take something back, and which earlier ones they are about."""

import pytest

from tertulia.conversations.reversal_sentences import (
    asks_for_history,
    find_reversals,
    is_reversal,
    is_taken_back,
)

TAKEN_BACK = [
    ("We go with Kafka for the queue.", "Drop Kafka, plain tables will do."),
    ("Let's meet on Wednesday in the annex.", "Forget what I said about Wednesday."),
    ("We take the red kayak.", "Not the red kayak after all."),
    ("The rehearsal with Signe is at 18:00.", "The rehearsal is off."),
    ("We need 30 chairs in the barn.", "Actually make that 45 chairs."),
    ("Lunch is at one in the garden.", "Lunch is at two, not one."),
    ("We host everything on Linode.", "We are moving from Linode to Fly."),
    ("The opening is on 6 June.", "The opening was moved to 20 June."),
    ("My address is 9 Mill Road.", "My new address is 31 Tower Hill."),
    ("Let's order the birch shelf.", "On second thought, the pine shelf."),
    ("Aino runs the Saturday market.", "Aino no longer runs the Saturday market."),
    ("We agreed to pay the drummer 400 euros.", "We won't pay the drummer after all."),
    ("Use camel case in the Ruby files.", "I changed my mind about camel case, use snake case."),
    ("The budget is 7,000.", "The budget is now 8,250."),
    ("We picked Turku for the retreat.", "Turku is off the table, we go to Tampere."),
    ("Wir nehmen die Fähre um 8 Uhr.", "Vergiss das mit der Fähre, wir fliegen."),
    ("Das Konzert ist am Samstag in Halle 2.", "Das Konzert ist abgesagt."),
    ("El curso es el martes en Granada.", "Olvida el curso, no hay profesor."),
    ("La visite est jeudi à 9 h.", "La visite est annulée."),
    ("Hedda will do the posters.", "Hedda moved away, so Lasse does the posters instead."),
    ("The menu has nine dishes.", "On reflection the menu shrinks to five dishes."),
    ("The bakers get their flour from Holm.", "Holm is out, the flour comes from the co-op."),
    ("The fair is on 3 March.", "The fair moves, it is 17 March now."),
    ("The workshop is at Villa Ek.", "Villa Ek is full, the workshop is in the barn."),
    (
        "The choir sings nine songs.",
        "On reflection the choir sings six songs. Tickets cost 12 euros at the door.",
    ),
    ("我们用红色的地毯。", "取消红色的地毯。"),
    ("The kick-off is on 3 March.", "The kick-off slipped to 24 March."),
    ("Die Lieferung kommt am Freitag.", "Die Lieferung verschiebt sich auf Montag."),
    ("We write everything in Pages.", "I've had it with Pages, everything goes into Typst."),
    ("We ship with Bring.", "No wait, Postnord for the shipping."),
    ("The seminar has 16 seats.", "Seminar: 24 seats, I got us the bigger room."),
    ("My mobile number is 555-0101.", "I've got a new mobile number: 555-0199."),
    ("The grant form is due on 3 May.", "They gave us two more weeks for the grant form: 17 May."),
]


@pytest.mark.parametrize(("statement", "reversal"), TAKEN_BACK)
def test_a_sentence_is_taken_back_by_one_about_the_same(statement: str, reversal: str) -> None:
    assert is_reversal(reversal)
    assert is_taken_back(statement, reversal)


@pytest.mark.parametrize("reversal", [reversal for _, reversal in TAKEN_BACK])
@pytest.mark.parametrize(
    "unrelated",
    [
        "The gate code of the marina is 7741.",
        "My cousin Hanne lives in Bergen.",
        "Parcels go to the porter's lodge.",
        "Never serve peanuts at our table.",
        "The people above work nights.",
    ],
)
def test_nothing_else_is_taken_back(reversal: str, unrelated: str) -> None:
    assert not is_taken_back(unrelated, reversal)


@pytest.mark.parametrize(
    ("statement", "reversal"),
    [
        ("Berth 14 belongs to the Halvorsens.", "Tickets are 16 rather than 14."),
        ("So 14 of them will do.", "Tickets: 16 rather than 14, the board insisted."),
        ("We decided on oak for the dining table.", "The chairs are beech instead of oak."),
    ],
)
def test_a_figure_or_a_single_word_stands_for_too_many_things(statement: str, reversal: str) -> None:
    assert not is_taken_back(statement, reversal)


def test_the_code_of_one_door_is_not_that_of_another() -> None:
    assert not is_taken_back("The code of the north gate is 1177.", "The code of the south gate is now 2288.")


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget to water the ferns.",
        "Drop me a line when you land.",
        "The soup is not bad.",
        "Is the rehearsal off?",
        "It is 14:00 and we are not late.",
        "I'll drop off the parcel by Friday.",
        "I would not say so.",
    ],
)
def test_a_cue_alone_takes_nothing_back(text: str) -> None:
    assert not is_reversal(text)


def test_a_question_is_not_taken_back() -> None:
    assert not is_taken_back("Should we use Kafka?", "Drop Kafka, plain tables will do.")


def test_what_holds_instead_is_told_along() -> None:
    said = "Morning! Forget the ferry. We take the train at 9:12. Is that fine?"
    assert find_reversals(said) == ["Forget the ferry. We take the train at 9:12."]


@pytest.mark.parametrize(
    "question",
    [
        "What had we decided before?",
        "Which queue did we plan originally?",
        "Was hatten wir vorher beschlossen?",
    ],
)
def test_who_asks_for_history_is_heard(question: str) -> None:
    assert asks_for_history(question)
    assert not asks_for_history("Which queue do we use?")
