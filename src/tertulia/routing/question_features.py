"""What can be seen of a question at a glance that says how difficult it is: pure, and fast."""

import re
from math import log1p

#: Of a longer question the beginning says enough.
FEATURES_READ_MAX_CHARS = 2_000
CUE_COUNT_MAX = 3
LONG_WORD_MIN_CHARS = 9
SENTENCE_END_PATTERN = re.compile(r"[.!?](?:\s|$)")
SEPARATOR_PATTERN = re.compile(r"[,;:]")
NUMBER_PATTERN = re.compile(r"\d+(?:[.,]\d+)?")
#: Kinds of words and signs that easy and difficult questions differ in.
CUE_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:prove|proof|derive|show that|justify|disprove)\b",
        r"\b(?:design|implement|architect|refactor|migrate|optimi[sz]e)\b",
        r"\b(?:compare|analy[sz]e|evaluate|review|critique|argue|interpret|explain why|why (?:do|does|is))\b",
        r"\b(?:plan|schedule|strategy|negotiat)\w*",
        r"\b(?:without|such that|so that|except|unless|at (?:most|least)|exactly|only if)\b",
        r"\b(?:step by step|in detail|each|every|all)\b",
        r"\b(?:what is|what does|who|when|how many|which)\b",
        r"\b(?:integral|matrix|theorem|probability|algorithm|concurren\w*|distributed|equation|graph)\b",
        r"```|\bdef |\bclass |\bselect |[{}]|=>",
        r"[=^+*/<>]",
        r"\b(?:write|compose|draft)\b",
        r"\b(?:hello|hi|thanks|thank you|please)\b",
    )
)


def read_features(message: str) -> list[float]:
    """Return what is seen of a question, always in the same order."""
    text = message[:FEATURES_READ_MAX_CHARS]
    words = text.split()
    count = max(1, len(words))
    return [
        log1p(len(words)),
        log1p(len(text)),
        sum(map(len, words)) / count,
        float(len(SENTENCE_END_PATTERN.findall(text))),
        float(len(SEPARATOR_PATTERN.findall(text))),
        float(len(NUMBER_PATTERN.findall(text))),
        float(max(map(len, words), default=0)),
        sum(len(word) >= LONG_WORD_MIN_CHARS for word in words) / count,
        *(float(min(CUE_COUNT_MAX, len(pattern.findall(text)))) for pattern in CUE_PATTERNS),
    ]
