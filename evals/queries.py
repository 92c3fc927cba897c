"""The labelled queries: what is asked, and which passages answer it.

A passage is named by its file or conversation and a needle, a short distinctive part of it, so that labels
outlive edits elsewhere in the file. Grade 3 answers, 2 answers in part or second-hand, 1 merely helps.

`queries.jsonl` asks the main collection; each small one has a `queries.txt` of its own: a line with a kind,
then a line for each query, `query | place | needle | place | needle :grade`. The place `*` is anywhere,
for a text that several files have. Of a reversal the first passage answers and the second is outdated.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from evals.collections import FOLDER, MAIN_COLLECTION, SMALL_COLLECTIONS

FILE = Path(__file__).parent / "queries.jsonl"
REVERSAL, NONSENSE = "reversal", "nonsense"
KINDS = (
    *("identifier", "paraphrase", "temporal", "multihop", "speaker"),
    *("prose-to-code", "multihop-talk", REVERSAL, "files-talk", "near-duplicate", NONSENSE),
)
#: A small collection names files by a path, and conversations by a title, which has no ending.
FILE_PLACE = re.compile(r".+\.[a-z]+")
ANYWHERE = "*"


class Half(StrEnum):
    """Weights are tuned on one half of the queries and reported on the other."""

    TUNE = "tune"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Gold:
    """A passage that answers: in a file, in a conversation (perhaps by one speaker alone), or anywhere."""

    needle: str
    grade: int
    path: str | None = None
    conversation: str | None = None
    speaker: str | None = None

    def is_in(self, hit: Mapping[str, Any]) -> bool:
        """Tell whether a search hit holds the passage."""
        return self._is_place(hit["location"]) and plain(self.needle) in plain(hit["content"])

    @property
    def is_anywhere(self) -> bool:
        """Tell whether any place counts: several files have the same text."""
        return self.path is None and self.conversation is None

    def _is_place(self, location: Mapping[str, Any]) -> bool:
        if self.is_anywhere:
            return True
        if self.path is not None:
            return location.get("path") == self.path
        spoken_by = str(location.get("speaker", "")).removeprefix("agent:")
        return location.get("title") == self.conversation and self.speaker in {None, spoken_by}


@dataclass(frozen=True, slots=True)
class Query:
    """A question with the passages that answer it; nothing answers nonsense."""

    id: str
    kind: str
    query: str
    gold: tuple[Gold, ...]
    collection: str = MAIN_COLLECTION

    @property
    def half(self) -> Half:
        """Return the half this query belongs to, whatever becomes of the others."""
        return Half.TUNE if hashlib.sha256(f"evals {self.id}".encode()).digest()[0] % 2 else Half.REPORT


def queries() -> tuple[Query, ...]:
    """Return every query, in the order of the files."""
    main = (query_of(json.loads(line)) for line in FILE.read_text("utf-8").splitlines())
    return (*main, *(query for name in SMALL_COLLECTIONS for query in small_queries(name)))


def query_of(line: Mapping[str, Any]) -> Query:
    """Read one line of the main file."""
    gold = tuple(Gold(**one) for one in line["gold"])
    return Query(line["id"], line["kind"], line["query"], gold)


def small_queries(collection: str) -> Iterator[Query]:
    """Yield the queries of a small collection; their words are their id."""
    kind = ""
    for line in (FOLDER / collection / "queries.txt").read_text("utf-8").splitlines():
        if line in KINDS:
            kind = line
            continue
        query, *labels = (part.strip() for part in line.split(" | "))
        gold = tuple(
            gold_of(place, needle, grade=1 if kind == REVERSAL and number else 3)
            for number, (place, needle) in enumerate(zip(labels[::2], labels[1::2], strict=True))
        )
        yield Query(f"{kind}: {query}", kind, query, gold, collection)


def gold_of(place: str, label: str, *, grade: int) -> Gold:
    """Read a passage: its place, and a needle that may be followed by another grade."""
    needle, _, own = label.partition(" :")
    grade = int(own) if own else grade
    if place == ANYWHERE:
        return Gold(needle, grade)
    return (
        Gold(needle, grade, path=place)
        if FILE_PLACE.fullmatch(place)
        else Gold(needle, grade, conversation=place)
    )


def a_third(of: tuple[Query, ...]) -> tuple[Query, ...]:
    """Return every third query, for a quick look; all kinds stay in it."""
    return of[::3]


def files_named(by: Iterable[Query]) -> set[str]:
    """Return the files of the main collection whose passages answer some of these."""
    return {gold.path for one in by if one.collection == MAIN_COLLECTION for gold in one.gold if gold.path}


def plain(text: str) -> str:
    """Return text with each run of white space as one space: chunks may be wrapped in other ways."""
    return " ".join(text.split())
