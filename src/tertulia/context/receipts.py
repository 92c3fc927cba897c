"""Receipts: what each model was shown, kept with its reply and read back as it was.

Messages are write-once and are never copied: a receipt points at them. Other
texts (the system prompt, passages of files) are kept once a conversation, and
go with the file or the conversation that they came from. What the list of files
says that each is about is not kept, for it would outlive the file. Nor is the
title of another conversation: who may see that one is told title, place and text, and who may not
is told that there was something.
"""

import base64
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count

from tertulia.context import plan_items, prompts, system_prompt
from tertulia.context.item_names import restore_names, shorten_names
from tertulia.context.item_titles import read_openings, with_opening, without_opening
from tertulia.context.prompt_plan import Item, PlanStep, Pointer, PromptPlan, SectionKind, WhyNot
from tertulia.context.shared_items import (
    PlanOutline,
    fill_outline,
    map_outline,
    map_shared,
    outline_items,
)
from tertulia.context.step_texts import StepTexts, without_stored_text
from tertulia.context.stored_plans import PlanItems, join_plan, plan_figures
from tertulia.conversations import tool_runs
from tertulia.conversations.access import find_unchecked, get_reply
from tertulia.conversations.domain import Reply
from tertulia.conversations.round_lookup import find_spoken_texts
from tertulia.conversations.rounds import find_reply_ids, find_reply_round_id
from tertulia.conversations.source_access import SourceAccess, find_source_access
from tertulia.core.clock import now
from tertulia.core.compact_values import without_defaults
from tertulia.core.errors import Invalid, NotFound
from tertulia.files.access import list_visible_paths
from tertulia.files.attachments import ATTACHMENTS_FOLDER
from tertulia.infra.db import Packed, PackedText, Tx, bound_list
from tertulia.memory import summaries
from tertulia.retrieval.passage_usage import PassageUsage, save_usage

#: What stands in the place of a text that is gone with its file or message.
RECEIPT_TEXT_DELETED = "(It was deleted since.)"
#: What stands in the place of a text that the reader may not see.
RECEIPT_TEXT_HIDDEN = "(It comes from something that you cannot open.)"
FILE_LIST_ITEM_ID = "system:files"
#: What stands in the place of a row of the list of files that the reader may not see.
HIDDEN_ROW = "- (a private or deleted file)"
#: A row of the list that names a file which is, or was, attached to a conversation.
ATTACHED_ROW = re.compile(rf"^- {ATTACHMENTS_FOLDER}.*$", re.MULTILINE)
ROW_SIZE = re.compile(r" \([\d.]+ \w+\)(: …)?$")
#: Rows of the lists of files and tools: which one it is, and then what it is about, in its own words.
LIST_ROWS = {
    FILE_LIST_ITEM_ID: re.compile(r"^(- .+? \([\d.]+ \w+\)): .+", re.MULTILINE),
    "system:tools": re.compile(r"^(- \S+): .+", re.MULTILINE),
}


#: Why a passage is left out that was found and did not fit.
OVERFLOW_REASONS = (WhyNot.SHARE, WhyNot.NO_ROOM)
#: Enough that no two texts of a conversation ever have the same.
TEXT_HASH_BYTES = 16
#: Texts up to this length are kept within their items.
INLINE_TEXT_MAX_CHARS = 100
#: How a passage begins that is kept without its number. No passage is shown so.
NUMBERLESS_OPENING = "<passage number=\x1a "
#: What every prompt has: a reply cannot go without it.
REQUIRED_SECTIONS = (SectionKind.TOOLS, SectionKind.QUESTION)


