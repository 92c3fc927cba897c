"""Receipts: what each model was shown, kept with its reply and read back as it was.

Messages are write-once and are never copied: a receipt points at them. Other
texts (the system prompt, passages of files) are kept once a conversation, and
go with the file or the conversation that they came from. What the list of files
says that each is about is not kept, for it would outlive the file. Nor is the
title of another conversation: who may see that one is told title, place and text, and who may not
is told that there was something.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.context import plan_items
from tertulia.context.item_names import restore_names, shorten_names
from tertulia.context.item_titles import read_openings, with_opening, without_opening
from tertulia.context.known_facts import MemoryTitles, told_memory_ids
from tertulia.context.prompt_plan import Item, PlanStep, PromptPlan, SectionKind, WhyNot
from tertulia.context.receipt_reader import ReceiptReader, Redaction, access_to, with_conversation_title
from tertulia.context.receipt_texts import hash_text, is_text_short, is_text_stored, save_texts
from tertulia.context.shared_items import (
    PlanOutline,
    fill_outline,
    map_outline,
    map_shared,
    outline_items,
)
from tertulia.context.step_texts import without_stored_text
from tertulia.context.stored_plans import PlanItems, join_plan, plan_figures
from tertulia.conversations import tool_runs, tool_sources
from tertulia.conversations.access import get_reply
from tertulia.conversations.domain import Reply
from tertulia.conversations.rounds import find_reply_ids, find_reply_round_id
from tertulia.conversations.source_access import SourceAccess
from tertulia.core.clock import now
from tertulia.core.compact_values import without_defaults
from tertulia.core.errors import Invalid, NotFound
from tertulia.infra.db import Packed, Tx
from tertulia.memories.prompt_memories import note_uses
from tertulia.retrieval.passage_usage import PassageUsage, save_usage

#: Why a passage is left out that was found and did not fit.
OVERFLOW_REASONS = (WhyNot.SHARE, WhyNot.NO_ROOM)
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


def save(tx: Tx, reply: Reply, plan: PromptPlan) -> None:
    """Keep what a model is shown; a reply that is asked again with less keeps the last."""
    if told := set(told_memory_ids(plan.shown_items)):
        note_uses(tx, told - list_told_memories(tx, reply.id), at=now())
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
    save_texts(tx, reply.conversation_id, plan.shown_items)
    if plan.passage_budget and not plan.steps:
        save_usage(tx, reply.id, passage_usage_of(plan))


def share_items(tx: Tx, reply: Reply, items: PlanItems) -> PlanItems | None:
    """Return the items that prompts of a reply's round share: the first one's; none for the only reply."""
    if len(find_reply_ids(tx, reply.round_id)) == 1:
        return None
    if shared := find_shared_items(tx, reply.round_id):
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
    openings = read_openings(tx, bare.all_items)
    return bare.map_items(lambda item: without_opening(item, openings))


def strip_text(item: Item) -> Item:
    """Return an item without another conversation's title, and without its text, unless that is short."""
    return replace(
        with_conversation_title(item, {}),
        text=item.text if is_text_short(item) else "",
        text_hash=hash_text(item) if is_text_stored(item) else item.text_hash,
    )


def without_text(item: Item) -> Item:
    """Return an item without its text."""
    return replace(item, text="")


def find(tx: Tx, reply_id: str) -> Receipt | None:
    """Return the receipt of a reply as it was kept, if there is one."""
    sql = "SELECT * FROM receipts WHERE reply_id = :id AND workspace_id = :workspace"
    row = tx.one(ReceiptRow, sql, id=reply_id)
    if row is None:
        return None
    plan = join_plan(row.plan, row.items if row.outline is None else read_outline(tx, reply_id, row.outline))
    return Receipt(row.reply_id, row.conversation_id, plan, row.created_at)


def list_told_memories(tx: Tx, reply_id: str) -> set[str]:
    """Return the memories that a reply's model was told so far, by its prompt or a tool: each counts once."""
    receipt = find(tx, reply_id)
    told = told_memory_ids(receipt.plan.shown_items) if receipt else []
    return {*told, *tool_sources.find_quoted_memories(tx, reply_id)}


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
    access, openings = access_to(tx, receipt.plan), read_openings(tx, receipt.plan.all_items)
    plan = receipt.plan.map_items(lambda item: with_opening(item, openings))
    plan = plan.map_items(read_with_texts(tx, receipt, access) if texts else without_text)
    titles = MemoryTitles.of(tx, plan.all_items)
    return replace(receipt, plan=plan.map_items(Redaction(access).show).map_items(titles.show))


def read_with_texts(tx: Tx, receipt: Receipt, access: SourceAccess) -> Callable[[Item], Item]:
    """Return what completes items of a receipt with the texts that the caller may read."""
    reader = ReceiptReader(
        tx, receipt.plan, access, reply_id=receipt.reply_id, conversation_id=receipt.conversation_id
    )
    return reader.with_text


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
