"""Small things about words that every sentence for people needs."""


def count_noun(number: int, noun: str) -> str:
    """Say how many there are of something: `1 reply`, `2 replies`."""
    return f"{number:,} {noun if number == 1 else pluralise(noun)}"


def pluralise(noun: str) -> str:
    """Return the plural of a regular noun."""
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
