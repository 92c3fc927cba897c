"""Phone numbers: as the library knows them, and as people write them short."""

import re
from collections.abc import Iterator

from tertulia.core.text_spans import keep_apart
from tertulia.entities.domain import EntityMention, EntityType
from tertulia.entities.identifiers import IBAN_PATTERN

SEPARATOR_REGEX = r"[ \u00a0.\u2010-\u2013-]"
EXTENSION_REGEX = r"(?:,?[ ]?(?:x|ext\.?|extension)[ ]?\d{1,6})?"
EXTENSION_PATTERN = re.compile(r"(?:x|ext).*$", re.IGNORECASE)
#: What stands right before and after a phone number is no part of a longer number or name.
PHONE_START_REGEX = (
    r"(?<![\w@$€£#+^])(?<!(?<!\d{3})/)(?<!\d[.,:-])(?<!\w-)(?<!\d[ ]\()(?<!\d[ ][=<>*])(?<!\d[ ][=<>*][ ])"
)
PHONE_END_REGEX = (
    r"(?![\w@%°€$£])(?![.,:-]\d)(?!/\d(?![\d .()-]{6}))(?!-\w)(?![ ]?(?:€|%|EUR|USD|euros?|dollars?)\b)"
)


def phone_pattern(body: str) -> re.Pattern[str]:
    """Return the pattern of a form of phone numbers, with its extension if there is one."""
    return re.compile(PHONE_START_REGEX + body + EXTENSION_REGEX + PHONE_END_REGEX, re.IGNORECASE)


