"""The tokens a real provider would bill, one by one, so that two prompts can be compared.

Written apart from Tertulia's own counting, which it is there to check.
"""

from array import array
from functools import cache
from typing import Any

import msgspec
import splintr

#: A token of the format itself, which no vocabulary has.
FRAME = 2_000_000


@cache
def tokenizer(vocabulary: str = "o200k_base") -> Any:
    """Load a vocabulary, once and only when it is needed."""
    return splintr.Tokenizer.from_pretrained(vocabulary)


class Tape:
    """A prompt as a row of tokens, with the places where a block ends and where the cache is marked."""

    def __init__(self, vocabulary: str = "o200k_base") -> None:
        self.tokens = array("i")
        self.blocks: list[int] = []
        self.marks: list[int] = []
        self._encode = tokenizer(vocabulary).encode_ordinary

    def __len__(self) -> int:
        return len(self.tokens)

    def text(self, text: str | None) -> None:
        """Add a text."""
        self.tokens.extend(self._encode(text.encode("utf-8", "replace").decode()) if text else ())

    def json(self, value: Any) -> None:
        """Add a value as JSON."""
        self.text(msgspec.json.encode(value).decode())

    def frame(self, size: int) -> None:
        """Add tokens of the format itself."""
        self.tokens.extend([FRAME] * size)

    def picture(self, data: str, price: int) -> None:
        """Add a picture: always the same tokens for the same picture."""
        self.tokens.extend([FRAME + 1 + hash(data) % 1_000_000] * price)

    def end_block(self, *, marked: bool = False) -> None:
        """Note that a block ends here, and whether a cache mark stands on it."""
        self.blocks.append(len(self))
        if marked:
            self.marks.append(len(self))


def count(text: str, vocabulary: str = "o200k_base") -> int:
    """Count the tokens of a text."""
    return len(tokenizer(vocabulary).encode_ordinary(text)) if text else 0
