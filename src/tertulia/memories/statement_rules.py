"""Statements worth remembering beyond their conversation, found by rules in a person's own words."""

from itertools import islice

from tertulia.conversations.reversal_sentences import is_explicit_reversal
from tertulia.memories import fact_cues
from tertulia.memories import statement_cues as cues
from tertulia.memories.credential_cues import has_credential
from tertulia.memories.domain import FoundStatement, MemoryType
from tertulia.memories.own_words import (
    OwnSentence,
    find_own_sentences,
    has_long_quotation,
    introduces_text,
)
from tertulia.memories.pasted_cues import TEXT_REQUEST_PATTERN
from tertulia.memories.stances import find_speaker
from tertulia.memories.statement_categories import CATEGORY_OTHER, CATEGORY_STYLE, find_category
from tertulia.memories.told_lists import ToldList, find_told_list, is_led_fact, is_named_fact
from tertulia.memory.cues import DEPENDENT_START_PATTERN, SETTLING_CUES, STRAIGHT_QUOTES_TABLE, is_question
from tertulia.memory.worth_cues import is_request

STATEMENT_MAX_CHARS = 300
#: A longer message is no note of what is to be known.
TELLING_MESSAGE_MAX_SENTENCES = 6
#: No more are taken from one message, the first ones.
MESSAGE_STATEMENTS_MAX = 20
CERTAIN_FACT_PATTERNS = (
    fact_cues.SELF_NAME_PATTERN,
    fact_cues.ROLE_LEAD_PATTERN,
    fact_cues.OWN_LANGUAGE_PATTERN,
    fact_cues.REACTION_PATTERN,
    fact_cues.PRESENCE_PATTERN,
)
#: A person who asks for something to be remembered means it.
REMINDER_CONFIDENCE = 0.95
LISTED_FACT_CONFIDENCE = 0.8
#: Fewer words under "facts about me" are a heading or a wish.
LED_SENTENCE_MIN_WORDS = 3


def find_statements(text: str) -> list[FoundStatement]:
    """Return the sentences of a person's message that are worth remembering, in order."""
    if (listed := find_told_list(text)) and (told := read_told_list(listed)):
        return told
    sentences = find_own_sentences(text)
    only_tells = 0 < len(sentences) <= TELLING_MESSAGE_MAX_SENTENCES and not any(
        is_question(sentence.text) or is_request(sentence.text) for sentence in sentences
    )
    found = (read_statement_sentence(sentence, only_tells=only_tells) for sentence in sentences)
    return list(islice(filter(None, found), MESSAGE_STATEMENTS_MAX))


def read_told_list(listed: ToldList) -> list[FoundStatement]:
    """Return what the items of a list state; nothing where too few of them do."""
    found = [statement for item in listed.items if (statement := read_told_item(item, is_led=listed.is_led))]
    return found if listed.has_enough(len(found)) else []


def find_quotable_sentences(text: str) -> list[OwnSentence]:
    """Return the sentences of a message that may be quoted as the person's own, in order."""
    listed = find_told_list(text)
    if listed is None or not read_told_list(listed):
        return find_own_sentences(text)
    return [item for item in listed.items if read_told_item(item, is_led=listed.is_led)]


def read_told_item(item: OwnSentence, *, is_led: bool) -> FoundStatement | None:
    """Return what an item of a list states: of something with a name, or of the person.

    What is told under words that call it facts is one in whatever words it is said.
    """
    if not is_named_fact(item.text) and not (is_led and is_led_fact(item.text)):
        if introduces_text(item.text):
            return None
        return read_statement_sentence(item) or (read_led_sentence(item) if is_led else None)
    said = " ".join(item.text.split())
    return FoundStatement(
        type=MemoryType.FACT,
        category=CATEGORY_OTHER,
        content=said[:1].upper() + said[1:],
        start_char=item.start_char,
        end_char=item.end_char,
        confidence=LISTED_FACT_CONFIDENCE,
    )


def read_led_sentence(item: OwnSentence) -> FoundStatement | None:
    """Return what a person says of themselves or of theirs where they call it a fact."""
    said = " ".join(item.text.translate(STRAIGHT_QUOTES_TABLE).split())
    is_short = len(item.text) <= STATEMENT_MAX_CHARS and len(said.split()) >= LED_SENTENCE_MIN_WORDS
    if not (is_short and find_speaker(said) in ("i", "mine")) or is_asked_or_quoted(said):
        return None
    return FoundStatement(
        type=MemoryType.FACT,
        category=find_category(said, is_wish=False),
        content=said[:1].upper() + said[1:],
        start_char=item.start_char,
        end_char=item.end_char,
        confidence=LISTED_FACT_CONFIDENCE,
    )


def read_statement_sentence(sentence: OwnSentence, *, only_tells: bool = False) -> FoundStatement | None:
    """Return what a sentence states; None where it states nothing that lasts.

    A message that only tells and asks nothing is told to be known: then plain facts count too.
    """
    if len(sentence.text) > STATEMENT_MAX_CHARS:
        return None
    plain = " ".join(sentence.text.translate(STRAIGHT_QUOTES_TABLE).split())
    lead = cues.STATEMENT_LEAD_PATTERN.match(plain)
    said = plain[lead.end() :] if lead else plain
    is_reminder = lead is not None and cues.REMINDER_LEAD_PATTERN.search(lead[0]) is not None
    said_of_self = fact_cues.OPENING_CLAUSE_PATTERN.sub("", said, count=1)
    kind = (
        classify_statement(said)
        or classify_statement(said_of_self)
        or (classify_told_fact(said) if only_tells else None)
        or ((MemoryType.FACT, REMINDER_CONFIDENCE) if is_reminder and is_named_fact(said) else None)
    )
    if kind is None or is_refused(said_of_self) or cues.REFUSED_CUES.search(said):
        return None
    type_, confidence = kind
    return FoundStatement(
        type=type_,
        category=CATEGORY_STYLE
        if is_style_preference(said)
        else find_category(said, is_wish=type_ is MemoryType.PREFERENCE),
        content=said[:1].upper() + said[1:],
        start_char=sentence.start_char,
        end_char=sentence.end_char,
        confidence=REMINDER_CONFIDENCE if is_reminder else confidence,
    )


