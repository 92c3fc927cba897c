"""Receipts as whoever opens one may see them: what a model read, and what of it is not theirs to see."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from tertulia.context import plan_items, prompts, system_prompt
from tertulia.context.prompt_plan import Item, Pointer, PromptPlan
from tertulia.context.receipt_texts import FILE_LIST_ITEM_ID, read_texts, show_number
from tertulia.context.step_texts import StepTexts
from tertulia.conversations import tool_runs
from tertulia.conversations.access import find_unchecked
from tertulia.conversations.round_lookup import find_spoken_texts
from tertulia.conversations.source_access import SourceAccess, find_source_access
from tertulia.files.access import list_visible_paths
from tertulia.files.attachments import ATTACHMENTS_FOLDER
from tertulia.infra.db import Tx
from tertulia.memory import summaries

#: What stands in the place of a text that is gone with its file or message.
RECEIPT_TEXT_DELETED = "(It was deleted since.)"
#: What stands in the place of a text that the reader may not see.
RECEIPT_TEXT_HIDDEN = "(It comes from something that you cannot open.)"
#: What stands in the place of a row of the list of files that the reader may not see.
HIDDEN_ROW = "- (a private or deleted file)"
#: A row of the list that names a file which is, or was, attached to a conversation.
ATTACHED_ROW = re.compile(rf"^- {ATTACHMENTS_FOLDER}.*$", re.MULTILINE)
ROW_SIZE = re.compile(r" \([\d.]+ \w+\)(: …)?$")


def access_to(tx: Tx, plan: PromptPlan) -> SourceAccess:
    """Return which of the files and conversations that a plan points at the caller may see."""
    pointers = [item.pointer for item in plan.all_items]
    return find_source_access(
        tx,
        conversation_ids={pointer.conversation_id for pointer in pointers},
        file_ids={pointer.file_id for pointer in pointers},
    )


def may_see(pointer: Pointer, access: SourceAccess) -> bool:
    """Tell whether the caller may see what a pointer leads to."""
    return access.can_see(conversation_id=pointer.conversation_id, file_id=pointer.file_id, path=pointer.path)


def with_conversation_title(item: Item, titles: Mapping[str, str]) -> Item:
    """Return an item under the title of its conversation, if that is known; a file has a name of its own."""
    other = item.pointer.conversation_id
    if not other or item.pointer.file_id:
        return item
    return replace(item, title=plan_items.past_round_title(titles.get(other, ""), item.pointer.round_number))


class Redaction:
    """Shows the items of one receipt as the caller may see them."""

    def __init__(self, access: SourceAccess) -> None:
        self._access = access
        self._numbers = count(1)

    def show(self, item: Item) -> Item:
        """Return an item under the title of its conversation, or without all that names its source."""
        if not may_see(item.pointer, self._access):
            return plan_items.hidden(item, next(self._numbers))
        return with_conversation_title(item, self._access.titles)


class ReceiptReader:
    """Looks up what a model read, in this conversation and in what else the caller may open."""

    def __init__(
        self, tx: Tx, plan: PromptPlan, access: SourceAccess, *, reply_id: str, conversation_id: str
    ) -> None:
        items = plan.shown_items
        self._kept = read_texts(tx, conversation_id, [item.text_hash for item in items])
        self._said = find_spoken_texts(tx, [id_ for item in items for id_ in item.pointer.message_ids])
        self._shown = {item.id for item in items}
        self._steps = StepTexts(tx, reply_id) if plan.steps else None
        self._access = access
        self._tx = tx
        self._conversation_id = conversation_id
        names = {item.pointer.summary_id for item in items if item.pointer.summary_id}
        self._summaries = {
            summary.id: summary.points for summary in summaries.list_summaries_by_ids(tx, sorted(names))
        }

    def with_text(self, item: Item) -> Item:
        """Return an item with its text; what was left out has none."""
        if item.id not in self._shown:
            return item
        return item if item.text else replace(item, text=self._text(item))

    def _text(self, item: Item) -> str:
        pointer = item.pointer
        if self._steps and self._steps.is_hidden(pointer):
            return tool_runs.HIDDEN_RESULT
        if item.id == FILE_LIST_ITEM_ID:
            return list_for(
                self._tx, self._conversation_id, self._kept.get(item.text_hash, RECEIPT_TEXT_DELETED)
            )
        if item.text_hash:
            kept = self._kept.get(item.text_hash, RECEIPT_TEXT_DELETED)
            return self._if_open(pointer, show_number(kept, pointer))
        if pointer.call_id or pointer.step:
            return self._steps.of(pointer) if self._steps else RECEIPT_TEXT_DELETED
        if pointer.summary_id:
            points = self._summaries.get(pointer.summary_id, [])
            return "\n".join(prompts.point_line(points[number]) for number in pointer.points if points)
        return self._words(pointer)

    def _words(self, pointer: Pointer) -> str:
        if pointer.end_char:
            return self._passage(pointer)
        found = [self._said[id_] for id_ in pointer.message_ids if id_ in self._said]
        if len(pointer.message_ids) == 1:
            return found[0].content if found else RECEIPT_TEXT_DELETED
        return "\n\n".join(
            f"{message.speaker.removeprefix('agent:')}: {message.content}" for message in found
        )

    def _passage(self, pointer: Pointer) -> str:
        said = self._said.get(pointer.message_ids[0])
        if said is None:
            return RECEIPT_TEXT_DELETED
        return self._if_open(pointer, said.content[pointer.start_char : pointer.end_char])

    def _if_open(self, pointer: Pointer, text: str) -> str:
        return text if may_see(pointer, self._access) else RECEIPT_TEXT_HIDDEN


def list_for(tx: Tx, conversation_id: str, text: str) -> str:
    """Return a list of files without those rows that name an attachment which the caller may not see."""
    if not ATTACHED_ROW.search(text):
        return text
    conversation = find_unchecked(tx, conversation_id)
    paths = (
        list_visible_paths(tx, conversation.project_id) if conversation and conversation.project_id else []
    )
    seen = {f"- {system_prompt.path_in_list(path)}" for path in paths}
    return ATTACHED_ROW.sub(lambda row: row[0] if ROW_SIZE.sub("", row[0]) in seen else HIDDEN_ROW, text)
