"""The beginning of a file, where a prompt has no room for all of it."""

from collections.abc import Callable
from dataclasses import replace

from tertulia.context.domain import RecalledPassage
from tertulia.models.prompt_frames import truncate_at_line_end


def truncate_to_tokens(
    passage: RecalledPassage, max_tokens: int, tokens_of: Callable[[RecalledPassage], int]
) -> RecalledPassage | None:
    """Return as many lines of a file as take so many tokens at most; None where that is nothing."""
    while passage.text:
        tokens = tokens_of(passage)
        if tokens <= max_tokens:
            return passage
        passage = truncate_to_chars(
            passage, min(len(passage.text) - 1, len(passage.text) * max(0, max_tokens) // tokens)
        )
    return None


def truncate_to_chars(one: RecalledPassage, max_chars: int) -> RecalledPassage:
    """Return the first lines of a file that have so many characters at most; of an endless line, a part."""
    text = truncate_at_line_end(one.text, max_chars).rstrip("\n")
    tokens = one.passage.tokens * len(text) // len(one.text)
    passage = replace(one.passage, end_char=len(text), end_line=1 + text.count("\n"), tokens=tokens)
    return replace(one, passage=passage, text=text, goes_on=True)