#: Forms that nothing but phone numbers have.
PLAIN_PHONE_PATTERNS = (
    phone_pattern(
        r"(?:\(\+[1-9]\d{0,2}\)|(?:\+|00)[1-9]\d{0,2}+)(?:[ ]?\(0\))?"
        rf"(?:{SEPARATOR_REGEX}|/)?\(?\d{{1,12}}\)?(?:(?:{SEPARATOR_REGEX}|[ ]?/[ ]?)\d{{2,12}})?"
        rf"(?:{SEPARATOR_REGEX}\d{{2,12}}){{0,4}}(?:-\d|[ ](?:-[ ])?0)?"
    ),
    phone_pattern(
        rf"(?:\+?1{SEPARATOR_REGEX}?)?(?:\(\d{{3}}\)[ ]?{SEPARATOR_REGEX}?|\d{{3}}(?:{SEPARATOR_REGEX}|/))"
        rf"\d{{3}}{SEPARATOR_REGEX}?\d{{4}}"
    ),
    phone_pattern(rf"\(0\d{{1,5}}\)[ ]?\d{{2,8}}(?:{SEPARATOR_REGEX}\d{{2,6}}){{0,3}}"),
    phone_pattern(r"0\d{1,5}[ /-]{1,3}\d{2,8}(?:[ -]\d{2,6}){0,4}(?:-\d)?"),
    phone_pattern(r"\(\d{2,4}\)[ ]?\d{4,5}[ -]\d{4}"),
    phone_pattern(r"1[3-9]\d[ -]\d{4}[ -]\d{4}"),
    phone_pattern(rf"[6789]\d{{2}}{SEPARATOR_REGEX}\d{{3}}{SEPARATOR_REGEX}\d{{3}}"),
    phone_pattern(r"0\d(?:\.\d{2}){4}"),
    phone_pattern(r"9\d[ ]\d{3}[ ]\d{2}[ ]\d{2}"),
    phone_pattern(rf"[6789]\d{{2}}(?:{SEPARATOR_REGEX}\d{{2}}){{3}}"),
    # A part is a word, as on advertisements.
    re.compile(
        r"(?<![\w-])(?:\+?1[ -])?8(?:00|33|44|55|66|77|88)[ -](?=[A-Z0-9-]{0,8}[A-Z])"
        r"(?:[A-Z0-9]{7}|(?=[A-Z0-9]{1,6}-)[A-Z0-9-]{8})(?![\w-])"
    ),
)
#: Forms that numbers of other things have too: the words before tell.
BARE_PHONE_PATTERN = phone_pattern(r"(?:[2-9]\d{9}|1[2-9]\d{9}|0\d{8,11})")
LOCAL_PHONE_PATTERN = phone_pattern(r"[2-9]\d{2}[-.\u2010-\u2013]\d{4}")
#: Any groups of digits, after words that announce a phone number.
ANNOUNCED_PHONE_PATTERN = phone_pattern(rf"\(?\d{{1,12}}\)?(?:{SEPARATOR_REGEX}{{1,2}}\d{{2,12}}){{0,5}}")
PHONE_CUE_PATTERN = re.compile(
    r"\b(?:phones?|tele(?:phone|fon\w*|fono)|tel|tfno|cell|cellphone|mobile?|handy\w*|móvil|fax|hotline"
    r"|whatsapp|ph|mob"
    r"|call(?: \w+)?(?: back)?(?: at| on)?|dial|text(?: me| us)?(?: at| on)?|ring|reach(?: \w+)?(?: at| on)?"
    r"|llama(?:me|dme)?(?: al)?|rufnummer|ruf \w+|contact(?: number| no)?|landline|hotline|direct)\b",
    re.IGNORECASE,
)
#: Names of values that are phone numbers.
PHONE_KEY_PATTERN = re.compile(r"(?:phone|tel|mobile|cell|fax|number)\w{0,8}[\"']?=$", re.IGNORECASE)
#: Words that announce a phone number where nothing says of what else it is the number.
NUMBER_CUE_PATTERN = re.compile(r"\b(?:number|nummer|número|numéro)\b", re.IGNORECASE)
OTHER_NUMBER_CUE_PATTERN = re.compile(
    r"\b(?:order|invoice|account|acct|tracking|ticket|case|ids?|ref(?:erence)?|confirmation|booking"
    r"|reservation"
    r"|serial|isbn|iban|card|policy|flight|passport|licen[cs]e|model|version|build|pages?|years?|zip|code|pin"
    r"|customer|member(?:ship)?|vin|sku|part|po|bestell\w*|rechnung\w*|kunden\w*|pedido|factura|referencia"
    r"|range|between|seasons?|timestamp|population|epoch|passcode|password|conference id|meeting id|digits)\b"
    r"(?:[ ](?:numbers?|no\b\.?|nr\.?|codes?|ids?|nummer|#))?",
    re.IGNORECASE,
)
DATE_SHAPE_PATTERN = re.compile(
    r"(?:19|20)\d{2}[-. ]\d{1,2}[-. ]\d{1,2}|\d{1,2}[-. ]\d{1,2}[-. ](?:19|20)\d{2}"
)
CLAUSE_END_PATTERN = re.compile(r"(?<!\bno)(?<!\bnr)(?<!\btel)(?<!\bph)(?<!\bmob)[.!?;\n]\s", re.IGNORECASE)
#: Digits that are no number of anybody: all the same, or a round one.
ROUND_NUMBER_PATTERN = re.compile(r"(\d)\1+|\d{1,5}0{5,}")
#: So many characters before a number may say what it is.
PHONE_CUE_REACH_CHARS = 48
PHONE_MIN_DIGITS = 6
PHONE_MAX_DIGITS = 15
ITALIAN_COUNTRY_CODE = 39
NATIONAL_PHONE_MAX_DIGITS = 12
LAST_GROUP_PATTERN = re.compile(r"[ ]\d{1,3}$")
#: Regions by the beginning of a time zone; a number without a country's code is read as one of there.
REGION_BY_ZONE = {
    "America/": "US",
    "US/": "US",
    "Pacific/Honolulu": "US",
    "Canada/": "CA",
    "Europe/London": "GB",
    "Europe/Dublin": "IE",
    "Europe/Berlin": "DE",
    "Europe/Vienna": "AT",
    "Europe/Zurich": "CH",
    "Europe/Madrid": "ES",
    "Atlantic/Canary": "ES",
    "Europe/Paris": "FR",
    "Europe/Rome": "IT",
    "Europe/Lisbon": "PT",
    "Europe/Amsterdam": "NL",
    "Australia/": "AU",
    "Asia/Kolkata": "IN",
}


def find_phones(text: str, *, zone: str) -> Iterator[EntityMention]:
    """Yield the phone numbers of a text."""
    for start, end in find_phone_spans(text):
        value = text[start:end]
        yield EntityMention(EntityType.PHONE, value, normalise_phone(value, zone=zone), start, end)


