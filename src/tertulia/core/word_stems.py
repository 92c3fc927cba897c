"""Words without their endings, so that `token` meets `tokens`: lightly for search, fully for statements.

Search looks for a word and whatever follows it, and finds less where more is taken off. Statements are held
against each other whole, in six languages, in which more is an ending than in English.
"""

#: Endings of English that search takes off, the longest first.
LIGHT_ENDINGS = ("ings", "ing", "ies", "ers", "ed", "es", "er", "s")
#: Endings of English, German and Romance words, the longest first.
FULL_ENDINGS = ("ings", "ing", "ies", "ied", "ers", "ed", "es", "en", "er", "s", "e", "y", "n", "a", "o")
#: So much of a word stays whatever its ending.
STEM_MIN_CHARS = 4


def stem(word: str) -> str:
    """Return a word without its commonest ending."""
    return strip_ending(word, LIGHT_ENDINGS)


def stem_fully(word: str) -> str:
    """Return a word without its ending: ship, ships, shipped and shipping are the same."""
    stripped = strip_ending(word, FULL_ENDINGS)
    is_doubled = stripped != word and stripped[-1] == stripped[-2] and len(stripped) > STEM_MIN_CHARS
    return stripped[:-1] if is_doubled else stripped


def strip_ending(word: str, endings: tuple[str, ...]) -> str:
    """Return a word without the first of these endings that leaves enough of it."""
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= STEM_MIN_CHARS:
            return word.removesuffix(ending)
    return word
