"""Amounts: of money, shares, and measures."""

import re
from collections.abc import Iterator

from tertulia.entities.domain import EntityMention, EntityType

NUMBER_REGEX = r"\d{1,3}(?:[,.'\u00a0 ]\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)|\d{1,12}(?:[.,]\d{1,4})?"
SCALE_REGEX = r"(?:[ ]?(?:k|m|bn|b|thousand|million|billion|mio\.?|mrd\.?|mil(?:lones)?)\b)?"
CURRENCY_WORD_REGEX = (
    r"(?:U\.?S\.?[ ]dollars?|dollars?|bucks|euros?|pounds?(?:[ ]sterling)?|quid|cents?|pence|yen|francs?"
    r"|rupees?|pesos?|kronor|kroner|USD|EUR|GBP|CHF"
    r"|CAD|AUD|JPY|INR|MXN|SEK|NOK|DKK)"
)
MEASURE_REGEX = (
    r"(?:kg|kilos?|grams?|mg|lbs?|ounces?|oz|tonnes?|tons?|km|kilomet(?:er|re)s?|miles?|met(?:er|re)s|cm"
    r"|mm|inches|feet|ft|sqm|sq[ ]?ft|m[²2]|hectares?"
    r"|acres|lit(?:er|re)s?|ml|gallons?|kWh|MW|kW|watts?|GB|TB|MB|GiB|°[CF]|degrees|calories|kcal|mph|km/h)"
)
WORD_NUMBER_REGEX = (
    r"(?:(?:a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety)"
    r"(?:[ -](?:hundred|thousand|million|five|two|three|fifty))*)"
)
AMOUNT_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.,])[+-]?(?:US|CA|AU|A|C|NZ)?[$€£¥₹][ ]?(?:{NUMBER_REGEX}){SCALE_REGEX}(?:"
        rf"[ ]{CURRENCY_WORD_REGEX}\b)?(?!\w)",
        rf"(?<![\w.,$€£])(?:{NUMBER_REGEX}){SCALE_REGEX}[ ]?(?:[€£¥₹]|{CURRENCY_WORD_REGEX}\b)(?!\w)",
        rf"(?<!\w)(?:USD|EUR|GBP|CHF|CAD|AUD)[ ]?(?:{NUMBER_REGEX}){SCALE_REGEX}(?!\w)",
        rf"(?<![\w.,$€£])(?:{NUMBER_REGEX})[ ]?(?:%|percent\b|per[ ]cent\b|prozent\b|por[ ]ciento\b)",
        rf"(?<![\w.,$€£])(?:{NUMBER_REGEX})[ -]?{MEASURE_REGEX}(?!\w)",
        rf"(?<!\w){WORD_NUMBER_REGEX}[ ](?:dollars?|bucks|euros?|pounds?|percent)\b",
    )
)
CURRENCIES = {
    "$": "USD",
    "usd": "USD",
    "us dollar": "USD",
    "dollar": "USD",
    "buck": "USD",
    "€": "EUR",
    "eur": "EUR",
    "euro": "EUR",
    "£": "GBP",
    "gbp": "GBP",
    "pound": "GBP",
    "pound sterling": "GBP",
    "quid": "GBP",
    "¥": "JPY",
    "yen": "JPY",
    "₹": "INR",
    "rupee": "INR",
    "percent": "%",
    "per cent": "%",
    "prozent": "%",
    "por ciento": "%",
}
SCALES = {
    "k": 1_000,
    "thousand": 1_000,
    "mil": 1_000,
    "m": 1_000_000,
    "million": 1_000_000,
    "mio": 1_000_000,
    "millones": 1_000_000,
    "b": 10**9,
    "bn": 10**9,
    "billion": 10**9,
    "mrd": 10**9,
}
DIGITS_PATTERN = re.compile(r"\d[\d,.'\u00a0 ]*")


def find_amounts(text: str) -> Iterator[EntityMention]:
    """Yield the amounts of a text; some may overlap."""
    for pattern in AMOUNT_PATTERNS:
        for found in pattern.finditer(text):
            value = found[0].rstrip()
            start = found.start()
            yield EntityMention(EntityType.AMOUNT, value, normalise_amount(value), start, start + len(value))


def normalise_amount(value: str) -> str:
    """Return an amount as it is compared: `$1.2k` and `1,200 dollars` as `1200 USD`."""
    digits = DIGITS_PATTERN.search(value)
    if digits is None:
        return " ".join(value.casefold().split())
    number = parse_number(digits[0])
    rest = f"{value[: digits.start()]} {value[digits.end() :]}".casefold().replace(".", "").strip(" +-")
    unit = " ".join(rest.split())
    for word, scale in SCALES.items():
        if unit.split(" ")[0] == word and (len(word) > 1 or value[digits.end() : digits.end() + 1] != " "):
            number *= scale
            unit = unit.removeprefix(word).strip()
            break
        if unit.endswith(f" {word}"):
            number *= scale
            unit = unit.removesuffix(word).strip()
            break
    unit = CURRENCIES.get(unit.removesuffix("s"), unit)
    return f"{number:.4f}".rstrip("0").rstrip(".") + (f" {unit}" if unit else "")


def parse_number(digits: str) -> float:
    """Return a number in figures, whichever marks part its thousands and decimals."""
    plain = re.sub(r"['\u00a0 ]", "", digits).rstrip(".,")
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0:
        return float(plain)
    whole, part = re.sub(r"[.,]", "", plain[:last]), plain[last + 1 :]
    is_thousands = len(part) == 3 and (
        plain[last] == ","
        or plain.count(".") > 1
        or (len(whole) <= 3 and plain.count(",") == 0 and whole != "0")
    )
    return float(whole + part) if is_thousands else float(f"{whole or 0}.{part}")
