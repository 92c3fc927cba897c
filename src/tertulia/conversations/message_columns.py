"""The columns of messages for those who need little of what was said, or nothing: it may be long."""

from dataclasses import fields

from tertulia.conversations.domain import Message

LONG_MESSAGE_COLUMNS = ("content", "thinking")


def message_columns(*, max_chars: int) -> str:
    """Return SQL for all columns of a message, with so many characters of each long one."""
    return ", ".join(
        f"{beginning_of(field.name, max_chars)} AS {field.name}"
        if field.name in LONG_MESSAGE_COLUMNS
        else field.name
        for field in fields(Message)
    )


def beginning_of(column: str, max_chars: int) -> str:
    """Return SQL for the beginning of a text; for none of it, the text is not even looked up."""
    return f"substr({column}, 1, {max_chars:d})" if max_chars else "''"


#: A message with empty texts, for those who only ask where it stands.
MESSAGE_COLUMNS_WITHOUT_TEXTS = message_columns(max_chars=0)
#: A reply with the passages that its model was shown, be they its own or those of its round.
REPLY_COLUMNS = """*, CASE has_round_passages WHEN 1
    THEN (SELECT o.passages FROM rounds AS o WHERE o.id = replies.round_id) ELSE passages END AS passages"""
