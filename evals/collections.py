"""What is searched, a project each: the main collection of real files, and small ones written for a kind.

A small collection is a folder with `files.txt`, in which `=== path` begins a file, and `talk.md`, in which
`# title` begins a conversation; it may lack either.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evals.conversations import Conversation, conversations, read
from evals.corpus import CorpusFile, corpus_files

FOLDER = Path(__file__).parent / "collections"
MAIN_COLLECTION = "tertulia"
SMALL_COLLECTIONS = ("code", "talk", "house")
FILE_START = re.compile(r"^=== (.+)\n", re.MULTILINE)
CONVERSATION_START = re.compile(r"^(?=# )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Collection:
    """Files and conversations that are searched together."""

    name: str
    files: Sequence[CorpusFile]
    conversations: Sequence[Conversation]

    @property
    def messages(self) -> int:
        """Return how many messages the conversations have."""
        return sum(len(conversation.messages()) for conversation in self.conversations)


def collections(main_files: Sequence[CorpusFile]) -> tuple[Collection, ...]:
    """Return all collections, the main one with these files."""
    main = Collection(MAIN_COLLECTION, main_files, conversations())
    return (main, *map(small_collection, SMALL_COLLECTIONS))


def all_collections() -> tuple[Collection, ...]:
    """Return all collections with all their files."""
    return collections(corpus_files())


@cache
def small_collection(name: str) -> Collection:
    """Read a small collection from its folder."""
    files, talk = (read_if_there(FOLDER / name / file) for file in ("files.txt", "talk.md"))
    _, *parts = FILE_START.split(files)
    return Collection(
        name,
        tuple(CorpusFile(path, text) for path, text in zip(parts[::2], parts[1::2], strict=True)),
        tuple(read(part) for part in CONVERSATION_START.split(talk) if part.strip()),
    )


def read_if_there(file: Path) -> str:
    """Return the text of a file; of one that is not there it is empty."""
    return file.read_text("utf-8") if file.exists() else ""
