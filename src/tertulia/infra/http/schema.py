"""The base of everything that crosses the wire."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, StringConstraints

from tertulia.core.clock import to_iso
from tertulia.core.ids import canonical_id
from tertulia.core.json_object import JsonObject


def no_lone_surrogates(text: str) -> str:
    """Refuse text that cannot be written as UTF-8 or holds a NUL, which databases refuse too."""
    if "\x00" in text:
        message = "must not contain NUL characters"
        raise ValueError(message)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = "must be valid Unicode"
        raise ValueError(message) from error
    return text


def check_one_line(text: str) -> str:
    """Refuse a name of several lines: in a list, or in a prompt, the others would pass for something else."""
    if len(text.splitlines()) > 1:
        message = "must stand on one line"
        raise ValueError(message)
    return text


ValidUnicode = AfterValidator(no_lone_surrogates)
SingleLine = AfterValidator(check_one_line)
#: Text of any length up to a message's.
LongText = Annotated[str, StringConstraints(max_length=1_000_000), ValidUnicode]
#: A name or title: one line that says something.
ShortText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), ValidUnicode, SingleLine
]
#: The id of something, in either case.
AnyCaseId = Annotated[ShortText, AfterValidator(canonical_id)]
Timestamp = Annotated[datetime, PlainSerializer(to_iso, return_type=str)]


class Schema(BaseModel):
    """A request or response: unknown fields are refused, so that a typo is not silently lost."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class CursorPage(Schema):
    """Where a list goes on: send `next` back as `after`; None at the end."""

    next: str | None = None


def omit_unset(schema: BaseModel) -> JsonObject:
    """Return only the fields that the caller sent, and of a group of them the same: those to change."""
    sent = {name: getattr(schema, name) for name in schema.model_fields_set}
    return {
        name: omit_unset(value) if isinstance(value, BaseModel) else value for name, value in sent.items()
    }


def shared_fields(source: object, schema: type[BaseModel], *, except_name: str = "") -> JsonObject:
    """Return what a domain value and a schema both have, to build the schema from."""
    names = (name for name in schema.model_fields if name != except_name)
    return {name: getattr(source, name) for name in names if hasattr(source, name)}
