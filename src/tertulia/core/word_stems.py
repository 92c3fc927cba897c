"""Words without their endings, so that `token` meets `tokens`."""

STEM_ENDINGS = ("ings", "ing", "ies", "ers", "ed", "es", "er", "s")


def stem(word: str) -> str:
    """Return a word without its commonest endings, as long as enough of it remains."""
    for ending in STEM_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word
