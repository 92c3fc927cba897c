"""Finding chunks by their words."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import apsw

from tertulia.core.errors import Unavailable
from tertulia.infra.db import Tx, listed
from tertulia.retrieval.question import Question
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.words import MOST_WORDS, WORD, any_of, phrase

#: A word in more than this share of all chunks tells nothing apart, and is slow to look for.
COMMON = 0.2
#: In a small collection every word counts.
SMALL = 2_000
#: Entries of the index that one query may weigh: rare words come first, and what they leave goes to others.
MOST_WEIGHED = 6_000
#: In a small place of a large collection most entries are only counted, which is a tenth of the work.
MOST_COUNTED = 15_000
#: How many words a chunk must have where all of them are common.
ALL_OF = 3
PLACE = "place"
REMEMBER_SECONDS = 600
MOST_REMEMBERED = 20_000
#: What a match in the text, in its keys (headings, path, speaker), and in its place is worth.
COLUMN_WEIGHTS = "1.0, 0.5, 0.0"


class WordsBroken(Unavailable):
    """The index of words is damaged; it is rebuilt from the chunks, and meanwhile meanings are searched."""

    code = "words_broken"


@dataclass(frozen=True, slots=True)
class Reach:
    """Where one looks, and what may be seen there."""

    workspace_id: str
    #: Who looks; empty for somebody who owns nothing.
    user_id: str
    project_id: str | None = None
    conversation_id: str | None = None
    kind: SourceKind | None = None
    #: The only sources that count, where filters were set; None for all.
    among: frozenset[int] | None = None

    @property
    def match(self) -> str:
        """Return the part of a full-text query that keeps to this reach."""
        words = [place_word("w", self.workspace_id)]
        if self.project_id:
            words = [place_word("p", self.project_id)]
        if self.conversation_id:
            words = [place_word("c", self.conversation_id)]
        if self.kind:
            words.append(f"k{self.kind}")
        seen = f"(oall OR {place_word('o', self.user_id)})" if self.user_id else "oall"
        return f"place : ({' AND '.join(words)} AND {seen})"


def place_word(letter: str, thing_id: str) -> str:
    """Return an id as one word that the tokenizer leaves whole."""
    return letter + thing_id.rsplit("_", 1)[-1].lower()


def place_words(
    *, workspace_id: str, project_id: str | None, conversation_id: str | None, owner_id: str | None, kind: str
) -> str:
    """Return the words under which a chunk is found only where it belongs."""
    words = [place_word("w", workspace_id), f"k{kind}", place_word("o", owner_id) if owner_id else "oall"]
    words += [place_word("p", project_id)] if project_id else []
    words += [place_word("c", conversation_id)] if conversation_id else []
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk and how well it matched; more is better."""

    chunk: int
    score: float


def search(tx: Tx, question: Question, reach: Reach, *, common: "CommonWords", limit: int) -> list[Found]:
    """Return the chunks that speak most of what was asked, best first."""
    wide = common.is_wide(tx, reach)
    asked = " OR ".join(common.affordable(tx, question, most=MOST_WEIGHED if wide else MOST_COUNTED))
    return look_up(tx, asked, reach, limit=limit, wide=wide)


def search_names(tx: Tx, question: Question, reach: Reach, *, limit: int) -> list[Found]:
    """Return the chunks that hold the identifiers a query names, as they are written."""
    return look_up(tx, any_of(question.names), reach, limit=limit)


def look_up(tx: Tx, asked: str, reach: Reach, *, limit: int, wide: bool = False) -> list[Found]:
    """Run a query in the full-text language within a reach; a wide one is looked at after the ranking."""
    if not asked:
        return []
    match = f"{{content keys}} : ({asked})"
    sql = WIDE if wide else NARROW if reach.among is None else AMONG
    try:
        return tx.all(
            Found,
            sql,
            match=match if wide else f"{reach.match} AND {match}",
            limit=limit,
            among=sorted(reach.among or ()),
            project_id=reach.project_id,
            kind=reach.kind,
        )
    except (apsw.CorruptError, apsw.SQLError) as error:
        raise WordsBroken("The index of words is damaged and is being rebuilt.") from error


RANKED = f"chunk_words MATCH :match AND w.rank MATCH 'bm25({COLUMN_WEIGHTS})'"
NARROW = f"""SELECT w.rowid AS chunk, -w.rank AS score FROM chunk_words AS w
    WHERE {RANKED} ORDER BY w.rank LIMIT :limit"""
