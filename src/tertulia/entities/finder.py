"""Finding everything in a text that is worth remembering by itself, where it stands and what it means."""

import re
from collections.abc import Iterator
from datetime import date

from tertulia.core.text_spans import keep_apart
from tertulia.entities.amounts import find_amounts
from tertulia.entities.dates import find_dates
from tertulia.entities.domain import EntityMention, EntityType
from tertulia.entities.identifiers import find_identifiers_said
from tertulia.entities.phone_numbers import find_phones
from tertulia.entities.proper_names import find_proper_names
from tertulia.entities.street_addresses import find_addresses
from tertulia.entities.web_addresses import find_emails, find_links

#: So much of a message is read: people do not write addresses in the middle of a book.
ENTITIES_READ_MAX_CHARS = 50_000
#: More than these in one message are a table or a log, and no conversation.
MESSAGE_ENTITIES_MAX = 500
ENTITY_VALUE_MAX_CHARS = 300
#: Which kind a place in a text is where several fit: the first of these.
TYPE_ORDER = {
    type_: number
    for number, type_ in enumerate(
        (
            EntityType.LINK,
            EntityType.EMAIL,
            EntityType.ADDRESS,
            EntityType.PHONE,
            EntityType.DATE,
            EntityType.AMOUNT,
            EntityType.IDENTIFIER,
            EntityType.PROJECT,
            EntityType.ORGANISATION,
            EntityType.PERSON,
            EntityType.PLACE,
        )
    )
}
CODE_FENCE_PATTERN = re.compile(
    r"^[ ]{0,3}(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ ]{0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL
)
NOT_NEWLINE_PATTERN = re.compile(r"[^\n]")


def find_entities(text: str, *, said_on: date, zone: str) -> list[EntityMention]:
    """Return what a text mentions, in order; days are reckoned from the day on which it was said."""
    plain = mask_code(text[:ENTITIES_READ_MAX_CHARS])
    found = sorted(find_all(plain, said_on=said_on, zone=zone), key=precedence)
    kept = keep_apart(found, lambda mention: (mention.start_char, mention.end_char))
    return [mention for mention in kept if len(mention.value) <= ENTITY_VALUE_MAX_CHARS][
        :MESSAGE_ENTITIES_MAX
    ]


def find_all(text: str, *, said_on: date, zone: str) -> Iterator[EntityMention]:
    """Yield all mentions that any kind of finder sees; some overlap."""
    yield from find_links(text)
    yield from find_emails(text)
    yield from find_addresses(text)
    yield from find_phones(text, zone=zone)
    yield from find_dates(text, said_on=said_on, zone=zone)
    yield from find_amounts(text)
    yield from find_identifiers_said(text)
    yield from find_proper_names(text)


def precedence(mention: EntityMention) -> tuple[int, int, int]:
    """Return by what mentions that overlap are ordered: by their kind, then by their length."""
    return TYPE_ORDER[mention.type], mention.start_char - mention.end_char, mention.start_char


def mask_code(text: str) -> str:
    """Return a text of the same length with its blocks of code left blank: they speak of examples."""
    if "```" not in text and "~~~" not in text:
        return text
    return CODE_FENCE_PATTERN.sub(lambda found: NOT_NEWLINE_PATTERN.sub(" ", found[0]), text)
