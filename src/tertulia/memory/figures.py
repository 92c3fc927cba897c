"""Figures: what has to be copied exactly, because nobody can guess it again."""

import re
from functools import lru_cache
from unicodedata import normalize

MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
#: A day with the name of its month, in either order.
DAY = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th|\.)?[ \t]+(?:of[ \t]+)?({MONTH})"
    rf"|({MONTH})\.?[ \t]+\d{{1,4}}(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)
URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`]+|\bwww\.[^\s<>\"'`]+", re.IGNORECASE)
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
#: Names in capitals with joints, as of variables and tickets.
CAPITALS = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+\b")
#: Letters and digits with what usually holds figures together.
TOKEN = re.compile(r"[A-Za-z\d_.:/%#@+,'&=?~$€£-]++")
DIGIT = re.compile(r"\d")
EDGES = ".,:;-/'#%@+&=?~$€£_"
THOUSANDS = re.compile(r"(?<=\d)[,'](?=\d{3}(?!\d))")
#: A number with a unit or an ordinal ending written to it: 10GB, 5pm, 3rd, 1.5k.
WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)[a-z]{1,4}")


#: A short number that is an amount or a share.
AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?(?:%|percent|euros?\b|dollars?\b|USD\b|EUR\b)", re.IGNORECASE)


@lru_cache(4_096)
def figures(text: str) -> tuple[str, ...]:
    """Return the figures of a sentence; it is asked for the same ones again and again."""
    return all_figures(text)


def all_figures(text: str) -> tuple[str, ...]:
    """Return the figures of a text in one form, each once: amounts, dates, versions, identifiers."""
    plain = normalize("NFKC", text)
    found: dict[str, None] = {}
    for pattern in (URL, EMAIL):
        found.update(dict.fromkeys(one.rstrip(".,:;!?)]}*_").casefold() for one in pattern.findall(plain)))
        plain = pattern.sub(" ", plain)
    found.update(dict.fromkeys(one.casefold() for one in CAPITALS.findall(plain)))
    found.update(dict.fromkeys((first or second)[:3].casefold() for first, second in DAY.findall(plain)))
    found.update(dict.fromkeys(same_form(one) for one in TOKEN.findall(plain) if DIGIT.search(one)))
    return tuple(one for one in found if one)


def same_form(figure: str) -> str:
    """Return a figure as it is compared: `$1,000` as `1000`, `V2.1` as `v2.1`, `10GB` and `10` alike."""
    bare = THOUSANDS.sub("", figure.strip(EDGES).casefold())
    unit = WITH_UNIT.fullmatch(bare)
    return unit[1] if unit else bare


def is_weighty(text: str) -> bool:
    """Tell whether a text has a figure that is more than a small number of things."""
    return any(len(one) > 2 for one in figures(text)) or AMOUNT.search(text) is not None