AMONG = f"""SELECT w.rowid AS chunk, -w.rank AS score
    FROM chunk_words AS w CROSS JOIN chunks AS c ON c.id = w.rowid
    WHERE {RANKED} AND c.workspace_id = :workspace AND c.source IN {listed("among")}
    ORDER BY w.rank LIMIT :limit"""
# The ranking counts in how many chunks each part of a query stands: for a place that holds most of
# them, that takes longer than all the rest. So the place is looked up for the best, in their rows.
WIDE = f"""SELECT w.rowid AS chunk, -w.rank AS score FROM chunk_words AS w
    CROSS JOIN chunks AS c ON c.id = w.rowid CROSS JOIN sources AS s ON s.id = c.source
    WHERE {RANKED} AND s.workspace_id = :workspace AND (s.owner_id IS NULL OR s.owner_id = :me)
      AND (:project_id IS NULL OR s.project_id = :project_id) AND (:kind IS NULL OR s.kind = :kind)
    ORDER BY w.rank LIMIT :limit"""


class CommonWords:
    """Knows which words stand in so many chunks that looking for them tells nothing."""

    def __init__(self) -> None:
        self._spread: dict[str, tuple[float, int]] = {}
        self._total = (0.0, 0)

    def telling(self, tx: Tx, words: Sequence[str]) -> list[str]:
        """Return the words worth looking for: all in a small collection, else the rarer ones."""
        total = self._chunks(tx)
        if total < SMALL:
            return list(words)[:MOST_WORDS]
        rated = sorted((self._count(tx, word), place, word) for place, word in enumerate(words))
        rare = [word for count, _, word in rated if 0 < count <= total * COMMON]
        return (rare or [word for count, _, word in rated[:2] if count])[:MOST_WORDS]

    def affordable(self, tx: Tx, question: Question, *, most: int) -> list[str]:
        """Return what to look for, as phrases: identifiers and words, the rarest first, within bounds."""
        words = self.telling(tx, question.words)
        if self._chunks(tx) < SMALL:
            return [phrase(one) for one in (*question.names, *words)]
        left = most
        chosen: list[str] = []
        rated = sorted((self._rarest(tx, name), name) for name in question.names)
        for count, one in [*rated, *((self._count(tx, word), word) for word in words)]:
            if count and count <= left:
                chosen.append(phrase(one))
                left -= count
        # Where every word is common, those chunks are meant that have them all.
        return chosen or [f"({' AND '.join(phrase(word) for word in words[:ALL_OF])})"] * bool(words)

    def is_wide(self, tx: Tx, reach: Reach) -> bool:
        """Tell whether a reach holds so much of a large collection that it tells little apart."""
        if reach.among is not None or reach.conversation_id or self._chunks(tx) < SMALL:
            return False
        place = place_word("p", reach.project_id) if reach.project_id else place_word("w", reach.workspace_id)
        return self._count(tx, place, columns=PLACE) > self._total[1] * COMMON

    def _rarest(self, tx: Tx, name: str) -> int:
        """Return in how many chunks the rarest part of an identifier stands: it stands in no more itself."""
        return min((self._count(tx, part.lower()) for part in WORD.findall(name)), default=0)

    def _chunks(self, tx: Tx) -> int:
        at, total = self._total
        if monotonic() - at > REMEMBER_SECONDS / 10 or not total:
            total = int(tx.value("SELECT coalesce(max(id), 0) FROM chunk_words_docsize"))
            self._total = (monotonic(), total)
        return total

    def _count(self, tx: Tx, word: str, *, columns: str = "content keys") -> int:
        """Return in how many chunks a word stands, roughly: counted anew only now and then."""
        key = f"{columns} {word}"
        kept = self._spread.get(key)
        if kept and monotonic() - kept[0] < REMEMBER_SECONDS:
            return kept[1]
        if len(self._spread) >= MOST_REMEMBERED:
            self._spread.clear()
        sql = "SELECT count(*) FROM (SELECT 1 FROM chunk_words WHERE chunk_words MATCH :match LIMIT :most)"
        most = int(self._total[1] * COMMON) + 1
        if columns != PLACE:
            most = min(most, MOST_COUNTED + 1)
        try:
            found = int(tx.value(sql, match=f"{{{columns}}} : {phrase(word)}", most=most))
        except (apsw.CorruptError, apsw.SQLError) as error:
            raise WordsBroken("The index of words is damaged and is being rebuilt.") from error
        if found:  # a word that nobody has used yet may be used at any moment, and is then to be found
            self._spread[key] = (monotonic(), found)
        return found
