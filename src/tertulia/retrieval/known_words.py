"""Which words of a query are words at all: something is always nearest in meaning, also to nonsense."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tertulia.embedding import weights
from tertulia.retrieval.accents import strip_accents
from tertulia.retrieval.index_words import split_camel_case
from tertulia.settings import Settings

#: Parts of words, which alone are no words, begin so in the vocabulary.
WORD_PART_MARK = "##"
#: Keyboards and random letters have these among their words as well, and of those with three letters all
#: but the commonest: the commonest words have the first numbers.
KNOWN_WORD_MIN_CHARS = 3
KNOWN_SHORT_WORDS_MAX_NUMBER = 15_000
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

    async def find_unknown(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return those of some words that are not known; all of them where nobody can tell."""
        known = await self._load()
        return tuple(word for word in words if not is_known(word, known))

    async def measure_share(self, words: Sequence[str]) -> float:
        """Return the share of some words that are known; all of them where nobody can tell.

        A number is no word, so that one beside nonsense does not make half of it known.
        """
        known = await self._load()
        if not words or not known:
            return 1.0
        spelt = [word for word in words if not word.isdigit()]
        return sum(is_known(word, known) for word in spelt) / max(1, len(spelt))

    async def _load(self) -> frozenset[str]:
        if self._words is None:
            self._words = await asyncio.to_thread(self._read)
        return self._words

    def _read(self) -> frozenset[str]:
        files = weights.find(self._settings)
        return frozenset() if files is None else read_vocabulary(files.tokenizer)


def read_vocabulary(tokenizer: Path) -> frozenset[str]:
    """Return the whole words of a tokenizer."""
    stored = msgspec.json.decode(tokenizer.read_bytes(), type=TokenizerFile)
    return frozenset(word for word, number in stored.model.vocab.items() if is_whole_word(word, number))


def is_whole_word(word: str, number: int) -> bool:
    """Tell whether an entry of a vocabulary is a word, and not a part of one or a syllable."""
    if word.startswith(WORD_PART_MARK) or len(word) < KNOWN_WORD_MIN_CHARS:
        return False
    return len(word) > KNOWN_WORD_MIN_CHARS or number <= KNOWN_SHORT_WORDS_MAX_NUMBER


def is_known(word: str, vocabulary: frozenset[str]) -> bool:
    """Tell whether a word, or every part of a name in camel case, is in a vocabulary or a number."""
    parts = [part.lower() for part in split_camel_case(strip_accents(word))]
    return all(
        part.isdigit() or part in vocabulary or ENDING_PATTERN.sub("", part) in vocabulary for part in parts
    )
