"""BM25 over pieces of fifty lines, in plain Python: shows that the set is neither trivial nor impossible."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from evals.conversations import Conversation
from evals.corpus import CorpusFile
from evals.metrics import Hit

LINES = 50
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: The usual constants: how soon repeating a word adds little, and how much length counts.
SATURATION, LENGTH = 1.2, 0.75


@dataclass(slots=True)
class Bm25:
    """An index of hits by their words."""

    hits: list[Hit] = field(default_factory=list[Hit])
    lengths: list[int] = field(default_factory=list[int])
    places: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, hits: Iterable[Hit]) -> None:
        """Take in hits that can be found."""
        for hit in hits:
            counts = Counter(words(hit["content"]))
            for word, count in counts.items():
                self.places[word].append((len(self.hits), count))
            self.hits.append(hit)
            self.lengths.append(counts.total())

    def search(self, query: str, limit: int = 10) -> Sequence[Hit]:
        """Return the hits that share the most telling words with a query."""
        usual = sum(self.lengths) / len(self.lengths)
        sums: dict[int, float] = defaultdict(float)
        for word in set(words(query)):
            found = self.places.get(word, [])
            rarity = math.log(1 + (len(self.hits) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                held = SATURATION * (1 - LENGTH + LENGTH * self.lengths[number] / usual)
                sums[number] += rarity * count * (SATURATION + 1) / (count + held)
        return [self.hits[number] for number in sorted(sums, key=lambda one: (-sums[one], one))[:limit]]


def words(text: str) -> Iterator[str]:
    """Yield words in small letters; names of programs whole and in their parts."""
    for name in re.findall(r"\w+", text):
        parts = [part for piece in name.split("_") for part in HUMP.split(piece) if part]
        yield name.lower()
        if len(parts) > 1:
            yield from (part.lower() for part in parts)


def file_hits(one: CorpusFile) -> Iterator[Hit]:
    """Yield the pieces of a file as hits."""
    lines = one.content.splitlines()
    for start in range(0, len(lines), LINES):
        yield {"content": "\n".join(lines[start : start + LINES]), "location": {"path": one.path}}


def message_hits(one: Conversation) -> Iterator[Hit]:
    """Yield the messages of a conversation as hits."""
    for said in one.messages():
        yield {"content": said.text, "location": {"title": one.title, "speaker": said.speaker}}
