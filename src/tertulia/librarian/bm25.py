"""BM25 over a handful of passages: which of them speak of what was asked."""

import re
from collections import Counter
from collections.abc import Sequence
from math import log

from tertulia.core.stop_words import STOP_WORDS
from tertulia.core.word_stems import stem

K1, B = 1.2, 0.75
TERM_PATTERN = re.compile(r"[^\W_]+")


def terms(text: str) -> list[str]:
    """Return the words that mean something, in a form where `token` meets `tokens`."""
    return [stem(word) for word in TERM_PATTERN.findall(text.lower()) if word not in STOP_WORDS]


def bm25_scores(question: str, texts: Sequence[str]) -> list[float]:
    """Return how well each text answers to the question; zero where they share no word that matters."""
    counted = [Counter(terms(text)) for text in texts]
    lengths = [words.total() for words in counted]
    usual = max(1.0, sum(lengths) / max(1, len(lengths)))
    asked = set(terms(question))
    spread = {term: sum(term in words for words in counted) for term in asked}
    return [
        sum(
            inverse_document_frequency(spread[term], len(texts))
            * term_frequency_saturation(words[term], length / usual)
            for term in sorted(asked)
            if term in words
        )
        for words, length in zip(counted, lengths, strict=True)
    ]


def inverse_document_frequency(found_in: int, total: int) -> float:
    """Return how much a word tells passages apart: the rarer the more."""
    return log(1 + (total - found_in + 0.5) / (found_in + 0.5))


def term_frequency_saturation(times: int, relative_length: float) -> float:
    """Return what repeating a word adds: less and less, and less in long passages."""
    return times * (K1 + 1) / (times + K1 * (1 - B + B * relative_length))
