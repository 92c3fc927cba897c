"""The labelled queries: what is asked, and which passages answer it.

A passage is named by its file or conversation and a needle, a short distinctive part of it, so that labels
outlive edits elsewhere in the file. Grade 3 answers, 2 answers in part or second-hand, 1 merely helps.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "queries.jsonl"
KINDS = ("identifier", "paraphrase", "temporal", "multihop", "speaker")


class Half(StrEnum):
    """Weights are tuned on one half of the queries and reported on the other."""

    TUNE = "tune"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Gold:
    """A passage that answers: in a file, or in a conversation (perhaps by one speaker alone)."""

    needle: str
    grade: int
    path: str | None = None
    conversation: str | None = None
    speaker: str | None = None

    def is_in(self, hit: Mapping[str, Any]) -> bool:
        """Tell whether a search hit holds the passage."""
        return self._is_place(hit["location"]) and plain(self.needle) in plain(hit["content"])

    def _is_place(self, location: Mapping[str, Any]) -> bool:
        if self.path is not None:
            return location.get("path") == self.path
        spoken_by = str(location.get("speaker", "")).removeprefix("agent:")
        return location.get("title") == self.conversation and self.speaker in {None, spoken_by}


@dataclass(frozen=True, slots=True)
class Query:
    """A question with the passages that answer it."""

    id: str
    kind: str
    query: str
    gold: tuple[Gold, ...]

    @property
    def half(self) -> Half:
        """Return the half this query belongs to, whatever becomes of the others."""
        return Half.TUNE if hashlib.sha256(f"evals {self.id}".encode()).digest()[0] % 2 else Half.REPORT


def queries() -> tuple[Query, ...]:
    """Return every query, in the order of the file."""
    return tuple(query_of(json.loads(line)) for line in FILE.read_text("utf-8").splitlines())


def query_of(line: Mapping[str, Any]) -> Query:
    """Read one line of the file."""
    gold = tuple(Gold(**one) for one in line["gold"])
    return Query(line["id"], line["kind"], line["query"], gold)


def a_third(of: tuple[Query, ...]) -> tuple[Query, ...]:
    """Return every third query, for a quick look; all kinds stay in it."""
    return of[::3]


def files_named(by: Iterable[Query]) -> set[str]:
    """Return the files whose passages answer some of these."""
    return {gold.path for one in by for gold in one.gold if gold.path}


def plain(text: str) -> str:
    """Return text with each run of white space as one space: chunks may be wrapped in other ways."""
    return " ".join(text.split())
