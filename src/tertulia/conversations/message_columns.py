"""The columns of messages for those who need only the beginning of what was said, which may be long."""

from dataclasses import fields

from tertulia.conversations.domain import Message

LONG_MESSAGE_COLUMNS = ("content", "thinking")


def message_columns(*, max_chars: int) -> str:
    """Return SQL for all columns of a message, with so many characters of each long one."""
    return ", ".join(
        f"substr({field.name}, 1, {max_chars:d}) AS {field.name}"
        if field.name in LONG_MESSAGE_COLUMNS
        else field.name
        for field in fields(Message)
    )
