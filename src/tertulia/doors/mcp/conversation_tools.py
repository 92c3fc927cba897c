"""The tools that list conversations and read them, without what is not for outside models."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.conversations import conversation_list, rounds, service
from tertulia.conversations.access import get_for_reading, get_round
from tertulia.conversations.domain import USER_SPEAKER, Conversation, Mark, ReplyKind
from tertulia.conversations.full_rounds import FullRound, ReplyWithMessage
from tertulia.core.clock import to_iso
from tertulia.core.errors import NotFound
from tertulia.doors.mcp.mcp_request import shown_title
from tertulia.doors.mcp.project_tools import IdText
from tertulia.infra.db import Database, Tx
from tertulia.models.prompt_frames import (
    QUOTATION_NOTICE,
    escape_attribute,
    escape_frame_tags,
    frame_quotation,
    truncate_at_line_end,
    truncate_to_line,
)
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.file_access import require_project
from tertulia.tools.parameters import parameters_of

MCP_PAGE_MAX_ITEMS = 50
LISTED_CONVERSATIONS_DEFAULT = 20
READ_ROUNDS_DEFAULT = 10
MCP_TITLE_MAX_CHARS = 200
MCP_MESSAGE_MAX_CHARS = 16_000
#: Characters of one answer: earlier rounds are left for the next.
READ_CONVERSATION_MAX_CHARS = 64_000

PageLimit = Annotated[int, Meta(ge=1, le=MCP_PAGE_MAX_ITEMS)]


class ListConversationsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which conversations to list."""

    after: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="Where an earlier list ended. Left out at first."),
    ] = None
    limit: Annotated[
        PageLimit | None, Meta(description=f"How many, {LISTED_CONVERSATIONS_DEFAULT} when left out.")
    ] = None


class ListConversations:
    """Lists what was talked about."""

    name = "list_conversations"
    description = "List the conversations of a project that you may read, the latest used first."
    shape = ListConversationsArguments
    parameters = parameters_of(ListConversationsArguments)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: ListConversationsArguments, caller: ToolCaller) -> ToolOutput:
        """List a page of conversations."""
        after, limit = service.parse_cursor(arguments.after), arguments.limit or LISTED_CONVERSATIONS_DEFAULT

        def look(tx: Tx) -> ToolOutput:
            found = conversation_list.list_page(
                tx,
                project_id=require_project(tx, caller),
                only_lasting=True,
                after=after,
                limit=limit + 1,
            )
            if not found:
                return ToolOutput("There are no such conversations.")
            lines = [conversation_line(tx, conversation) for conversation in found[:limit]]
            return ToolOutput(frame_quotation("output", *lines, after=next_page_hint(found, limit)))

        return await self._db.read(look, by=caller.by)


def next_page_hint(found: Sequence[Conversation], limit: int) -> str:
    """Say where the next page begins; empty at the end."""
    if len(found) <= limit:
        return ""
    return f'There are more: go on with after="{service.to_cursor(found[limit - 1])}".'


def conversation_line(tx: Tx, conversation: Conversation) -> str:
    """Return one line about a conversation."""
    title = truncate_to_line(shown_title(tx, conversation), MCP_TITLE_MAX_CHARS)
    used_at = to_iso(conversation.updated_at)
    return f"{conversation.id}: {title} ({conversation.round_count} rounds, last used {used_at})"


class ReadConversationArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which conversation to read, and what of it."""

    conversation_id: Annotated[IdText, Meta(description="Its id, from list_conversations.")]
    before: Annotated[
        IdText | None, Meta(description="Read what was said before this round. The latest when left out.")
    ] = None
    limit: Annotated[
        PageLimit | None, Meta(description=f"How many rounds, {READ_ROUNDS_DEFAULT} when left out.")
    ] = None


class ReadConversation:
    """Reads what was said."""

    name = "read_conversation"
    description = (
        "Read a conversation: rounds of one question and the replies of one or several models, "
        "in the order in which they were said. Without `before` these are the latest rounds."
    )
    shape = ReadConversationArguments
    parameters = parameters_of(ReadConversationArguments)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: ReadConversationArguments, caller: ToolCaller) -> ToolOutput:
        """Read as many rounds as were asked for and one answer holds."""

        def look(tx: Tx) -> ToolOutput:
            conversation = get_for_reading(tx, arguments.conversation_id)
            # A program that read it could keep what is to be gone after a day.
            if conversation.is_temporary or caller.project_id not in (None, conversation.project_id):
                raise NotFound("conversation")
            last = last_round_id(tx, conversation, arguments.before)
            limit = arguments.limit or READ_ROUNDS_DEFAULT
            found = (
                rounds.list_branch_rounds(tx, conversation.id, last_round_id=last, limit=limit)
                if last
                else []
            )
            return quote_rounds(shown_title(tx, conversation), rounds.fill_rounds(tx, found))

        return await self._db.read(look, by=caller.by)


def last_round_id(tx: Tx, conversation: Conversation, before: str | None) -> str | None:
    """Return the round to end with; None when there is nothing before."""
    if before is None:
        return conversation.head_id
    round_ = get_round(tx, before)
    if round_.conversation_id != conversation.id:
        raise NotFound("round")
    return round_.parent_id


def quote_rounds(title: str, full: Sequence[FullRound]) -> ToolOutput:
    """Return rounds as quotations, as many of the latest as there is room for and at least one."""
    kept: list[str] = []
    first, room = None, READ_CONVERSATION_MAX_CHARS
    for full_round in reversed(full):
        said = quote_round(full_round)
        room -= len(said)
        if room < 0 and kept:
            break
        kept.insert(0, said)
        first = full_round.round
    if first is None:
        return ToolOutput("Nothing was said there.")
    more = f'There is more: go on with before="{first.id}".' if first.parent_id else ""
    heading = f"Conversation “{truncate_to_line(title, MCP_TITLE_MAX_CHARS)}”"
    return ToolOutput("\n".join(filter(None, [QUOTATION_NOTICE, heading, *kept, more])))


def quote_round(full: FullRound) -> str:
    """Return all that was said in a round and may be shown."""
    number = full.round.number
    question = frame_message(number, USER_SPEAKER, hidden_reason(full.marks) or full.question.content)
    return "\n".join(
        [
            question,
            *(frame_message(number, speaker_of(answer), reply_text(answer, full)) for answer in full.answers),
        ]
    )


def reply_text(answer: ReplyWithMessage, full: FullRound) -> str:
    """Return what a reply says; one that is not whole yet may still turn out to be for local models."""
    if answer.message is None:
        return f"(nothing to show: {answer.reply.status})"
    local = [mark for mark in full.marks if mark is Mark.LOCAL_ONLY]
    return hidden_reason([*answer.marks, *local]) or answer.message.content


def hidden_reason(marks: Sequence[Mark]) -> str:
    """Return why a message is not shown; empty when it is."""
    if Mark.LOCAL_ONLY in marks:
        return "(not shown: it is for local models alone)"
    return "(not shown: a person left it out)" if Mark.EXCLUDED in marks else ""


def speaker_of(answer: ReplyWithMessage) -> str:
    """Return who speaks in a reply, and what for where it is no plain answer."""
    reply = answer.reply
    return reply.lane if reply.kind is ReplyKind.ANSWER else f"{reply.lane} ({reply.kind})"


def frame_message(number: int, speaker: str, text: str) -> str:
    """Return one message in its frame, cut where it is endless."""
    shown = truncate_at_line_end(text, MCP_MESSAGE_MAX_CHARS)
    cut = "" if shown == text else "\n(cut here: search_project finds passages in the rest)"
    tag = f'<message round="{number}" speaker="{escape_attribute(speaker)}">'
    return f"{tag}\n{escape_frame_tags(shown)}{cut}\n</message>"
