"""Misspelt words of a query: what the index has in their place.

Neither engine can search its words by likeness, and both find them by how they begin. So words that begin
nearly alike are looked for, and held against the misspelt one in the texts that have them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tertulia.core.stop_words import STOP_WORDS
from tertulia.infra.db import Tx
from tertulia.retrieval.accents import strip_accents
from tertulia.retrieval.candidates import Candidate, fetch_candidates
from tertulia.retrieval.full_text_index import FullTextIndex
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN, split_camel_case
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.search_scope import SearchScope

#: Shorter words are alike by chance, and longer ones are no words.
CORRECTED_WORD_MIN_CHARS = 5
CORRECTED_WORD_MAX_CHARS = 24
#: Words of one query that are corrected, and texts that are read for each.
CORRECTED_WORDS_MAX = 4
CORRECTION_CHUNKS_MAX = 20
#: So much of a word begins alike, and at least half of it.
ALIKE_PREFIX_MIN_CHARS = 4
#: From here on one letter may be another one, and two letters may be wrong.
OTHER_LETTER_MIN_CHARS = 7
TWO_LETTERS_MIN_CHARS = 8
#: A compound or an inflected word may have so many letters more, and a stem so many fewer.
COMPOUND_LETTERS_MAX = 8
INFLECTION_LETTERS_MAX = 3


def correct_words(
    tx: Tx, query: ParsedQuery, unknown: Iterable[str], scope: SearchScope, *, index: FullTextIndex
) -> ParsedQuery:
    """Return a query with what the index has in the place of misspelt words."""
    corrected: dict[str, str] = {}
    looked_for = [word for word in unknown if word.lower() in query.words and can_be_misspelt(word)]
    for word in looked_for[:CORRECTED_WORDS_MAX]:
        if not index.count_word(tx, word.lower(), at_most=1) and (
            found := find_correction(tx, word, scope, index=index)
        ):
            corrected[word.lower()] = found
    if not corrected:
        return query
    words = tuple(dict.fromkeys(corrected.get(word, word) for word in query.words))
    return replace(query, words=words, corrected=frozenset(corrected.values()))


def can_be_misspelt(word: str) -> bool:
    """Tell whether a word is long enough, and no name or number."""
    is_plain = word.isalpha() and len(split_camel_case(word)) == 1
    return is_plain and CORRECTED_WORD_MIN_CHARS <= len(word) <= CORRECTED_WORD_MAX_CHARS


def find_correction(tx: Tx, word: str, scope: SearchScope, *, index: FullTextIndex) -> str | None:
    """Return the word within a reach that is written most like another; None where none is."""
    written = strip_accents(word).lower()
    chunks = index.search_prefixes(tx, alike_prefixes(written), scope, limit=CORRECTION_CHUNKS_MAX)
    words = Counter(
        word
        for candidate in fetch_candidates(tx, chunks, from_conversation_id=scope.from_conversation_id)
        if scope.among is None or candidate.source in scope.among
        for word in list_words(candidate)
    )
    return choose_correction(written, words)


def list_words(candidate: Candidate) -> set[str]:
    """Return the words of a candidate as they are compared."""
    text = strip_accents(f"{candidate.path} {candidate.context} {candidate.content}").lower()
    return set(INDEX_WORD_PATTERN.findall(text))


def alike_prefixes(written: str) -> list[str]:
    """Return how words begin that are written nearly like another.

    As it is written itself, without one letter, with two in the other order, or with one of them twice.
    """
    size = max(ALIKE_PREFIX_MIN_CHARS, len(written) // 2)
    start, longer = written[:size], written[: size + 1]
    shorter = [longer[:place] + longer[place + 1 :] for place in range(len(longer))]
    turned = [
        start[:place] + start[place + 1] + start[place] + start[place + 2 :] for place in range(size - 1)
    ]
    doubled = [start[: place + 1] + start[place:-1] for place in range(size - 1)]
    return list(dict.fromkeys([start, *shorter, *turned, *doubled]))


def choose_correction(written: str, words: Counter[str]) -> str | None:
    """Return the word that a misspelt one most likely means: the fewest letters off, then the commonest."""
    rated = [
        (distance, -count, word)
        for word, count in words.items()
        if (distance := measure_misspelling(written, word)) is not None
    ]
    return min(rated)[2] if rated else None


def measure_misspelling(written: str, word: str) -> int | None:
    """Return how many letters are wrong, one for a compound or another form; None for another word."""
    if len(word) < CORRECTED_WORD_MIN_CHARS or word in STOP_WORDS:
        return None
    if is_other_form(written, word):
        return 1
    most = 2 if len(written) >= TWO_LETTERS_MIN_CHARS else 1
    if abs(len(written) - len(word)) > most or written[0] != word[0]:
        return None
    if len(written) == len(word) < OTHER_LETTER_MIN_CHARS and sorted(written) != sorted(word):
        return None
    distance = edit_distance(written, word)
    return distance if distance <= most else None


def is_other_form(written: str, word: str) -> bool:
    """Tell whether one of two words begins with the other, as compounds and inflected words do."""
    shorter, longer = sorted((written, word), key=len)
    if len(shorter) < CORRECTED_WORD_MIN_CHARS or not longer.startswith(shorter):
        return False
    most = COMPOUND_LETTERS_MAX if longer == word else INFLECTION_LETTERS_MAX
    return len(longer) - len(shorter) <= most


def edit_distance(first: str, second: str) -> int:
    """Return how many letters are to be added, left out, changed or swapped with the next one."""
    before: Sequence[int] = []
    last: Sequence[int] = range(len(second) + 1)
    for row, letter in enumerate(first, 1):
        line = [row]
        for column, other in enumerate(second, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 < column and letter == second[column - 2] and other == first[row - 2]:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]
