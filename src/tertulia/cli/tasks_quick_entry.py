"""One line of words as a task: `#tag`, `!high` and days are taken out, and what is left is its title."""

import re
from typing import TYPE_CHECKING

from tertulia.cli.date_reading import ReadDate, read_date
from tertulia.core.json_object import JsonObject
from tertulia.tasks.domain import TaskPriority

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

#: `#42` names something elsewhere: a tag has a letter.
TAG_PATTERN = re.compile(r"(?<!\S)#([\w/-]*[^\W\d_][\w/-]*)(?!\S)")
PRIORITY_PATTERN = re.compile(rf"(?<!\S)!({'|'.join(TaskPriority)})(?!\S)", re.IGNORECASE)


def split_marks(text: str) -> tuple[str, JsonObject]:
    """Return a line without its marks, and the fields that these say."""
    fields: JsonObject = {}
    if tags := TAG_PATTERN.findall(text):
        fields["tags"] = list(dict.fromkeys(tags))
    if priorities := PRIORITY_PATTERN.findall(text):
        fields["priority"] = priorities[-1].lower()
    rest = PRIORITY_PATTERN.sub("", TAG_PATTERN.sub("", text))
    return " ".join(rest.split()), fields


def read_entry(server: "ApiClient", text: str, *, with_dates: bool) -> tuple[JsonObject, ReadDate | None]:
    """Return the fields of a task that a line says, and the day or time in it."""
    rest, fields = split_marks(text)
    found = read_date(server, rest) if with_dates and rest else None
    if found is None or not found.rest.strip():
        return fields | {"title": rest}, None
    return fields | {"title": found.rest.strip()} | date_fields(found), found


def date_fields(found: ReadDate) -> JsonObject:
    """Return the fields of a task that a day or time says: from one day to another, or when it is due."""
    fields: JsonObject = {"due_date": found.last_day}
    if found.last_day != found.first_day:
        fields["start_date"] = found.first_day
    if found.minutes:
        fields["duration_minutes"] = found.minutes
    if found.rrule:
        fields["rrule"] = found.rrule
    return fields
