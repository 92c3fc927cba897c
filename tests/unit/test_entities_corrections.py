"""Which earlier value a person corrects, and which entities a prompt is given."""

from datetime import date

import pytest

from tertulia.entities.corrections import EarlierEntity, find_corrected
from tertulia.entities.domain import Entity, EntitySighting, EntityType
from tertulia.entities.finder import find_entities
from tertulia.entities.labels import ENTITY_LABEL_MAX_CHARS, label_mention
from tertulia.entities.prompt_choice import describe_entity, rank_entities
from tertulia.entities.reader import build_entities
from tertulia.entities.store import StoredMention

SAID_ON = date(2026, 11, 18)


def earlier(*sentences: str) -> list[EarlierEntity]:
    """Return what a person mentioned before, with ids that count up."""
    mentions = [
        (sentence, one)
        for sentence in sentences
        for one in find_entities(sentence, said_on=SAID_ON, zone="UTC")
    ]
    return [
        EarlierEntity(f"ent_{number}", one.type, one.normal, one.value, sentence)
        for number, (sentence, one) in enumerate(mentions)
    ]


def corrected(text: str, before: list[EarlierEntity]) -> list[str]:
    """Return the values that a message corrects."""
    mentions = find_entities(text, said_on=SAID_ON, zone="UTC")
    ids = [find_corrected(text, mention, mentions, before) for mention in mentions]
    return [entity.value for entity in before if entity.id in ids]


@pytest.mark.parametrize(
    ("before", "text", "old"),
    [
        (["My phone number is 555-0132."], "My number is now 555-0199.", ["555-0132"]),
        (["I live at 12 Oak Lane."], "No, it's 14 Oak Lane instead of 12.", ["12 Oak Lane"]),
        (["I live at 12 Elm Street."], "We moved to 99 Oak Lane.", ["12 Elm Street"]),
        (
            ["My office is at 5 Bridge Street.", "I live at 12 Elm Street."],
            "The new office address is 7 Mill Road.",
            ["5 Bridge Street"],
        ),
        (["The rent is $900."], "The rent is now $950.", ["$900"]),
        (["The meeting is on Friday."], "The meeting is now on Thursday.", ["Friday"]),
        (["My number is 555-0132."], "It's not 555-0132 but 555-0199.", ["555-0132"]),
        (["My number is 555-0132."], "Replace 555-0132 with 555-0199.", ["555-0132"]),
        (["My number is 555-0132."], "It should be 555-0199.", ["555-0132"]),
        (
            ["The meeting is on Friday at 3pm."],
            "The meeting was moved from Friday to Monday.",
            ["Friday at 3pm"],
        ),
    ],
)
def test_a_new_value_with_a_cue_corrects_the_old_one(before: list[str], text: str, old: list[str]) -> None:
    assert corrected(text, earlier(*before)) == old


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (["My phone number is 555-0132."], "Her number is 555-0199."),
        (["I live at 12 Elm Street."], "The new office is at 99 Oak Lane."),
        (["The rent is $900."], "I now owe $20."),
        (["My brother is Thomas Wright."], "My new boss is Anna Miller."),
    ],
)
def test_without_a_cue_or_the_same_role_nothing_is_corrected(before: list[str], text: str) -> None:
    assert corrected(text, earlier(*before)) == []


def stored(id_: str, value: str, round_number: int, *, corrects: str | None = None) -> StoredMention:
    """Return a mention of a phone as it is stored."""
    return StoredMention(
        id=id_,
        found_type=EntityType.PHONE,
        found_normal=value,
        edited_type=None,
        edited_value=None,
        message_id=f"msg_{round_number:03d}",
        start_char=0,
        round_number=round_number,
        is_from_person=True,
        value=value,
        label=f"My number is {value}",
        corrected_id=corrects,
        total=1,
    )


def test_a_correction_in_a_hidden_message_does_not_count() -> None:
    mentions = [stored("ent_a", "1", 1), stored("ent_b", "2", 2, corrects="ent_a")]
    [old, new] = build_entities(mentions, conversation_id="cnv", hidden=(), local=())
    assert (old.replaced_by, new.former_values) == ("ent_b", ("1",))
    [only] = build_entities(mentions, conversation_id="cnv", hidden=("msg_002",), local=())
    assert only.replaced_by is None


def test_who_returns_to_an_old_value_means_it_again() -> None:
    mentions = [
        stored("ent_a", "1", 1),
        stored("ent_b", "2", 2, corrects="ent_a"),
        stored("ent_a", "1", 3, corrects="ent_b"),
    ]
    [first, second] = build_entities(mentions, conversation_id="cnv", hidden=(), local=())
    assert (first.replaced_by, second.replaced_by) == (None, "ent_a")


def entity(number: int, type_: EntityType, value: str, label: str, round_number: int) -> Entity:
    """Return an entity that was mentioned once."""
    place = EntitySighting(f"msg_{round_number}", round_number, label)
    return Entity(f"ent_{number}", "cnv", type_, value, value.casefold(), place, place, 1)


ENTITIES = [
    entity(1, EntityType.ADDRESS, "12 Elm St", "The office is at 12 Elm St", 3),
    entity(2, EntityType.ADDRESS, "9 Oak Lane", "I live at 9 Oak Lane", 5),
    entity(3, EntityType.PHONE, "555-0132", "Anna's number is 555-0132", 7),
    *(entity(10 + n, EntityType.AMOUNT, f"${n}", f"It cost ${n}", 100 + n) for n in range(200)),
]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Where is the office?", "12 Elm St"),
        ("Where do I live?", "9 Oak Lane"),
        ("How can I call Anna?", "555-0132"),
    ],
)
def test_a_prompt_is_given_first_what_the_question_needs(question: str, value: str) -> None:
    assert rank_entities(ENTITIES, question)[0].value == value


def test_without_a_need_the_newest_come_first() -> None:
    assert rank_entities(ENTITIES, "Go on")[0].value == "$199"


def test_an_entity_is_told_with_its_round_and_the_words_around_it() -> None:
    assert describe_entity(ENTITIES[0]) == "address: 12 Elm St (round 3; “The office is at …”)"


def test_a_label_is_the_sentence_around_a_value_in_short() -> None:
    text = f"Hello there. {'very ' * 60}far away is 12 Elm St, {'and ' * 60}more. Goodbye."
    start = text.index("12 Elm St")
    label = label_mention(text, start, start + 9)
    assert "12 Elm St" in label
    assert "Goodbye" not in label
    assert len(label) <= ENTITY_LABEL_MAX_CHARS