def is_refused(said: str) -> bool:
    """Tell whether a sentence is a question, quoted, supposed, of the moment, or holds a credential."""
    is_style = cues.STYLE_PATTERN.match(said) is not None
    return bool(
        is_asked_or_quoted(said)
        or (DEPENDENT_START_PATTERN.match(said) and not fact_cues.OWN_THING_FACT_PATTERN.match(said))
        or cues.WORKPIECE_PATTERN.match(said)
        or (cues.MOMENTARY_PATTERN.match(said) and not (is_style or tells_lasting(said)))
        or (is_request(said) and not is_style)
    )


def is_asked_or_quoted(said: str) -> bool:
    """Tell whether a sentence is a question, quoted, supposed, of this day alone, or holds a credential."""
    return bool(
        is_question(said)
        or has_credential(said)
        or has_long_quotation(said)
        or TEXT_REQUEST_PATTERN.search(said)
        or cues.REFUSED_CUES.search(said)
        or cues.PASSING_TIME_CUES.search(said)
    )


def tells_lasting(said: str) -> bool:
    """Tell whether a sentence that begins as one of the moment says what lasts: of health, or of a change."""
    return fact_cues.HEALTH_PATTERN.match(said) is not None or tells_change(said)


def classify_statement(said: str) -> tuple[MemoryType, float] | None:
    """Return the type of a statement and how sure that is; None for other sentences."""
    if cues.DECISION_STATEMENT_PATTERN.search(said):
        return MemoryType.DECISION, 0.85
    if is_style_preference(said) or cues.FOREIGN_STYLE_PATTERN.match(said):
        return MemoryType.PREFERENCE, 0.9
    if cues.LIKING_PATTERN.match(said):
        return MemoryType.PREFERENCE, 0.85
    if cues.ENTITY_PATTERN.match(said) or cues.WORK_PERSON_PATTERN.match(said):
        return MemoryType.ENTITY, 0.8
    if is_project_fact(said):
        return MemoryType.PROJECT, 0.75
    return classify_change(said) or classify_fact(said)


def classify_change(said: str) -> tuple[MemoryType, float] | None:
    """Return the type of what was otherwise in the person's life before; None for other sentences."""
    if not tells_change(said):
        return None
    is_wish = fact_cues.PREFERENCE_VERB_PATTERN.search(said) is not None
    return MemoryType.PREFERENCE if is_wish else MemoryType.FACT, 0.8


def tells_change(said: str) -> bool:
    """Tell whether a sentence says what is otherwise now in the person's life, not in what they work on."""
    # "I used to love sushi, now I can't stand it": what it is was named before.
    clause = fact_cues.CLAUSE_END_PATTERN.split(said, maxsplit=1)[0]
    return bool(fact_cues.LIFE_CHANGE_PATTERN.match(said)) and not fact_cues.WORKED_ON_CUES.search(clause)


def classify_fact(said: str) -> tuple[MemoryType, float] | None:
    """Return how sure it is that a sentence is a fact about the person; None if it is none."""
    if any(pattern.match(said) for pattern in fact_cues.OWN_FACT_PATTERNS):
        return MemoryType.FACT, 0.85
    if any(pattern.match(said) for pattern in CERTAIN_FACT_PATTERNS):
        return MemoryType.FACT, 0.8
    if fact_cues.HABIT_PATTERN.match(said) or fact_cues.FOREIGN_FACT_PATTERN.match(said):
        return MemoryType.FACT, 0.75
    if fact_cues.OWN_THING_FACT_PATTERN.match(said):
        return MemoryType.FACT, 0.7
    is_present = fact_cues.PRESENT_PATTERN.match(said) and not fact_cues.WORKED_ON_CUES.search(said)
    return (MemoryType.FACT, 0.55) if is_present else None


def classify_told_fact(said: str) -> tuple[MemoryType, float] | None:
    """Return the type of what a person tells without asking anything; None where it names nothing exactly."""
    if not cues.FIGURE_OR_NAME_PATTERN.search(said):
        return None
    if SETTLING_CUES.search(said) or is_explicit_reversal(said):
        return MemoryType.DECISION, 0.6
    is_fact = cues.THING_FACT_PATTERN.match(said) or cues.OWN_PRACTICE_PATTERN.match(said)
    return (MemoryType.PROJECT, 0.6) if is_fact else None


def is_style_preference(said: str) -> bool:
    """Tell whether a sentence says how answers are wanted for good, and not only the next one."""
    if cues.CALL_ME_PATTERN.match(said) or cues.ASKED_STYLE_PATTERN.match(said):
        return True
    return cues.STYLE_PATTERN.match(said) is not None and cues.LASTING_CUES.search(said) is not None


def is_project_fact(said: str) -> bool:
    """Tell whether a sentence says of a project what can be looked up: a name, a date, a place."""
    return (
        cues.PROJECT_PATTERN.match(said) is not None and cues.FIGURE_OR_NAME_PATTERN.search(said) is not None
    )
