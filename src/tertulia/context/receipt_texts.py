"""The texts of receipts: what is kept of each, apart from the plans that name it, and once a conversation."""

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tertulia.context.prompt_plan import Item, Pointer
from tertulia.infra.db import Packed, PackedText, Tx, bound_list

FILE_LIST_ITEM_ID = "system:files"
#: Rows of lists: which file, tool, task or event it is, and then what it is about, in its own words.
LIST_ROWS = {
    FILE_LIST_ITEM_ID: re.compile(r"^(- .+? \([\d.]+ \w+\)): .+", re.MULTILINE),
    "system:tools": re.compile(r"^(- \S+): .+", re.MULTILINE),
    # What a task says, and what stands in somebody's calendar, is theirs alone, and goes with it.
    "system:anchor": re.compile(r"^(- \w+(?: \w+)?): .+", re.MULTILINE),
}
#: Enough that no two texts of a conversation ever have the same.
TEXT_HASH_BYTES = 16
#: Texts up to this length are kept within their items.
INLINE_TEXT_MAX_CHARS = 100
#: How a passage begins that is kept without its number. No passage is shown so.
NUMBERLESS_OPENING = "<passage number=\x1a "


@dataclass(frozen=True, slots=True)
class ReceiptText:
    """A text that was shown."""

    hash: str
    body: PackedText


def save_texts(tx: Tx, conversation_id: str, items: Iterable[Item]) -> None:
    """Keep the texts of what a model is shown that stand nowhere else."""
    tx.run_many(
        """INSERT INTO receipt_texts (conversation_id, hash, workspace_id, file_id, body)
           VALUES (:conversation, :hash, :workspace, :file_id, :body)
           ON CONFLICT (conversation_id, hash) DO NOTHING""",
        [
            {
                "conversation": conversation_id,
                "hash": hash_text(item),
                "file_id": item.pointer.file_id or None,
                "body": Packed(stored_body(item)),
            }
            for item in items
            if is_text_stored(item)
        ],
    )


def read_texts(tx: Tx, conversation_id: str, hashes: Iterable[str]) -> dict[str, str]:
    """Return texts by their names."""
    sql = f"""SELECT hash, body FROM receipt_texts WHERE conversation_id = :conversation
        AND workspace_id = :workspace AND hash IN {bound_list("hashes")}"""
    found = tx.all(ReceiptText, sql, conversation=conversation_id, hashes=list(filter(None, hashes)))
    return {receipt_text.hash: receipt_text.body for receipt_text in found}


def is_text_stored(item: Item) -> bool:
    """Tell whether an item's text is kept apart: a message's own is there anyway, and so is a summary's."""
    pointer = item.pointer
    is_elsewhere = pointer.message_ids or pointer.summary_id or pointer.memory_id
    return bool(item.text) and not (is_elsewhere or is_text_short(item))


def is_text_short(item: Item) -> bool:
    """Tell whether a text is kept within its item: a name for it would be no shorter.

    Nothing of a file is, for that goes with the file; nor a list, which may name files; nor a tool's words.
    """
    pointer = item.pointer
    is_elsewhere = pointer != Pointer() or item.id in LIST_ROWS
    return not is_elsewhere and 0 < len(item.text) <= INLINE_TEXT_MAX_CHARS


def stored_body(item: Item) -> str:
    """Return what is kept of an item's text: of lists, nothing that files say, for each may be deleted.

    A passage is kept without its number, so that it is the same whatever stands before it.
    """
    if rows := LIST_ROWS.get(item.id):
        return rows.sub(r"\1: …", item.text)
    return (
        item.text.replace(numbered_opening(item.pointer), NUMBERLESS_OPENING, 1)
        if is_numbered(item)
        else item.text
    )


def is_numbered(item: Item) -> bool:
    """Tell whether an item's text begins as a passage with its number does."""
    return bool(item.pointer.number) and item.text.startswith(numbered_opening(item.pointer))


def numbered_opening(pointer: Pointer) -> str:
    """Return how a passage begins that is shown under its number."""
    return f'<passage number="{pointer.number}" '


def show_number(body: str, pointer: Pointer) -> str:
    """Return a text that was kept, with its number where it is a passage."""
    if not body.startswith(NUMBERLESS_OPENING):
        return body
    return numbered_opening(pointer) + body.removeprefix(NUMBERLESS_OPENING)


def hash_text(item: Item) -> str:
    """Return the name of a text; the same words of two files are two texts, for one may be deleted."""
    words = stored_body(item) if is_numbered(item) else item.text
    digest = hashlib.sha256(f"{item.pointer.file_id}\n{words}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:TEXT_HASH_BYTES]).rstrip(b"=").decode()
