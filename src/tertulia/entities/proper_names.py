"""Names of people, organisations, places and projects: words in capitals and what stands beside them."""

import re
from collections.abc import Iterator

from tertulia.entities.domain import EntityMention, EntityType
from tertulia.entities.name_lists import GIVEN_NAMES, PLACE_NAMES, PLAIN_CAPITALS

NAME_WORD_REGEX = r"[A-ZÀ-Ý][a-zß-ÿ]+(?:['\u2019-][A-ZÀ-Ý][a-zß-ÿ]+)?"
#: Words in capitals side by side, initials and small joints between.
CAPITALS_PATTERN = re.compile(
    rf"(?<![\w@.#/-]){NAME_WORD_REGEX}(?:[ ](?:[A-Z]\.[ ])?(?:(?:de|del|la|von|van|der|den|di|da|of|the"
    rf"|y)[ ]){{0,2}}{NAME_WORD_REGEX}){{0,3}}(?![\w@/])"
)
TITLED_PERSON_PATTERN = re.compile(
    r"(?<!\w)(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Doctor|Herr|Frau|Sr|Sra|Señora?|Sir|Captain)\.?"
    rf"[ ]{NAME_WORD_REGEX}(?:[ ](?:von[ ]|van[ ]|de[ ])?{NAME_WORD_REGEX}){{0,2}}"
)
#: Words before the name of a person.
PERSON_CUE_PATTERN = re.compile(
    r"(?:\b(?:my|his|her|our|their|your)[ ](?:\w+[ ])?(?:name is|name's|wife|husband|partner|brother"
    r"|sister|mother|mom|mum|father|dad|son|daughter|cousin|uncle|aunt|friend"
    r"|boss|manager|colleague|coworker|neighbou?r|doctor|dentist|landlord|landlady|accountant|lawyer"
    r"|teacher|assistant|grandmother|grandfather|girlfriend|boyfriend|fiancée?"
    r"|nephew|niece|roommate|plumber|client|contact|supervisor)(?:,|[ ]is|'s name is|[ ]is called)?"
    r"|\b(?:i am|i'm|this is|called|named|name is|ask for|speak (?:to|with)|talk to|met with|met"
    r"|meeting with|lunch with|dinner with|call with|ich heiße|ich bin|mein name ist|me llamo|soy|contact"
    r"|cc)"
    r")[ ]$",
    re.IGNORECASE,
)
PERSON_AFTER_PATTERN = re.compile(
    r"['\u2019]s[ ](?:number|address|phone|email|birthday|house|office|wife|husband|car|team)|[ ](?:said"
    r"|says|wrote|told|called|asked|thinks|wants|will[ ]call|lives|works)\b"
)
ORGANISATION_PATTERN = re.compile(
    r"(?<![\w@])(?:(?:[A-Z][\w&'\u2019-]{1,30}|&|and|of|de|für|y)[ ]){0,4}?[A-Z][\w&'\u2019-]{0,30},?"
    r"[ ](?:Inc|LLC|Ltd|Limited|Corp|Corporation|GmbH|AG|SE|KG|e\.V|S\.?L\.?U?|S\.A|PLC|plc|BV|B\.V|NV|SpA"
    r"|Co|Company|Bank|Group|Foundation|Institute|University|College|Hospital|Clinic|Airlines|Airways"
    r"|Insurance|Partners|Associates|Labs|Technologies|Solutions|Systems"
    r"|Consulting|Verlag|Stiftung|Universität|Hochschule|Universidad|Fundación|Hotel|Restaurant|Museum"
    r"|Library|School|Academy|Council|Ministry)\b\.?"
    r"|(?<!\w)(?:University|Universität|Universidad|Bank|Ministry|Institute|Museum|Hotel)[ ](?:of[ ]|de"
    r"[ ]|für[ ])?(?:the[ ])?[A-Z][\w'\u2019-]+(?:[ ][A-Z][\w'\u2019-]+){0,2}"
)
ORGANISATION_CUE_PATTERN = re.compile(
    r"\b(?:work(?:s|ed|ing)? (?:at|for|with)|job at|employed (?:at|by)|company(?: is)?(?: called| named)?"
    r"|employer(?: is)?|startup(?: called)?|interview(?: at| with)|joined|customer at|vendor"
    r"|arbeite bei|trabajo en)[ ]$",
    re.IGNORECASE,
)
PLACE_CUE_PATTERN = re.compile(
    r"\b(?:live[sd]? in|living in|based in|born in|from|fly(?:ing)? (?:to|from)|flight (?:to|from)"
    r"|trip to|travel(?:l?ing)? to|moved? to|moving to|drive to|visit(?:ing|ed)?|staying in|stay in"
    r"|went to|office in|arriv(?:e|ing) in|hotel in"
    r"|restaurants? in|weather in|wohne in|nach|vivo en|viajo? a)[ ]$",
    re.IGNORECASE,
)
PROJECT_PATTERNS = (
    re.compile(
        r"(?<!\w)[Pp]ro(?:ject|jekt|yecto)[ ](?P<name>[\"“'«]?[A-Z][\w-]*(?:"
        r"[ ][A-Z0-9][\w-]*){0,2}[\"”'»]?)(?!\w)"
    ),
    re.compile(
        r"(?<!\w)(?:[Tt]he|[Oo]ur|[Mm]y)[ ](?P<name>[A-Z][\w-]+(?:[ ][A-Z][\w-]+){0,2})[ ](?:project"
        r"|initiative|rollout|codebase|repo|campaign|launch)\b"
    ),
    re.compile(r"\b[Cc]ode ?-?name[d]?:?[ ](?P<name>[\"“'«]?[A-Z][\w-]*(?:[ ][A-Z][\w-]*)?[\"”'»]?)"),
)
NAME_CUE_REACH_CHARS = 48
#: Names longer than this are no names.
NAME_MAX_CHARS = 80