class NotToBeLeftOut(Invalid):
    """A reply was wanted without something that it was not shown, or cannot go without."""

    code = "not_to_be_left_out"

    def __init__(self, item_id: str) -> None:
        super().__init__(
            f"“{item_id}” is nothing that the reply could go without: name items of its receipt, "
            "but neither its question nor its tools."
        )


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one model was shown for one reply, and when."""

    reply_id: str
    conversation_id: str
    plan: PromptPlan
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """A receipt as it is stored: its plan without its items, and an outline of those.

    Earlier ones have all their items beside the plan, and the earliest within it.
    """

    reply_id: str
    conversation_id: str
    plan: PromptPlan
    created_at: datetime
    items: PlanItems | None = None
    outline: PlanOutline | None = None


@dataclass(frozen=True, slots=True)
class SharedItemsRow:
    """The items of the first prompt of a round, to which the receipts of its lanes point."""

    items: PlanItems


@dataclass(frozen=True, slots=True)
class PlanLocality:
    """What a plan says of all that is in it, without what that is."""

    local_only: bool = False


@dataclass(frozen=True, slots=True)
class ReceiptLocality:
    """What a reply was written from."""

    plan: PlanLocality


@dataclass(frozen=True, slots=True)
class ReceiptText:
    """A text that was shown."""

    hash: str
    body: PackedText


def save(tx: Tx, reply: Reply, plan: PromptPlan) -> None:
    """Keep what a model is shown; a reply that is asked again with less keeps the last."""
    stored = strip_plan(tx, plan)
    items = PlanItems(stored.sections, stored.left_out)
    outline = outline_items(items, share_items(tx, reply, items))
    tx.run(
        """INSERT INTO receipts (reply_id, workspace_id, conversation_id, plan, outline, created_at)
           VALUES (:id, :workspace, :conversation, :plan, :outline, :now)
           ON CONFLICT (reply_id) DO UPDATE SET plan = :plan, items = NULL, outline = :outline""",
        id=reply.id,
        conversation=reply.conversation_id,
        plan=plan_figures(stored),
        outline=Packed(without_defaults(map_outline(outline, shorten_names))),
        now=now(),
    )
    tx.run_many(
        """INSERT INTO receipt_texts (conversation_id, hash, workspace_id, file_id, body)
           VALUES (:conversation, :hash, :workspace, :file_id, :body)
           ON CONFLICT (conversation_id, hash) DO NOTHING""",
        [
            {
                "conversation": reply.conversation_id,
                "hash": hash_text(item),
                "file_id": item.pointer.file_id or None,
                "body": Packed(stored_body(item)),
            }
            for item in shown_items(plan)
            if is_text_stored(item)
        ],
    )
    if plan.passage_budget and not plan.steps:
        save_usage(tx, reply.id, passage_usage_of(plan))


def share_items(tx: Tx, reply: Reply, items: PlanItems) -> PlanItems | None:
    """Return the items that prompts of a reply's round share: the first one's; none for the only reply."""
    if (shared := find_shared_items(tx, reply.round_id)) or len(find_reply_ids(tx, reply.round_id)) == 1:
        return shared
    tx.run(
        """INSERT INTO shared_items (round_id, workspace_id, items) VALUES (:round, :workspace, :items)
           ON CONFLICT (round_id) DO NOTHING""",
        round=reply.round_id,
        items=Packed(without_defaults(map_shared(items, shorten_names))),
    )
    return find_shared_items(tx, reply.round_id)


def find_shared_items(tx: Tx, round_id: str) -> PlanItems | None:
    """Return the items that the receipts of a round point to; they are never changed."""
    sql = "SELECT items FROM shared_items WHERE round_id = :id AND workspace_id = :workspace"
    row = tx.one(SharedItemsRow, sql, id=round_id)
    return row and map_shared(row.items, restore_names)


def add_step(tx: Tx, reply: Reply, step: PlanStep) -> None:
    """Keep what one more step of a reply added to what its model was shown."""
    if receipt := find(tx, reply.id):
        runs = {run.id: run for run in tool_runs.list_of_reply(tx, reply.id)}
        pointed = replace(step, items=tuple(without_stored_text(item, runs) for item in step.items))
        save(tx, reply, replace(receipt.plan, steps=(*receipt.plan.steps, pointed)))


def with_earlier_steps(tx: Tx, reply_id: str, plan: PromptPlan) -> PromptPlan:
    """Return the plan of a reply that goes on, with the steps that it had taken before."""
    receipt = find(tx, reply_id)
    return replace(plan, steps=receipt.plan.steps) if receipt else plan


def all_items(plan: PromptPlan) -> list[Item]:
    """Return all that a plan names, what was left out too."""
    left_out = [left.item for part in (plan, *plan.steps) for left in part.left_out]
    return [*shown_items(plan), *left_out]


def shown_items(plan: PromptPlan) -> list[Item]:
    """Return all that a model was shown, in its prompt and in the steps after it."""
    return [item for part in (*plan.sections, *plan.steps) for item in part.items]


def passage_usage_of(plan: PromptPlan) -> PassageUsage:
    """Return what was found took of its token budget in a prompt, and how many passages did not fit."""
    sections = [section for section in plan.sections if section.kind is SectionKind.PASSAGES]
    found = [item for section in sections for item in section.items if plan_items.is_found(item)]
    # Files that the question names have a share of their own, and share the frame.
    has_others = any(len(section.items) > len(found) for section in sections)
    around = 0 if has_others or not found else sum(section.around for section in sections)
    return PassageUsage(
        budget=plan.passage_budget,
        tokens=sum(item.tokens for item in found) + around,
        shown=len(found),
        overflowed=sum(
            left.reason in OVERFLOW_REASONS and plan_items.is_found(left.item) for left in plan.left_out
        ),
    )


def strip_plan(tx: Tx, plan: PromptPlan) -> PromptPlan:
    """Return a plan without texts and words that are kept elsewhere."""
    bare = plan.map_items(strip_text)
    openings = read_openings(tx, all_items(bare))
    return bare.map_items(lambda item: without_opening(item, openings))


def strip_text(item: Item) -> Item:
    """Return an item without another conversation's title, and without its text, unless that is short."""
    return replace(
        with_conversation_title(item, {}),
        text=item.text if is_text_short(item) else "",
        text_hash=hash_text(item) if is_text_stored(item) else item.text_hash,
    )


