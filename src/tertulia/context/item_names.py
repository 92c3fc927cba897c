"""Names and titles of items that follow from where the items stand: they are stored as marks."""

from dataclasses import replace

from tertulia.context.item_titles import OPENING_MARK
from tertulia.context.plan_items import passage_title, past_round_title
from tertulia.context.prompt_plan import Item, Pointer

#: Stands for a title that follows from the item's pointer. People do not type it.
TITLE_MARK = "\x1b"


def shorten_names(item: Item) -> Item:
    """Return an item with marks in the place of what its pointer tells."""
    prefix, _, _ = item.id.partition(":")
    marked_id = f"{prefix}:"
    return replace(
        item,
        id=marked_id if marked_id + _derive_id(marked_id, item.pointer) == item.id != marked_id else item.id,
        title=TITLE_MARK if _derive_title(item.pointer) == item.title else _escape_mark(item.title),
    )


def restore_names(item: Item) -> Item:
    """Return an item with its whole name and title."""
    return replace(
        item,
        id=item.id + _derive_id(item.id, item.pointer),
        title=_derive_title(item.pointer)
        if item.title == TITLE_MARK
        else item.title.removeprefix(TITLE_MARK),
    )


def _escape_mark(title: str) -> str:
    """Return a title that cannot be taken for the mark, should a text begin with that."""
    return TITLE_MARK + title if title.startswith(TITLE_MARK) else title


def _derive_id(prefix: str, pointer: Pointer) -> str:
    """Return what follows after the first part of a name."""
    first = next(iter(pointer.message_ids), "")
    match prefix:
        case "passage:":
            return f"{pointer.file_id or first}:{pointer.start_char}-{pointer.end_char}"
        case "round:":
            return pointer.round_id
        case "message:":
            return first
        case _:
            return ""


def _derive_title(pointer: Pointer) -> str:
    """Return the title of a passage of a file or of another conversation, or of an earlier round."""
    if pointer.file_id:
        return passage_title(pointer.path, pointer.start_line, pointer.end_line)
    if pointer.conversation_id:
        return past_round_title("", pointer.round_number)
    return f"Round {pointer.round_number}: {OPENING_MARK}"
