"""Messages between the server and the process that reads a file."""

import msgspec

from tertulia.files.extract.file_kinds import Media
from tertulia.files.extract.limits import ExtractionLimits


class ExtractionRequest(msgspec.Struct, frozen=True):
    """Which file to read, where to write its text, and how much that may take."""

    source: str
    into: str
    media: Media
    limits: ExtractionLimits


class ExtractedPage(msgspec.Struct, frozen=True, tag=True):
    """The text of a page is on disk from this line on."""

    label: str
    start_line: int


class ExtractionVerdict(msgspec.Struct, frozen=True, tag=True):
    """The file's title, and what went wrong, if anything did."""

    title: str
    problem: str


ExtractionAnswer = ExtractedPage | ExtractionVerdict
