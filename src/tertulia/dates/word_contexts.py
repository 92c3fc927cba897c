"""Conditions of patterns: which words stand right before."""


def after_words(words: str) -> str:
    """Return a condition: one of these words stands right before, with a space; phrases have `_` for it."""
    return "(?:" + "|".join(rf"(?<=\b{word.replace('_', ' ')}[ ])" for word in words.split()) + ")"


def not_after_words(words: str) -> str:
    """Return a condition: none of these words stands right before, with a space."""
    return "".join(rf"(?<!\b{word.replace('_', ' ')}[ ])" for word in words.split())
