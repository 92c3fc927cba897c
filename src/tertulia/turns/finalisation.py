"""What happens in the one transaction that makes a reply final, and what is queued for after it."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.context import receipts
from tertulia.conversations import event_publisher, marks, tool_runs, tool_sources
from tertulia.conversations.access import get_unchecked
from tertulia.conversations.conversation_reader import LIVE_TOOL_OUTPUT_MAX_CHARS, read_live_output
from tertulia.conversations.domain import Conversation, DateCorrection, Mark, Message, Reply
from tertulia.conversations.follow_up_jobs import queue_context, queue_entities, queue_title
from tertulia.conversations.round_writer import close_reply
from tertulia.conversations.tool_runs import ToolRun
from tertulia.core.clock import now
from tertulia.core.time_zones import day_in_zone
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.memories.follow_up import queue_extraction
from tertulia.planning.preferences import find_zone
from tertulia.turns import billing, store
from tertulia.turns.date_corrections import find_corrections
from tertulia.turns.domain import Charge
from tertulia.turns.event_retention import queue_event_pruning
from tertulia.turns.reply_notes import with_all_notes


def finalise_reply(
    tx: Tx, reply: Reply, *, text: str, thinking: str, charge: Charge, events: EventLog
) -> None:
    """Write the message, what it cost, and the events that say so; end the run; queue what follows."""
    conversation = get_unchecked(tx, reply.conversation_id)
    runs = tool_runs.list_of_reply(tx, reply.id)
    if runs and (given_up := tool_runs.stop_open_calls(tx, reply.id)):
        keep_partial_output(tx, reply, given_up, conversation=conversation, events=events)
        event_publisher.publish_waiting_calls(tx, conversation.id, log=events)
        runs = tool_runs.list_of_reply(tx, reply.id)
    reply = replace(
        with_all_notes(tx, reply),
        tool_calls=[run.to_visible_call() for run in runs],
        corrections=correct_dates(tx, text, runs),
    )
    billing.record_reply_spending(tx, reply, charge, project_id=conversation.project_id)
    store.end_run(tx, reply.id)
    message = close_reply(tx, reply, content=text, thinking=thinking, log=events)
    if any(run.local_only for run in runs) or is_written_from_local(tx, message):
        marks.set_marks(tx, message, {Mark.LOCAL_ONLY: True}, log=events)
    queue_title(tx, conversation)
    queue_context(tx, conversation)
    queue_entities(tx, conversation)
    queue_extraction(tx, conversation)
    queue_event_pruning(tx, conversation.id)


def correct_dates(tx: Tx, text: str, runs: Sequence[ToolRun]) -> list[DateCorrection]:
    """Return the days that a reply names wrongly of what its tools have just written."""
    written = [(run.at, item) for run in runs for item in run.written]
    if not written:
        return []
    zone = find_zone(tx)
    return find_corrections(text, written, today=day_in_zone(now(), zone), zone=zone)


def is_written_from_local(tx: Tx, message: Message) -> bool:
    """Tell whether a reply's message was written from what, by now, only local models may see."""
    asked = message.parent_id or ""
    return Mark.LOCAL_ONLY in marks.find_marks(tx, [asked]).get(asked, ()) or receipts.was_local_only(
        tx, message.id
    )


def keep_partial_output(
    tx: Tx, reply: Reply, given_up: Sequence[ToolRun], *, conversation: Conversation, events: EventLog
) -> None:
    """Keep what tools had said before they were cut off as what they gave."""
    said = read_live_output(tx, reply)
    for run in given_up:
        if text := said.get(run.id):
            kept = text[-LIVE_TOOL_OUTPUT_MAX_CHARS:]
            tool_runs.change(tx, reply.id, run.id, result=kept, length=len(kept))
            # Which files it read was written down as it did; here are those whose names it gave.
            named = tool_sources.find_named_files(tx, conversation, kept)
            tool_sources.add_sources(tx, reply.id, run.id, named)
            tool_sources.erase_if_source_deleted(tx, reply, run, log=events)
