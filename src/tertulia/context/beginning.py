"""The beginning of a file, where a prompt has no room for all of it."""

from collections.abc import Callable
from dataclasses import replace

from tertulia.context.domain import Recalled
from tertulia.models.quoting import up_to_line


def beginning_of(one: Recalled, most: int, tokens_of: Callable[[Recalled], int]) -> Recalled | None:
    """Return as many lines of a file as take so many tokens at most; None where that is nothing."""
    while one.text:
        tokens = tokens_of(one)
        if tokens <= most:
            return one
        one = shorter(one, min(len(one.text) - 1, len(one.text) * max(0, most) // tokens))
    return None


def shorter(one: Recalled, characters: int) -> Recalled:
    """Return the first lines of a file that have so many characters at most; of an endless line, a part."""
    text = up_to_line(one.text, characters).rstrip("\n")
    tokens = one.passage.tokens * len(text) // len(one.text)
    passage = replace(one.passage, end_char=len(text), end_line=1 + text.count("\n"), tokens=tokens)
    return replace(one, passage=passage, text=text, goes_on=True)
