"""Identifiers: tickets, orders, bookings, accounts and the like."""

import re
from collections.abc import Iterator

from tertulia.entities.domain import EntityMention, EntityType

IBAN_PATTERN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){3,7}(?:[ ]?[A-Z0-9]{1,3})?(?!\w)")
#: Forms that only identifiers have.
IDENTIFIER_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\w-])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![\w-])",
        r"(?<![\w/-])[A-Z]{2,10}(?:-[A-Z0-9]{1,12}){0,3}-\d{1,10}(?:-\d{1,8}){0,2}(?![\w-])",
        r"(?<![\w-])(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{3,10}-[A-Z0-9]{3,10}(?:-[A-Z0-9]{2,10}){0,"
        r"4}(?![\w-])",
    )
)
IDENTIFIER_CUE_REGEX = (
    r"(?:order|booking|reservation|confirmation|reference|ref|tracking|ticket|case|invoice|account|acct"
    r"|customer|member(?:ship)?|policy|serial|passport"
    r"|licen[cs]e(?:[ ]plate)?|employee|student|patient|flight|claim|contract|part|model|sku|vin|id|pnr"
    r"|bestell(?:ung|nummer)|rechnungs?(?:nummer)?|kundennummer"
    r"|pedido|factura|referencia|reserva)"
)
#: A word for what is numbered, then the number.
ANNOUNCED_IDENTIFIER_PATTERN = re.compile(
    rf"\b{IDENTIFIER_CUE_REGEX}(?:[ ](?:number|no\.?|code|id|nummer|número|ref(?:erence)?)){{0,2}}"
    r"[ ]?(?:is[ ]|was[ ]|ist[ ]|es[ ]|:[ ]?|#[ ]?|=[ ]?|[ ])?#?"
    r"(?P<id>(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9][A-Za-z0-9/_-]{2,30}|[A-Z]{5,10}|[A-Z]{2}"
    r"[ ]?\d{2,4})(?![\w@]|[.:]\d)",
    re.IGNORECASE,
)
HASH_NUMBER_PATTERN = re.compile(r"(?<![\w&/])#\d{2,10}(?!\w)")


def find_identifiers_said(text: str) -> Iterator[EntityMention]:
    """Yield the identifiers of a text; some may overlap."""
    for pattern in (*IDENTIFIER_FORMS, IBAN_PATTERN, HASH_NUMBER_PATTERN):
        for found in pattern.finditer(text):
            yield build_identifier(found[0], found.start())
    for found in ANNOUNCED_IDENTIFIER_PATTERN.finditer(text):
        value = found["id"].rstrip("-/_")
        if any(char.isdigit() for char in value) or value.isupper():
            yield build_identifier(value, found.start("id"))


def build_identifier(value: str, start: int) -> EntityMention:
    """Return the mention of an identifier."""
    return EntityMention(EntityType.IDENTIFIER, value, normalise_identifier(value), start, start + len(value))


def normalise_identifier(value: str) -> str:
    """Return an identifier as it is compared: in capitals, without spaces."""
    return re.sub(r"[\s#]", "", value).upper()
