"""Reading a conversation: a page of one branch, with the text of replies that are still being written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tertulia.conversations import rounds, tool_runs
from tertulia.conversations.access import get_reply, get_round
from tertulia.conversations.domain import Conversation, Reply, ToolStatus
from tertulia.conversations.events import EventReader, ReplyText, ReplyThinking, ReplyToolOutput
from tertulia.conversations.full_rounds import FullRound
from tertulia.core.errors import NotFound
from tertulia.infra.db import Tx
from tertulia.infra.events.log import last_seq, read_events

#: Characters of what a running tool has said that are shown.
LIVE_TOOL_OUTPUT_MAX_CHARS = 20_000

_text_reader = EventReader(ReplyText, ReplyThinking)
_tool_output_reader = EventReader(ReplyToolOutput)


@dataclass(frozen=True, slots=True)
class BranchPage:
    """Part of one branch, oldest first."""

    rounds: list[FullRound]
    #: The text and the thinking of each reply that is still being written.
    partial_texts: Mapping[str, tuple[str, str]]
    #: The round before which there is more, if there is.
    before: str | None
    last_event_id: int


def read_branch_page(tx: Tx, conversation: Conversation, *, before: str | None, limit: int) -> BranchPage:
    """Return the rounds that lead to the head, or to the round before the one named."""
    last = conversation.head_id if before is None else _parent_of(tx, conversation, before)
    found = rounds.list_branch_rounds(tx, conversation.id, last_round_id=last, limit=limit) if last else []
    full = [with_live_output(tx, full_round) for full_round in rounds.fill_rounds(tx, found)]
    return BranchPage(
        rounds=full,
        partial_texts=read_partial_texts(tx, full),
        before=found[0].id if found and found[0].parent_id else None,
        last_event_id=last_seq(tx, conversation.id),
    )


def read_partial_texts(tx: Tx, full: Iterable[FullRound]) -> dict[str, tuple[str, str]]:
    """Return the text and the thinking heard so far of each reply that is still being written."""
    writing = [
        answer.reply
        for full_round in full
        for answer in full_round.answers
        if not answer.reply.status.is_final
    ]
    return {reply.id: read_partial_text(tx, reply) for reply in writing}


def read_partial_text(tx: Tx, reply: Reply) -> tuple[str, str]:
    """Return what of a reply is in the event log: its text (with what it continues) and its thinking."""
    text, thinking = [_continued_text(tx, reply)], [""]
    after = reply.first_seq
    while entries := read_events(tx, reply.conversation_id, after):
        after = entries[-1].seq
        for event in _text_reader.read(entry.body for entry in entries):
            if event.reply_id == reply.id:
                (text if isinstance(event, ReplyText) else thinking).append(event.text)
    return "".join(text), "".join(thinking)


def with_live_output(tx: Tx, full: FullRound) -> FullRound:
    """Return a round with what its tools that are running have said so far."""
    if not any(
        call.status is ToolStatus.RUNNING for answer in full.answers for call in answer.reply.tool_calls
    ):
        return full
    answers = [replace(answer, reply=_with_live_output(tx, answer.reply)) for answer in full.answers]
    return replace(full, answers=answers)


def _with_live_output(tx: Tx, reply: Reply) -> Reply:
    said = {} if reply.status.is_final else read_live_output(tx, reply)
    calls = [
        replace(call, output=said.get(call.id, "")[-LIVE_TOOL_OUTPUT_MAX_CHARS:])
        if call.status is ToolStatus.RUNNING
        else call
        for call in reply.tool_calls
    ]
    return replace(reply, tool_calls=calls)


def read_live_output(tx: Tx, reply: Reply) -> dict[str, str]:
    """Return what the tools of a reply said while they ran, by their calls, as far as the event log goes."""
    said: dict[str, list[str]] = {}
    after = reply.first_seq
    while entries := read_events(tx, reply.conversation_id, after):
        after = entries[-1].seq
        for event in _tool_output_reader.read(entry.body for entry in entries):
            if event.reply_id == reply.id:
                said.setdefault(event.call_id, []).append(event.text)
    return {call_id: "".join(texts) for call_id, texts in said.items()}


def _continued_text(tx: Tx, reply: Reply) -> str:
    if reply.continues is None:
        return ""
    sql = "SELECT content FROM messages WHERE id = :id AND workspace_id = :workspace"
    return str(tx.value(sql, id=reply.continues) or "")


def _parent_of(tx: Tx, conversation: Conversation, round_id: str) -> str | None:
    round_ = get_round(tx, round_id)
    if round_.conversation_id != conversation.id:
        raise NotFound("round")
    return round_.parent_id


def read_full_tool_result(tx: Tx, reply_id: str, call_id: str) -> str:
    """Return all that a call of a tool gave, also in a conversation that was imported."""
    reply = get_reply(tx, reply_id)
    if run := tool_runs.find(tx, reply.id, call_id):
        return tool_runs.read_full_result(tx, run)
    known = {call.id: call.result for call in reply.tool_calls}
    if call_id not in known:
        raise NotFound("call")
    return known[call_id]
