"""A tool call's arguments: JSON text from the model, an object on some wires."""

from typing import cast

import msgspec

from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonUnreadable, read_json


def arguments_object(arguments: str) -> JsonObject:
    """Return arguments as an object; text that is none is kept inside one, for providers refuse it bare."""
    if not arguments.strip():
        return {}
    try:
        found = read_json(arguments)
    except JsonUnreadable:
        found = None
    return cast("JsonObject", found) if isinstance(found, dict) else {"unreadable": arguments}


def arguments_text(arguments: str) -> str:
    """Return arguments as the text of a JSON object, unchanged where they are one."""
    found = arguments_object(arguments)
    if not found or found == {"unreadable": arguments}:
        return msgspec.json.encode(found).decode()
    return arguments
