"""Which earlier value a person corrects: only with words that say so, and only of the same kind and role."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tertulia.core.stop_words import STOP_WORDS
from tertulia.core.word_sets import word_set
from tertulia.core.word_stems import stem
from tertulia.entities.domain import EntityMention, EntityType
from tertulia.entities.labels import label_mention

CORRECTION_CUE_PATTERN = re.compile(
    r"\b(?:now|new|changed?|moved|moving|instead|actually|correction|updated?|rather|no longer|any ?more"
    r"|switched|i meant|scratch that|make (?:it|that)|sorry|replace[sd]?|swap(?:ped)?|should (?:be|read|say)"
    r"|not .{1,60}\bbut|sino"
    r"|mistake|typo|wrong|jetzt|neue[rsn]?|geändert|statt|stattdessen|nicht mehr|doch|ahora|nuev[oa]"
    r"|cambiad[oa]|en vez de|ya no|mejor)\b|(?:^|[.!?]\s)no[,.:]? ",
    re.IGNORECASE,
)
#: Words right before the value that holds no more.
OLD_VALUE_CUE_PATTERN = re.compile(
    r"\b(?:instead of|rather than|in place of|not(?: at| on)?|no longer(?: at| on)?|from|was|used to be"
    r"|replace|change|swap|statt|nicht(?: mehr)?|en (?:vez|lugar) de|no)[ ](?:the[ ]|at[ ]|on[ ])?$",
    re.IGNORECASE,
)
PARTIAL_OLD_PATTERN = re.compile(
    r"\b(?:instead of|rather than|not|statt|en vez de)[ ](?:the[ ])?(?P<part>[\w-]+)", re.IGNORECASE
)
#: Kinds of which a person has few, so that a second one replaces the first.
SINGULAR_TYPES = frozenset({EntityType.ADDRESS, EntityType.PHONE, EntityType.EMAIL, EntityType.IDENTIFIER})
#: Kinds whose values are corrected at all; another name is another person.
CORRECTABLE_TYPES = SINGULAR_TYPES | {EntityType.DATE, EntityType.AMOUNT, EntityType.PLACE, EntityType.LINK}
#: Words that say whose a value is, or what it is for.
ROLE_TEXT = """
    billing shipping delivery fax landline emergency wife husband mother father mom dad mum brother
    sister son daughter boss landlord landlady doctor dentist parents school gym warehouse store shop
    hotel
"""
ROLES = {
    **dict.fromkeys(
        ("office", "work", "business", "company", "büro", "arbeit", "oficina", "trabajo"), "work"
    ),
    **dict.fromkeys(
        ("home", "live", "lives", "living", "house", "flat", "wohne", "zuhause", "vivo", "casa"), "home"
    ),
    **dict.fromkeys(("cell", "mobile", "handy", "móvil"), "mobile"),
    **{role: role for role in ROLE_TEXT.split()},
}
CORRECTION_WORDS = word_set("""
    now new changed change moved moving instead actually correction updated update rather longer anymore
    switched meant scratch sorry mistake typo wrong number address phone email date time amount
""")
OLD_VALUE_REACH_CHARS = 24


@dataclass(frozen=True, slots=True)
class EarlierEntity:
    """An entity that a person mentioned before, with the latest words around it."""

    id: str
    type: EntityType
    normal: str
    value: str
    label: str


def find_corrections(
    text: str, mentions: Sequence[EntityMention], earlier: Sequence[EarlierEntity]
) -> dict[int, str]:
    """Return the entities that mentions of a person's message correct, by where the mentions begin."""
    if not earlier:
        return {}
    found = {mention.start_char: find_corrected(text, mention, mentions, earlier) for mention in mentions}
    return {start: entity_id for start, entity_id in found.items() if entity_id}


def drop_old_values(
    text: str,
    mentions: Sequence[EntityMention],
    corrected: Mapping[int, str],
    earlier: Sequence[EarlierEntity],
) -> list[EntityMention]:
    """Return the mentions without those that only name in other words what is corrected beside them.

    In "moved from Friday to Monday", Friday is the day that was known with its time.
    """
    types = {mention.type for mention in mentions if mention.start_char in corrected}
    known = {(entity.type, entity.normal) for entity in earlier}
    return [
        mention
        for mention in mentions
        if mention.type not in types
        or (mention.type, mention.normal) in known
        or not is_old_value(text, mention)
    ]


def find_corrected(
    text: str, mention: EntityMention, mentions: Sequence[EntityMention], earlier: Sequence[EarlierEntity]
) -> str | None:
    """Return the entity that a mention in a person's message corrects; None where it corrects none."""
    if mention.type not in CORRECTABLE_TYPES or is_old_value(text, mention):
        return None
    label = label_mention(text, mention.start_char, mention.end_char)
    candidates = [
        entity for entity in earlier if entity.type is mention.type and entity.normal != mention.normal
    ]
    if named := find_named_old(text, label, mention, mentions, candidates):
        return named
    if not candidates or CORRECTION_CUE_PATTERN.search(label) is None:
        return None
    return choose_by_role(label, mention, candidates)


def is_old_value(text: str, mention: EntityMention) -> bool:
    """Tell whether the words before a mention say that it holds no more."""
    start = mention.start_char
    return OLD_VALUE_CUE_PATTERN.search(text[max(0, start - OLD_VALUE_REACH_CHARS) : start]) is not None


def find_named_old(
    text: str,
    label: str,
    mention: EntityMention,
    mentions: Sequence[EntityMention],
    candidates: Sequence[EarlierEntity],
) -> str | None:
    """Return the earlier entity that the same sentence names as the old one, in full or in part."""
    by_normal = {entity.normal: entity.id for entity in candidates}
    for other in mentions:
        is_near = other.type is mention.type and other.value in label and other is not mention
        if is_near and other.normal in by_normal and is_old_value(text, other):
            return by_normal[other.normal]
    if part := PARTIAL_OLD_PATTERN.search(label):
        word = part["part"].casefold()
        holders = [
            entity.id for entity in candidates if word in re.findall(r"[\w-]+", entity.value.casefold())
        ]
        return holders[0] if len(holders) == 1 else None
    return None


def choose_by_role(label: str, mention: EntityMention, candidates: Sequence[EarlierEntity]) -> str | None:
    """Return the only candidate of the same role, or the one whose sentence shares most words; else None."""
    roles = roles_of(label)
    fitting = [entity for entity in candidates if roles <= roles_of(entity.label)]
    words = telling_words(label, mention.value)
    shared = {entity.id: len(words & telling_words(entity.label, entity.value)) for entity in fitting}
    if len(fitting) == 1 and (mention.type in SINGULAR_TYPES or shared[fitting[0].id]):
        return fitting[0].id
    ranked = sorted(shared, key=lambda id_: shared[id_], reverse=True)
    if len(ranked) > 1 and shared[ranked[0]] > shared[ranked[1]]:
        return ranked[0]
    return None


def roles_of(label: str) -> frozenset[str]:
    """Return what the words around a value say that it is of: home, work, somebody."""
    return frozenset(ROLES[word] for word in re.findall(r"\w+", label.casefold()) if word in ROLES)


def telling_words(label: str, value: str) -> frozenset[str]:
    """Return the stems of the words around a value that tell what it is of."""
    words: Iterable[str] = re.findall(r"[^\W\d_]{3,}", label.replace(value, " ").casefold())
    return frozenset(stem(word) for word in words if word not in STOP_WORDS and word not in CORRECTION_WORDS)