def with_conversation_title(item: Item, titles: Mapping[str, str]) -> Item:
    """Return an item under the title of its conversation, if that is known; a file has a name of its own."""
    other = item.pointer.conversation_id
    if not other or item.pointer.file_id:
        return item
    return replace(item, title=plan_items.past_round_title(titles.get(other, ""), item.pointer.round_number))


def without_text(item: Item) -> Item:
    """Return an item without its text."""
    return replace(item, text="")


def is_text_stored(item: Item) -> bool:
    """Tell whether an item's text is kept apart: a message's own is there anyway, and so is a summary's."""
    pointer = item.pointer
    return bool(item.text) and not (pointer.message_ids or pointer.summary_id or is_text_short(item))


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


def hash_text(item: Item) -> str:
    """Return the name of a text; the same words of two files are two texts, for one may be deleted."""
    words = stored_body(item) if is_numbered(item) else item.text
    digest = hashlib.sha256(f"{item.pointer.file_id}\n{words}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:TEXT_HASH_BYTES]).rstrip(b"=").decode()


def find(tx: Tx, reply_id: str) -> Receipt | None:
    """Return the receipt of a reply as it was kept, if there is one."""
    sql = "SELECT * FROM receipts WHERE reply_id = :id AND workspace_id = :workspace"
    row = tx.one(ReceiptRow, sql, id=reply_id)
    if row is None:
        return None
    plan = join_plan(row.plan, row.items if row.outline is None else read_outline(tx, reply_id, row.outline))
    return Receipt(row.reply_id, row.conversation_id, plan, row.created_at)


def read_outline(tx: Tx, reply_id: str, outline: PlanOutline) -> PlanItems:
    """Return the items of a reply's prompt, with those that its round shares."""
    round_id = find_reply_round_id(tx, reply_id)
    shared = find_shared_items(tx, round_id) if round_id else None
    return fill_outline(map_outline(outline, restore_names), shared)


def get(tx: Tx, reply_id: str, *, texts: bool = False) -> Receipt:
    """Return the receipt of a reply that the caller may see, with what the model read if that is wanted.

    Of files and other conversations that it quotes, the caller is told where those stand that they may open.
    """
    receipt = find(tx, get_reply(tx, reply_id).id)
    if receipt is None:
        raise NotFound("receipt")
    access, openings = access_to(tx, receipt.plan), read_openings(tx, all_items(receipt.plan))
    plan = receipt.plan.map_items(lambda item: with_opening(item, openings))
    plan = plan.map_items(ReceiptReader(tx, receipt, access).with_text if texts else without_text)
    return replace(receipt, plan=plan.map_items(Redaction(access).show))


def show_plan(tx: Tx, plan: PromptPlan) -> PromptPlan:
    """Return a plan as the caller may see it: told where what it is made of stands, or only that it is."""
    return plan.map_items(Redaction(access_to(tx, plan)).show)


def check_leave_out(tx: Tx, reply_id: str, item_ids: Collection[str]) -> None:
    """Raise unless a reply's receipt has all these items, and a prompt can do without them."""
    receipt = find(tx, reply_id) if item_ids else None
    known: set[str] = set()
    if receipt is not None:
        known = {left_out.item.id for left_out in receipt.plan.left_out}
        known |= {
            item.id
            for section in receipt.plan.sections
            if section.kind not in REQUIRED_SECTIONS
            for item in section.items
        }
    if unknown := next((id_ for id_ in item_ids if id_ not in known), None):
        raise NotToBeLeftOut(unknown)


def was_local_only(tx: Tx, reply_id: str) -> bool:
    """Tell whether a reply was written from something that only local models may see."""
    sql = "SELECT plan FROM receipts WHERE reply_id = :id AND workspace_id = :workspace"
    receipt = tx.one(ReceiptLocality, sql, id=reply_id)
    return receipt is not None and receipt.plan.local_only


def access_to(tx: Tx, plan: PromptPlan) -> SourceAccess:
    """Return which of the files and conversations that a plan points at the caller may see."""
    pointers = [item.pointer for item in all_items(plan)]
    return find_source_access(
        tx,
        conversation_ids={pointer.conversation_id for pointer in pointers},
        file_ids={pointer.file_id for pointer in pointers},
    )


def may_see(pointer: Pointer, access: SourceAccess) -> bool:
    """Tell whether the caller may see what a pointer leads to."""
    return access.can_see(conversation_id=pointer.conversation_id, file_id=pointer.file_id, path=pointer.path)


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

    def __init__(self, tx: Tx, receipt: Receipt, access: SourceAccess) -> None:
        items = shown_items(receipt.plan)
        self._kept = read_texts(tx, receipt.conversation_id, [item.text_hash for item in items])
        self._said = find_spoken_texts(tx, [id_ for item in items for id_ in item.pointer.message_ids])
        self._shown = {item.id for item in items}
        self._steps = StepTexts(tx, receipt.reply_id) if receipt.plan.steps else None
        self._access = access
        self._tx = tx
        self._conversation_id = receipt.conversation_id
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
            if kept.startswith(NUMBERLESS_OPENING):
                kept = numbered_opening(pointer) + kept.removeprefix(NUMBERLESS_OPENING)
            return self._if_open(pointer, kept)
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


def read_texts(tx: Tx, conversation_id: str, hashes: Iterable[str]) -> dict[str, str]:
    """Return texts by their names."""
    sql = f"""SELECT hash, body FROM receipt_texts WHERE conversation_id = :conversation
        AND workspace_id = :workspace AND hash IN {bound_list("hashes")}"""
    found = tx.all(ReceiptText, sql, conversation=conversation_id, hashes=list(filter(None, hashes)))
    return {receipt_text.hash: receipt_text.body for receipt_text in found}
