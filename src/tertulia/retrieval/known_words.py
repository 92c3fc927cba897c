"""Which words of a query are words at all: something is always nearest in meaning, also to nonsense."""

import asyncio
import re
from pathlib import Path

import msgspec

from tertulia.core.stop_words import STOP_WORDS
from tertulia.embedding import weights
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN, split_camel_case
from tertulia.settings import Settings

#: Parts of words, which alone are no words, begin so in the vocabulary.
WORD_PART_MARK = "##"
#: Keyboards and random letters have these among their words as well.
KNOWN_WORD_MIN_CHARS = 3
ENDING_PATTERN = re.compile(r"(?:ies|es|s|ed|ing|ly)$")


class TokenizerModel(msgspec.Struct, frozen=True):
    """The part of a tokenizer that has its words."""

    vocab: dict[str, int]


class TokenizerFile(msgspec.Struct, frozen=True):
    """A tokenizer as it is stored."""

    model: TokenizerModel


class KnownWords:
    """Knows the words of the built-in embedder's vocabulary, where its files are installed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._words: frozenset[str] | None = None

    async def measure_share(self, text: str) -> float:
        """Return the share of a query's telling words that are known; all of them where nobody can tell."""
        if self._words is None:
            self._words = await asyncio.to_thread(self._read)
        words = {word for word in INDEX_WORD_PATTERN.findall(text) if word.lower() not in STOP_WORDS}
        if not words or not self._words:
            return 1.0
        return sum(is_known(word, self._words) for word in words) / len(words)

    def _read(self) -> frozenset[str]:
        files = weights.find(self._settings)
        return frozenset() if files is None else read_vocabulary(files.tokenizer)


def read_vocabulary(tokenizer: Path) -> frozenset[str]:
    """Return the whole words of a tokenizer."""
    stored = msgspec.json.decode(tokenizer.read_bytes(), type=TokenizerFile)
    return frozenset(
        word
        for word in stored.model.vocab
        if len(word) >= KNOWN_WORD_MIN_CHARS and not word.startswith(WORD_PART_MARK)
    )


def is_known(word: str, vocabulary: frozenset[str]) -> bool:
    """Tell whether a word, or every part of a name in camel case, is in a vocabulary or a number."""
    parts = [part.lower() for part in split_camel_case(word)]
    return all(
        part.isdigit() or part in vocabulary or ENDING_PATTERN.sub("", part) in vocabulary for part in parts
    )
