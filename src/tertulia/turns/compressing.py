"""Keeping a conversation in mind however long it grows: summarised as it goes, compressed before it is full.

Nobody waits for this: it is a job that follows a round. It is also what
*Summarise now*, *Compress now* and *Undo* do.
"""

import asyncio
from dataclasses import replace
from typing import Protocol

from tertulia.context.compression import (
    Story,
    kept_here,
    lines_of,
    story_of,
    summary_tokens,
    was_just_undone,
)
from tertulia.conversations.access import get_for_reading, get_for_writing
from tertulia.conversations.domain import Origin
from tertulia.conversations.events import ContextChanged, encode
from tertulia.core.errors import Conflict, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.memory import store as summaries
from tertulia.memory.domain import Line, Summary
from tertulia.memory.summarise import summarise
from tertulia.retrieval import flags
from tertulia.turns.desk import Desk
from tertulia.turns.idempotency import PaidRequest, made_before, remember
from tertulia.turns.meter import furthest_mark, load_of
from tertulia.turns.utility import Pen, elsewhere, pen_for


class NothingToSummarise(Conflict):
    """Nothing was said yet that a summary could cover."""

    code = "nothing_to_summarise"

    def __init__(self) -> None:
        super().__init__("There is nothing to summarise yet: ask something first, and let it be answered.")


class NothingToCompress(Conflict):
    """All that was said is short, or compressed already."""

    code = "nothing_to_compress"

    def __init__(self) -> None:
        super().__init__("There is nothing to compress: the last rounds are always shown word for word.")


class NothingToUndo(Conflict):
    """No compression is in force."""

    code = "nothing_to_undo"

    def __init__(self) -> None:
        super().__init__("This conversation is not compressed.")


class DoNow(Protocol):
    """Summarises or compresses a conversation."""

    async def __call__(self, conversation_id: str, *, by: Principal, desk: Desk) -> Summary:
        """Return the summary that is in force then."""
        ...


async def look_after(conversation_id: str, *, by: Principal, desk: Desk, again: str = "") -> None:
    """Summarise what is new when that is due, and compress when the limit comes near.

    In the round `again` something counts once more that was left out.
    """
    try:
        story = await desk.db.read(lambda tx: story_for(tx, conversation_id, again), by=by)
    except NotFound:
        return
    if story is None or story.conversation.origin is Origin.API:
        return
    story = story.but_last
    load = await load_of(story, by=by, desk=desk)
    if load.is_due and not await desk.db.read(lambda tx: was_just_undone(tx, story), by=by):
        await bring_up(story, limit=load.limit, mark=load.watermark(), by=by, desk=desk)
    elif await is_summary_due(story, again, by=by, desk=desk):
        await bring_up(story, limit=load.limit, by=by, desk=desk)


async def is_summary_due(story: Story, again: str, *, by: Principal, desk: Desk) -> bool:
    """Tell whether enough was said for a new summary, or something that only a summary can still tell."""
    if any(one.round.number <= story.watermark or one.round.id == again for one in story.renewed):
        return True
    current = await desk.db.read(lambda tx: flags.current(tx, desk.settings), by=by)
    often = current.summary_frequency
    return bool(story.fresh) and bool(often) and story.assistant_messages >= often


async def once(
    request: PaidRequest, conversation_id: str, do_now: DoNow, *, by: Principal, desk: Desk
) -> Summary:
    """Summarise or compress because a person wants it now, and once a key."""
    if request.key is None:
        return await do_now(conversation_id, by=by, desk=desk)

    def earlier(tx: Tx) -> Summary | None:
        get_for_writing(tx, conversation_id)
        made = made_before(tx, request)
        return next(iter(summaries.named(tx, made)), None) if made else None

    def keep(tx: Tx, summary: Summary) -> None:
        remember(tx, request, conversation_id, [summary.id])

    lock = desk.summarising.setdefault(f"{by.user_id}:{request.key}", asyncio.Lock())
    async with lock:
        if found := await desk.db.read(earlier, by=by):
            return found
        summary = await do_now(conversation_id, by=by, desk=desk)
        await desk.db.write(lambda tx: keep(tx, summary), by=by)
    return summary


async def summarise_now(conversation_id: str, *, by: Principal, desk: Desk) -> Summary:
    """Summarise all that was said, the last round too."""
    story = await desk.db.read(lambda tx: story_to_change(tx, conversation_id), by=by)
    if story is None or (not story.fresh and story.summary is None):
        raise NothingToSummarise
    if not story.fresh and not story.renewed and story.summary is not None:
        return story.summary
    load = await load_of(story, by=by, desk=desk)
    made = await bring_up(story, limit=load.limit, but_last=False, by=by, desk=desk)
    return made or await quicker(conversation_id, by=by, desk=desk)


async def compress_now(conversation_id: str, *, by: Principal, desk: Desk) -> Summary:
    """Compress all but the last rounds."""
    story = await desk.db.read(lambda tx: story_to_change(tx, conversation_id), by=by)
    if story is None:
        raise NothingToCompress
    story = story.but_last
    load = await load_of(story, by=by, desk=desk)
    mark = furthest_mark(load, story)
    if not mark:
        raise NothingToCompress
    made = await bring_up(story, limit=load.limit, mark=mark, by=by, desk=desk)
    return made or await quicker(conversation_id, by=by, desk=desk)