def find_phone_spans(text: str) -> list[tuple[int, int]]:
    """Return where phone numbers stand in a text: the surest forms first, and of these the earliest."""
    plain = [found for pattern in PLAIN_PHONE_PATTERNS for found in pattern.finditer(text)]
    bare = [
        found
        for pattern in (BARE_PHONE_PATTERN, LOCAL_PHONE_PATTERN)
        for found in pattern.finditer(text)
        if announces_phone(text, found.start(), default=not ROUND_NUMBER_PATTERN.fullmatch(found[0]))
    ]
    announced = [
        found
        for found in ANNOUNCED_PHONE_PATTERN.finditer(text)
        if has_phone_length(found[0]) and announces_phone(text, found.start(), default=False)
    ]
    accounts = {found.span() for found in IBAN_PATTERN.finditer(text)}
    spans = [
        trim_phone(found)
        for kind in (plain, bare, announced)
        for found in sorted(kind, key=lambda found: (found.start(), -found.end()))
        if has_phone_length(found[0])
    ]
    return [span for span in keep_apart([*accounts, *spans], lambda span: span) if span not in accounts]


def trim_phone(found: re.Match[str]) -> tuple[int, int]:
    """Return where a phone number stands without a bracket around it, or a number that follows it."""
    start, value = found.start(), found[0]
    if value.endswith(")") and value.count(")") > value.count("("):
        value = value[:-1]
    if value.startswith("(") and value.count("(") > value.count(")"):
        start, value = start + 1, value[1:]
    while is_too_long(value) and (last := LAST_GROUP_PATTERN.search(value)):
        value = value[: last.start()]
    return start, start + len(value)


def is_too_long(value: str) -> bool:
    """Tell whether a number has more digits than one without its country's code can have."""
    digits = re.sub(r"\D", "", EXTENSION_PATTERN.sub("", value))
    is_national = not value.startswith(("+", "(+", "00"))
    return is_national and len(digits) > NATIONAL_PHONE_MAX_DIGITS


def announces_phone(text: str, start: int, *, default: bool) -> bool:
    """Tell whether the words before a number call it one for phones; the nearest word decides."""
    before = text[max(0, start - PHONE_CUE_REACH_CHARS) : start]
    if before.endswith("="):
        return PHONE_KEY_PATTERN.search(before) is not None
    clause = CLAUSE_END_PATTERN.split(before)[-1]
    phone = max(last_end(PHONE_CUE_PATTERN, clause), last_end(NUMBER_CUE_PATTERN, clause))
    other = last_end(OTHER_NUMBER_CUE_PATTERN, clause)
    return default if phone == other == -1 else phone > other


def last_end(pattern: re.Pattern[str], text: str) -> int:
    """Return where the last match of a pattern ends, -1 where there is none."""
    return max((found.end() for found in pattern.finditer(text)), default=-1)


def has_phone_length(value: str) -> bool:
    """Tell whether a text has as many digits as phone numbers have, and is no date."""
    digits = sum(char.isdigit() or char.isupper() for char in value)
    return PHONE_MIN_DIGITS <= digits <= PHONE_MAX_DIGITS + 6 and not DATE_SHAPE_PATTERN.fullmatch(value)


def normalise_phone(value: str, *, zone: str = "") -> str:
    """Return a number as it is dialled from abroad, where its country can be told; else its digits."""
    import phonenumbers

    region = guess_region(value, zone)
    try:
        number = phonenumbers.parse(value, region)
    except phonenumbers.NumberParseException:
        return re.sub(r"\D", "", value)
    is_possible = (
        phonenumbers.is_possible_number_with_reason(number) == phonenumbers.ValidationResult.IS_POSSIBLE
    )
    # Only Italians dial the zero from abroad: elsewhere the country was guessed wrong.
    if not is_possible or (number.italian_leading_zero and number.country_code != ITALIAN_COUNTRY_CODE):
        return re.sub(r"\D", "", value)
    dialled = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return f"{dialled};ext={number.extension}" if number.extension else dialled


def guess_region(value: str, zone: str) -> str:
    """Return the country of a number without its code: of the person's zone, or what its form fits."""
    # In North America no number begins with a zero.
    default = "GB" if re.sub(r"\D", "", value).startswith("0") else "US"
    region = next((region for start, region in REGION_BY_ZONE.items() if zone.startswith(start)), default)
    return default if region in ("US", "CA") else region
