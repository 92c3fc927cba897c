"""What people say about a file, the same on the wire and in exported documents."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from tertulia.infra.http.schema import Schema, ShortText, ValidUnicode

PathText = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


def unique_tags(tags: list[str]) -> list[str]:
    """Return tags once each, in order."""
    return sorted(set(tags))


TagList = Annotated[list[ShortText], Field(max_length=50), AfterValidator(unique_tags)]
SummaryText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000), ValidUnicode]


class FileMetadata(Schema):
    """What people say about a file; fields that are left out stay as they are."""

    tags: TagList = Field(default_factory=list[str])
    always_in_context: bool = False
    retrieval_eligible: bool = True
    tool_accessible: bool = True
    local_only: bool = False
    #: Empty to have it made from the text again.
    summary: SummaryText = ""
