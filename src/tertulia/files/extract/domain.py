"""What comes of an extraction."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page, slide or sheet begins in the text; the first line is 1."""

    label: str
    start_line: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text of a file, or one sentence on why there is none or only a part."""

    text: Path | None
    pages: list[PageStart]
    title: str
    problem: str
