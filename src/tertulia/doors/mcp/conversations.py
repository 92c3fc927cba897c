"""The tools that list conversations and read them, without what is not for outside models."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.conversations import rounds, service, store
from tertulia.conversations.access import get_for_reading, get_round
from tertulia.conversations.domain import USER, Conversation, Mark, ReplyKind
from tertulia.conversations.rounds import Answer, FullRound
from tertulia.core.errors import NotFound
from tertulia.doors.mcp.projects import SomeId
from tertulia.doors.mcp.visit import shown_title
from tertulia.infra.db import Database, Tx
from tertulia.infra.http.schema import iso
from tertulia.models.quoting import NOT_ORDERS, framed, in_a_tag, inert, on_one_line, up_to_line
from tertulia.tools.domain import Caller, Effect, Result
from tertulia.tools.parameters import parameters_of
from tertulia.tools.shelf import project_of

MOST = 50
LISTED = 20
ROUNDS = 10
LONGEST_TITLE = 200
LONGEST_MESSAGE = 16_000
#: Characters of one answer: earlier rounds are left for the next.
ROOM = 64_000

HowMany = Annotated[int, Meta(ge=1, le=MOST)]


class WhichConversations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which conversations to list."""

    after: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="Where an earlier list ended. Left out at first."),
    ] = None
    limit: Annotated[HowMany | None, Meta(description=f"How many, {LISTED} when left out.")] = None


class ListConversations:
    """Lists what was talked about."""

    name = "list_conversations"
    description = "List the conversations of a project that you may read, the latest used first."
    shape = WhichConversations
    parameters = parameters_of(WhichConversations)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: WhichConversations, caller: Caller) -> Result:
        """List a page of conversations."""
        after, limit = service.read_cursor(arguments.after), arguments.limit or LISTED

        def look(tx: Tx) -> Result:
            found = store.page(tx, project_id=project_of(tx, caller), after=after, limit=limit + 1)
            if not found:
                return Result("There are no such conversations.")
            lines = [line_of(tx, one) for one in found[:limit]]
            return Result(framed("output", *lines, after=how_to_go_on(found, limit)))

        return await self._db.read(look, by=caller.by)


def how_to_go_on(found: Sequence[Conversation], limit: int) -> str:
    """Say where the next page begins; empty at the end."""
    if len(found) <= limit:
        return ""
    return f'There are more: go on with after="{service.cursor_of(found[limit - 1])}".'


def line_of(tx: Tx, one: Conversation) -> str:
    """Return one line about a conversation."""
    title = on_one_line(shown_title(tx, one), LONGEST_TITLE)
    return f"{one.id}: {title} ({one.round_count} rounds, last used {iso(one.updated_at)})"


class WhichRounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which conversation to read, and what of it."""

    conversation_id: Annotated[SomeId, Meta(description="Its id, from list_conversations.")]
    before: Annotated[
        SomeId | None, Meta(description="Read what was said before this round. The latest when left out.")
    ] = None
    limit: Annotated[HowMany | None, Meta(description=f"How many rounds, {ROUNDS} when left out.")] = None


class ReadConversation:
    """Reads what was said."""

    name = "read_conversation"
    description = (
        "Read a conversation: rounds of one question and the replies of one or several models, "
        "in the order in which they were said. Without `before` these are the latest rounds."
    )
    shape = WhichRounds
    parameters = parameters_of(WhichRounds)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: WhichRounds, caller: Caller) -> Result:
        """Read as many rounds as were asked for and one answer holds."""

        def look(tx: Tx) -> Result:
            conversation = get_for_reading(tx, arguments.conversation_id)
            if caller.project_id not in (None, conversation.project_id):
                raise NotFound("conversation")
            last = last_round(tx, conversation, arguments.before)
            limit = arguments.limit or ROUNDS
            found = rounds.path(tx, conversation.id, last=last, limit=limit) if last else []
            return as_said(shown_title(tx, conversation), rounds.fill(tx, found))

        return await self._db.read(look, by=caller.by)


def last_round(tx: Tx, conversation: Conversation, before: str | None) -> str | None:
    """Return the round to end with; None when there is nothing before."""
    if before is None:
        return conversation.head_id
    round_ = get_round(tx, before)
    if round_.conversation_id != conversation.id:
        raise NotFound("round")
    return round_.parent_id


def as_said(title: str, full: Sequence[FullRound]) -> Result:
    """Return rounds as quotations, as many of the latest as there is room for and at least one."""
    kept: list[str] = []
    first, room = None, ROOM
    for one in reversed(full):
        said = quoted(one)
        room -= len(said)
        if room < 0 and kept:
            break
        kept.insert(0, said)
        first = one.round
    if first is None:
        return Result("Nothing was said there.")
    more = f'There is more: go on with before="{first.id}".' if first.parent_id else ""
    heading = f"Conversation “{on_one_line(title, LONGEST_TITLE)}”"
    return Result("\n".join(filter(None, [NOT_ORDERS, heading, *kept, more])))


def quoted(full: FullRound) -> str:
    """Return all that was said in a round and may be shown."""
    number = full.round.number
    question = message(number, USER, hidden(full.marks) or full.question.content)
    return "\n".join([question, *(message(number, name_of(one), said(one, full)) for one in full.answers)])


def said(answer: Answer, full: FullRound) -> str:
    """Return what a reply says; one that is not whole yet may still turn out to be for local models."""
    if answer.message is None:
        return f"(nothing to show: {answer.reply.status})"
    local = [mark for mark in full.marks if mark is Mark.LOCAL_ONLY]
    return hidden([*answer.marks, *local]) or answer.message.content


def hidden(marks: Sequence[Mark]) -> str:
    """Return why a message is not shown; empty when it is."""
    if Mark.LOCAL_ONLY in marks:
        return "(not shown: it is for local models alone)"
    return "(not shown: a person left it out)" if Mark.EXCLUDED in marks else ""


def name_of(answer: Answer) -> str:
    """Return who speaks in a reply, and what for where it is no plain answer."""
    reply = answer.reply
    return reply.lane if reply.kind is ReplyKind.ANSWER else f"{reply.lane} ({reply.kind})"


def message(number: int, speaker: str, text: str) -> str:
    """Return one message in its frame, cut where it is endless."""
    shown = up_to_line(text, LONGEST_MESSAGE)
    cut = "" if shown == text else "\n(cut here: search_project finds passages in the rest)"
    return f'<message round="{number}" speaker="{in_a_tag(speaker)}">\n{inert(shown)}{cut}\n</message>'