async def bring_up(
    story: Story, *, limit: int, mark: int = 0, but_last: bool = True, by: Principal, desk: Desk
) -> Summary | None:
    """Summarise what no summary holds, in as many steps as it takes, and compress up to `mark`.

    None when there is nothing to do, or somebody was quicker.
    """
    most = summary_tokens(limit)
    while story.more and story.fresh:
        if await do(story, 0, most, by=by, desk=desk) is None:
            return None
        story = await later_part(story, by=by, desk=desk)
    story = story.but_last if but_last else story
    if not story.fresh and not story.renewed and min(mark, story.reach) <= story.watermark:
        return None
    return await do(story, mark, most, by=by, desk=desk)


async def later_part(story: Story, *, by: Principal, desk: Desk) -> Story:
    """Return what is known of the same branch now that the oldest rounds are summarised."""
    later = await desk.db.read(lambda tx: story_of(tx, story.conversation), by=by)
    return later or replace(story, fresh=[], more=False)


async def undo(conversation_id: str, *, by: Principal, desk: Desk) -> Summary | None:
    """Take back the last compression of the branch that is shown, and return what is in force then."""

    def take_back(tx: Tx) -> Summary | None:
        conversation = get_for_writing(tx, conversation_id)
        head = conversation.head_id or ""
        present = summaries.in_force(tx, conversation.id, head)
        if present is None or not present.is_compression:
            raise NothingToUndo
        summaries.undo(tx, first_with(tx, present, head), head)
        before = summaries.in_force(tx, conversation.id, head)
        announce(tx, conversation.id, before, desk=desk)
        return before

    return await desk.db.write(take_back, by=by)


def first_with(tx: Tx, present: Summary, head: str) -> Summary:
    """Return the version that moved the watermark to where it is: rolling ones after it only kept it."""
    # Versions newer than the present one are of other branches: it does not build on them.
    chain = summaries.holding(tx, present.conversation_id, head)
    return next(one for one in chain if one.id <= present.id and one.watermark == present.watermark)


def story_for(tx: Tx, conversation_id: str, again: str) -> Story | None:
    """Return what is known of a conversation."""
    return story_of(tx, get_for_reading(tx, conversation_id), again=again)


def story_to_change(tx: Tx, conversation_id: str) -> Story | None:
    """Return what is known of a conversation that the caller may write in."""
    return story_of(tx, get_for_writing(tx, conversation_id))


async def do(story: Story, mark: int, most_tokens: int, *, by: Principal, desk: Desk) -> Summary | None:
    """Summarise what is fresh or was renewed, and keep the result; None when somebody was quicker."""
    pen = await pen_for(story.conversation, "summary", by=by, desk=desk)
    points, made_by = await summarise(
        await lines_for(pen, story, by=by, desk=desk),
        story.points,
        most_tokens=most_tokens,
        write=pen.write if pen else None,
        writer_is_local=pen is not None and pen.is_local,
        made_by=pen.model if pen else "",
    )
    last = story.fresh[-1].round if story.fresh else None
    reach = last.number if last else story.covered
    summary = Summary(
        id=new_id("sum"),
        workspace_id=by.workspace_id,
        conversation_id=story.conversation.id,
        round_id=last.id if last else story.summary.round_id if story.summary else "",
        round_number=reach,
        watermark=max(story.watermark, min(mark, reach)),
        points=points,
        made_by=made_by,
        created_at=story.read_at,
        undone_at=None,
    )
    return await desk.db.write(lambda tx: put_in_force(tx, summary, story, desk=desk), by=by)


async def lines_for(pen: Pen | None, story: Story, *, by: Principal, desk: Desk) -> list[Line]:
    """Return what is to be summarised; a pen elsewhere is shown nothing that only local models were."""
    lines = lines_of([*story.renewed, *story.fresh], story)
    if pen is None or pen.is_local:
        return lines
    asked = (answer.reply.model for one in story.told for answer in one.answers)
    return kept_here(lines, story.told, await elsewhere(asked, by=by, desk=desk))


def put_in_force(tx: Tx, summary: Summary, story: Story, *, desk: Desk) -> Summary | None:
    """Keep a summary unless the conversation is gone or has got another one meanwhile."""
    try:
        get_for_writing(tx, summary.conversation_id)
    except NotFound:
        return None
    newest = summaries.newest(tx, summary.conversation_id)
    if (newest.id if newest else None) != story.newest_id:
        return None
    summaries.add(tx, summary)
    announce(tx, summary.conversation_id, summary, desk=desk)
    return summary


def announce(tx: Tx, conversation_id: str, summary: Summary | None, *, desk: Desk) -> None:
    """Tell whoever listens that models will be shown something else from now on."""
    said = ContextChanged(summary.id if summary else None, summary.watermark if summary else 0)
    desk.events.append(tx, conversation_id, [encode(said)])


async def quicker(conversation_id: str, *, by: Principal, desk: Desk) -> Summary:
    """Return the summary of somebody who was quicker."""
    if summary := await in_force(conversation_id, by=by, desk=desk):
        return summary
    raise NothingToSummarise


async def in_force(conversation_id: str, *, by: Principal, desk: Desk) -> Summary | None:
    """Return the summary that is in force on the branch that is shown."""

    def read(tx: Tx) -> Summary | None:
        conversation = get_for_reading(tx, conversation_id)
        return summaries.in_force(tx, conversation.id, conversation.head_id or "")

    return await desk.db.read(read, by=by)