def find_proper_names(text: str) -> Iterator[EntityMention]:
    """Yield people, organisations, places and projects of a text; some may overlap."""
    for pattern in PROJECT_PATTERNS:
        for found in pattern.finditer(text):
            yield build_name(EntityType.PROJECT, text, *trim_quotes(text, *found.span("name")))
    for found in TITLED_PERSON_PATTERN.finditer(text):
        yield build_name(EntityType.PERSON, text, *found.span())
    for found in ORGANISATION_PATTERN.finditer(text):
        start = skip_plain_capitals(text, *found.span())
        yield build_name(EntityType.ORGANISATION, text, start, found.end())
    for found in CAPITALS_PATTERN.finditer(text):
        start = skip_plain_capitals(text, *found.span())
        if start < found.end() and (type_ := classify_name(text, start, found.end())):
            yield build_name(type_, text, start, found.end())


def skip_plain_capitals(text: str, start: int, end: int) -> int:
    """Return where a name begins after words that are in capitals for another reason."""
    while start < end:
        word = re.compile(r"\S+").match(text, start, end)
        if word is None or word[0].casefold().strip(".,'\u2019") not in PLAIN_CAPITALS:
            return start
        start = word.end() + 1
    return end


def classify_name(text: str, start: int, end: int) -> EntityType | None:
    """Return what words in capitals name, by what they are and what stands beside them; None if unknown."""
    name = text[start:end]
    before = text[max(0, start - NAME_CUE_REACH_CHARS) : start]
    words = name.split(" ")
    if name in PLACE_NAMES:
        return EntityType.PLACE
    if PERSON_CUE_PATTERN.search(before) or words[0].casefold() in GIVEN_NAMES:
        return EntityType.PERSON
    if ORGANISATION_CUE_PATTERN.search(before):
        return EntityType.ORGANISATION
    if PLACE_CUE_PATTERN.search(before):
        return EntityType.PLACE
    return EntityType.PERSON if PERSON_AFTER_PATTERN.match(text, end) else None


def trim_quotes(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a place in a text without the quotes around it."""
    quotes = "\"“”'«»"
    while start < end and text[start] in quotes:
        start += 1
    while end > start and text[end - 1] in quotes:
        end -= 1
    return start, end


def build_name(type_: EntityType, text: str, start: int, end: int) -> EntityMention:
    """Return the mention of a name."""
    value = text[start : min(end, start + NAME_MAX_CHARS)].rstrip(" .,")
    return EntityMention(
        type_, value, " ".join(value.casefold().replace(".", "").split()), start, start + len(value)
    )
