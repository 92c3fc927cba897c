"""Keeping a conversation in mind however long it grows: summarised as it goes, compressed before it is full.

Nobody waits for this: it is a job that follows a round. It is also what
*Summarise now*, *Compress now* and *Undo* do.
"""

from dataclasses import dataclass, replace

from tertulia.context.compression import Story, lines_of, story_of, summary_tokens, was_just_undone
from tertulia.conversations.access import get_for_reading, get_for_writing
from tertulia.conversations.domain import Origin
from tertulia.conversations.events import ContextChanged, encode
from tertulia.conversations.rounds import FullRound
from tertulia.core.clock import now
from tertulia.core.errors import Conflict, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.memory import store as summaries
from tertulia.memory.domain import Summary
from tertulia.memory.summarise import summarise
from tertulia.retrieval import flags
from tertulia.turns.desk import Desk
from tertulia.turns.meter import furthest_mark, load_of
from tertulia.turns.utility import pen_for


class NothingToSummarise(Conflict):
    """Nothing was said yet that a summary could cover."""

    code = "nothing_to_summarise"

    def __init__(self) -> None:
        super().__init__("There is nothing to summarise yet: ask something first.")


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


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done to a conversation now."""

    story: Story
    #: The rounds to summarise.
    fresh: list[FullRound]
    watermark: int
    most_tokens: int


async def look_after(conversation_id: str, *, by: Principal, desk: Desk) -> None:
    """Summarise what is new when that is due, and compress when the limit comes near."""
    try:
        story = await desk.db.read(lambda tx: story_for(tx, conversation_id), by=by)
    except NotFound:
        return
    if story is None or story.conversation.origin is Origin.API:
        return
    current = await desk.db.read(lambda tx: flags.current(tx, desk.settings), by=by)
    # The last round may still be edited or branched from: it is left for the next time.
    fresh = story.fresh[:-1]
    load = await load_of(story, by=by, desk=desk)
    full = load.is_due and not await desk.db.read(lambda tx: was_just_undone(tx, story), by=by)
    often = current.summary_frequency
    if full:
        mark = max(story.watermark, load.watermark())
        await do(Step(story, fresh, mark, summary_tokens(load.limit)), by=by, desk=desk)
    elif fresh and often and replace(story, fresh=fresh).assistant_messages >= often:
        await do(Step(story, fresh, story.watermark, summary_tokens(load.limit)), by=by, desk=desk)


async def summarise_now(conversation_id: str, *, by: Principal, desk: Desk) -> Summary:
    """Summarise all that was said, the last round too."""
    story = await desk.db.read(lambda tx: story_to_change(tx, conversation_id), by=by)
    if story is None or (not story.fresh and story.summary is None):
        raise NothingToSummarise
    if not story.fresh and story.summary is not None:
        return story.summary
    load = await load_of(story, by=by, desk=desk)
    step = Step(story, story.fresh, story.watermark, summary_tokens(load.limit))
    return await do(step, by=by, desk=desk) or await quicker(conversation_id, by=by, desk=desk)


async def compress_now(conversation_id: str, *, by: Principal, desk: Desk) -> Summary:
    """Compress all but the last rounds."""
    story = await desk.db.read(lambda tx: story_to_change(tx, conversation_id), by=by)
    if story is None:
        raise NothingToCompress
    load = await load_of(story, by=by, desk=desk)
    mark = furthest_mark(load, story)
    if not mark:
        raise NothingToCompress
    step = Step(story, story.fresh[:-1], mark, summary_tokens(load.limit))
    return await do(step, by=by, desk=desk) or await quicker(conversation_id, by=by, desk=desk)


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


def story_for(tx: Tx, conversation_id: str) -> Story | None:
    """Return what is known of a conversation."""
    return story_of(tx, get_for_reading(tx, conversation_id))


def story_to_change(tx: Tx, conversation_id: str) -> Story | None:
    """Return what is known of a conversation that the caller may write in."""
    return story_of(tx, get_for_writing(tx, conversation_id))


async def do(step: Step, *, by: Principal, desk: Desk) -> Summary | None:
    """Summarise and keep the result; None when somebody was quicker."""
    story = step.story
    pen = await pen_for(story.conversation, "summary", by=by, desk=desk)
    points, made_by = await summarise(
        lines_of(step.fresh, story),
        story.summary.points if story.summary else [],
        most_tokens=step.most_tokens,
        write=pen.write if pen else None,
        writer_is_local=pen is not None and pen.is_local,
        made_by=pen.model if pen else "",
    )
    last = step.fresh[-1].round if step.fresh else None
    summary = Summary(
        id=new_id("sum"),
        workspace_id=by.workspace_id,
        conversation_id=story.conversation.id,
        round_id=last.id if last else story.summary.round_id if story.summary else "",
        round_number=last.number if last else story.covered,
        watermark=step.watermark,
        points=points,
        made_by=made_by,
        created_at=now(),
        undone_at=None,
    )
    return await desk.db.write(lambda tx: put_in_force(tx, summary, story, desk=desk), by=by)


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
