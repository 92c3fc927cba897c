"""Figures: what has to be copied exactly, because nobody can guess it again."""

import re
from functools import lru_cache
from unicodedata import normalize

MONTH_NAME_REGEX = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
#: A day with the name of its month, in either order.
DAY_OF_MONTH_PATTERN = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th|\.)?[ \t]+(?:of[ \t]+)?({MONTH_NAME_REGEX})"
    rf"|({MONTH_NAME_REGEX})\.?[ \t]+\d{{1,4}}(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)
URL_PATTERN = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`]+|\bwww\.[^\s<>\"'`]+", re.IGNORECASE)
EMAIL_FIGURE_PATTERN = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
#: Names in capitals with joints, as of variables and tickets.
CAPITAL_NAME_PATTERN = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+\b")
#: Letters and digits with what usually holds figures together.
FIGURE_TOKEN_PATTERN = re.compile(r"[A-Za-z\d_.:/%#@+,'&=?~$€£-]++")
DIGIT_PATTERN = re.compile(r"\d")
FIGURE_EDGE_CHARS = ".,:;-/'#%@+&=?~$€£_"
THOUSANDS_SEPARATOR_PATTERN = re.compile(r"(?<=\d)[,'](?=\d{3}(?!\d))")
#: A number with a unit or an ordinal ending written to it: 10GB, 5pm, 3rd, 1.5k.
NUMBER_WITH_UNIT_PATTERN = re.compile(r"(\d+(?:\.\d+)?)[a-z]{1,4}")


#: A short number that is an amount or a share.
AMOUNT_PATTERN = re.compile(r"[$€£¥]\s?\d|\d\s?(?:%|percent|euros?\b|dollars?\b|USD\b|EUR\b)", re.IGNORECASE)


@lru_cache(4_096)
def find_figures(text: str) -> tuple[str, ...]:
    """Return the figures of a sentence; it is asked for the same ones again and again."""
    return find_figures_uncached(text)


def find_figures_uncached(text: str) -> tuple[str, ...]:
    """Return the figures of a text in one form, each once: amounts, dates, versions, identifiers."""
    plain = normalize("NFKC", text)
    found: dict[str, None] = {}
    for pattern in (URL_PATTERN, EMAIL_FIGURE_PATTERN):
        found.update(
            dict.fromkeys(figure.rstrip(".,:;!?)]}*_").casefold() for figure in pattern.findall(plain))
        )
        plain = pattern.sub(" ", plain)
    found.update(dict.fromkeys(name.casefold() for name in CAPITAL_NAME_PATTERN.findall(plain)))
    found.update(
        dict.fromkeys(
            (first or second)[:3].casefold() for first, second in DAY_OF_MONTH_PATTERN.findall(plain)
        )
    )
    found.update(
        dict.fromkeys(
            normalise_figure(figure)
            for figure in FIGURE_TOKEN_PATTERN.findall(plain)
            if DIGIT_PATTERN.search(figure)
        )
    )
    return tuple(figure for figure in found if figure)


def normalise_figure(figure: str) -> str:
    """Return a figure as it is compared: `$1,000` as `1000`, `V2.1` as `v2.1`, `10GB` and `10` alike."""
    bare = THOUSANDS_SEPARATOR_PATTERN.sub("", figure.strip(FIGURE_EDGE_CHARS).casefold())
    unit = NUMBER_WITH_UNIT_PATTERN.fullmatch(bare)
    return unit[1] if unit else bare


def has_weighty_figure(text: str) -> bool:
    """Tell whether a text has a figure that is more than a small number of things."""
    return any(len(figure) > 2 for figure in find_figures(text)) or AMOUNT_PATTERN.search(text) is not None
