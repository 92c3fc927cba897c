"""Which entities a prompt is given: first what the question needs, then what is new and often mentioned."""

import re
from collections.abc import Sequence

from tertulia.core.stop_words import STOP_WORDS
from tertulia.core.word_stems import stem
from tertulia.entities.domain import Entity, EntityType

#: Words of a question that ask for entities of some types.
QUESTION_CUES: tuple[tuple[re.Pattern[str], frozenset[EntityType]], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), frozenset(types))
    for words, types in (
        (
            r"where|address(?:es)?|live[sd]?|located|location|directions|deliver\w*|ship\w*|visit|wo"
            r"|wohin|adresse|dónde|dirección",
            (EntityType.ADDRESS, EntityType.PLACE),
        ),
        (
            r"call|phone|ring|dial|text|reach|contact|number|telefon\w*|nummer|anrufen|llamar|teléfono"
            r"|número",
            (EntityType.PHONE,),
        ),
        (r"e-?mail|write to|mail|reach|contact|correo", (EntityType.EMAIL,)),
        (
            r"when|date|day|time|deadline|birthday|schedule|due|until|appointment|meeting|wann|datum"
            r"|termin|cuándo|fecha|hora",
            (EntityType.DATE,),
        ),
        (
            r"how much|cost\w*|price|budget|pay|paid|rent|fee|salary|amount|wie ?viel|kosten|preis|cuánto"
            r"|precio",
            (EntityType.AMOUNT,),
        ),
        (r"who|whose|name|names|wer|wen|wem|quién", (EntityType.PERSON, EntityType.ORGANISATION)),
        (r"company|employer|organi[sz]ation|firma|empresa", (EntityType.ORGANISATION,)),
        (r"link|url|website|site|page|repo|enlace", (EntityType.LINK,)),
        (
            r"order|booking|reservation|reference|ticket|tracking|id|number|code|account|confirmation"
            r"|invoice",
            (EntityType.IDENTIFIER,),
        ),
        (r"project|codename|projekt|proyecto", (EntityType.PROJECT,)),
    )
)
TYPE_ASKED_SCORE = 3.0
SHARED_WORD_SCORE = 2.0
PERSON_SCORE = 0.5
SHARED_WORDS_MAX = 4
#: Of a long question the longest words are looked for: they tell most.
QUESTION_STEMS_MAX = 40
ENTITY_WORD_PATTERN = re.compile(r"[^\W_]{2,}")
#: The words around a value that are told with it.
DESCRIPTION_LABEL_MAX_CHARS = 80


def find_needed(entities: Sequence[Entity], question: str) -> list[Entity]:
    """Return the entities of a type that a question asks for and that a person named in its words."""
    asked, words = types_asked_for(question), question_pattern(question)
    return [
        entity
        for entity in rank_entities(entities, question)
        if entity.is_from_person and entity.type in asked and count_shared_words(entity, words)
    ]


def types_asked_for(question: str) -> set[EntityType]:
    """Return the types of entities that the words of a question ask for."""
    return {type_ for cue, types in QUESTION_CUES if cue.search(question) for type_ in types}


def rank_entities(entities: Sequence[Entity], question: str) -> list[Entity]:
    """Return entities by what a question needs, then by how late and how often they were mentioned."""
    asked, words = types_asked_for(question), question_pattern(question)

    def key(entity: Entity) -> tuple[float, int, int, str]:
        score = score_entity(entity, asked, words)
        return -score, -entity.last.round_number, -entity.mention_count, entity.id

    return sorted(entities, key=key)


def question_pattern(question: str) -> re.Pattern[str] | None:
    """Return a pattern of the words of a question, whatever their endings; None where they tell nothing."""
    # A prompt waits while thousands of entities are looked at: searching is quicker than cutting them up.
    stems = sorted(stems_of(question), key=lambda word: (-len(word), word))[:QUESTION_STEMS_MAX]
    return re.compile(rf"\b({'|'.join(map(re.escape, stems))})\w{{0,4}}\b", re.IGNORECASE) if stems else None


def score_entity(entity: Entity, asked: set[EntityType], words: re.Pattern[str] | None) -> float:
    """Return how much an entity serves a question: it is of a type asked for, or was said in its words."""
    return (
        TYPE_ASKED_SCORE * (entity.type in asked)
        + SHARED_WORD_SCORE * min(count_shared_words(entity, words), SHARED_WORDS_MAX)
        + PERSON_SCORE * entity.is_from_person
    )


def count_shared_words(entity: Entity, words: re.Pattern[str] | None) -> int:
    """Return how many words of a question stand around an entity, or are a part of it."""
    if words is None:
        return 0
    first = entity.first.label if entity.first.label != entity.last.label else ""
    said = f"{first} {entity.last.label} {entity.value} {entity.type}"
    return len({word.casefold() for word in words.findall(said)})


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that tell something."""
    return frozenset(
        stem(word) for word in ENTITY_WORD_PATTERN.findall(text.casefold()) if word not in STOP_WORDS
    )


def describe_entity(entity: Entity) -> str:
    """Return an entity in one line: what it is, where it was said, and what it means or was before."""
    notes = [f"round {entity.last.round_number}"]
    label = entity.last.label
    if label and label != entity.value:
        notes.append(f"“{shorten_label(label, entity.value)}”")
    if entity.type is EntityType.DATE and entity.normal != entity.value:
        notes.append(f"= {entity.normal}")
    if entity.former_values:
        notes.append(f"formerly {', '.join(entity.former_values)}")
    return f"{entity.type}: {entity.value} ({'; '.join(notes)})"


def shorten_label(label: str, value: str) -> str:
    """Return the words around a value, with the value itself left out."""
    plain = " ".join(label.replace(value, "…").split())
    return (
        plain if len(plain) <= DESCRIPTION_LABEL_MAX_CHARS else plain[: DESCRIPTION_LABEL_MAX_CHARS - 1] + "…"
    )
