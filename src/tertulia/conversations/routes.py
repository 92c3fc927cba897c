"""Conversations over HTTP."""

from collections.abc import Collection
from typing import Annotated

from fastapi import Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from tertulia.conversations import conversation_list, conversation_reader, marks, rounds, service
from tertulia.conversations.access import check_readable, get_for_reading
from tertulia.conversations.domain import Conversation, Mark, Origin
from tertulia.conversations.event_redaction import redact_events_for
from tertulia.conversations.message_pictures import get_attachment
from tertulia.conversations.schemas import (
    ConversationChange,
    ConversationPage,
    MarksChange,
    MarksView,
    MessagePage,
    NewConversation,
    NewHead,
    NewTitle,
    OpenConversation,
    PageSize,
    RoundPage,
)
from tertulia.conversations.subscriptions import SubscriptionChecks
from tertulia.conversations.views import ConversationView, MessageView
from tertulia.infra.db import Tx
from tertulia.infra.http.body_limits import body_limit, long_text_limit
from tertulia.infra.http.dependencies import Db, Log, get_part
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import ValidUnicode, omit_unset
from tertulia.infra.undo.schemas import DeletionView
from tertulia.live.event_stream import (
    Subscription,
    parse_last_event_id,
    parse_marked_event_id,
    stream_events,
)
from tertulia.live.member_topics import feed_mark, member_topic
from tertulia.projects import access as projects

router = Router(prefix="/api", tags=["conversations"])


async def _checks(request: Request) -> SubscriptionChecks:
    return get_part(request, SubscriptionChecks)


Checks = Annotated[SubscriptionChecks, Depends(_checks)]

CursorQuery = Annotated[str | None, Query(max_length=60)]


@router.get("/conversations")
async def list_conversations(
    me: Me,
    db: Db,
    after: CursorQuery = None,
    limit: PageSize = 50,
    archived: bool = False,
    pinned: bool | None = None,
    search: Annotated[str, Query(max_length=200), ValidUnicode] = "",
    origin: Origin | None = None,
) -> ConversationPage:
    """List conversations, the latest used first; those made through the API are listed when asked for."""
    cursor = service.parse_cursor(after)
    origins = (origin,) if origin else (Origin.APP, Origin.IMPORT)
    found = await db.read(
        lambda tx: conversation_list.list_page(
            tx,
            archived=archived,
            pinned=pinned,
            search=search,
            origins=origins,
            after=cursor,
            limit=limit + 1,
        ),
        by=me,
    )
    return to_page(found, limit)


@router.get("/projects/{project_id}/conversations")
async def list_project_conversations(
    project_id: str, me: Me, db: Db, after: CursorQuery = None, limit: PageSize = 50, archived: bool = False
) -> ConversationPage:
    """List the conversations of a project."""
    cursor = service.parse_cursor(after)

    def find(tx: Tx) -> list[Conversation]:
        project = projects.get(tx, project_id)
        return conversation_list.list_page(
            tx, project_id=project.id, archived=archived, after=cursor, limit=limit + 1
        )

    return to_page(await db.read(find, by=me), limit)


@router.post("/conversations", status_code=201)
@body_limit(long_text_limit(1))
async def create_conversation(body: NewConversation, me: Member, db: Db, log: Log) -> ConversationView:
    """Make an empty conversation."""
    made = await db.write(
        lambda tx: service.create(
            tx,
            log=log,
            anchor=body.anchor.kind if body.anchor else None,
            anchor_id=body.anchor.id if body.anchor else None,
            project_id=body.project_id,
            title=body.title,
            instructions=body.instructions,
            temporary=body.temporary,
        ),
        by=me,
    )
    return ConversationView.of(made)


@router.get("/conversations/current")
async def current_conversation(me: Member, db: Db, log: Log, limit: PageSize = 20) -> OpenConversation:
    """Open the conversation that was used last, or a new one."""
    current = await db.write(lambda tx: service.get_current(tx, log=log), by=me)
    return await db.read(lambda tx: read_last_page(tx, current.id, limit=limit), by=me)


@router.get("/conversations/{conversation_id}")
async def open_conversation(conversation_id: str, me: Me, db: Db, limit: PageSize = 20) -> OpenConversation:
    """Open a conversation at the end of the branch that is shown."""
    return await db.read(lambda tx: read_last_page(tx, conversation_id, limit=limit), by=me)


def read_last_page(tx: Tx, conversation_id: str, *, limit: int) -> OpenConversation:
    """Return a conversation with the last page of the branch that is shown, in one snapshot."""
    conversation = get_for_reading(tx, conversation_id)
    page = conversation_reader.read_branch_page(tx, conversation, before=None, limit=limit)
    return OpenConversation.at_page(conversation, page)


@router.get("/conversations/{conversation_id}/rounds")
async def list_rounds(
    conversation_id: str, me: Me, db: Db, before: CursorQuery = None, limit: PageSize = 20
) -> RoundPage:
    """Page through the branch that is shown, towards its start."""

    def page(tx: Tx) -> RoundPage:
        conversation = get_for_reading(tx, conversation_id)
        return RoundPage.of(
            conversation_reader.read_branch_page(tx, conversation, before=before, limit=limit)
        )

    return await db.read(page, by=me)


@router.get("/conversations/{conversation_id}/messages")
async def list_messages(
    conversation_id: str, me: Me, db: Db, after: CursorQuery = None, limit: PageSize = 50
) -> MessagePage:
    """Page through all messages of all branches, in the order they were written."""

    def page(tx: Tx) -> MessagePage:
        conversation = get_for_reading(tx, conversation_id)
        found = rounds.list_messages_page(tx, conversation.id, after=after or "", limit=limit + 1)
        more = found[limit - 1].id if len(found) > limit else None
        return MessagePage(messages=[MessageView.of(message) for message in found[:limit]], next=more)

    return await db.read(page, by=me)


@router.put("/conversations/{conversation_id}")
@body_limit(long_text_limit(1))
async def change_conversation(
    conversation_id: str, body: ConversationChange, me: Member, db: Db, log: Log
) -> ConversationView:
    """Rename, archive, pin, share or instruct a conversation, or say how much its models are shown."""
    values = omit_unset(body)
    changed = await db.write(lambda tx: service.change(tx, conversation_id, values, log=log), by=me)
    return ConversationView.of(changed)


@router.put("/conversations/{conversation_id}/title")
async def set_title(conversation_id: str, body: NewTitle, me: Member, db: Db, log: Log) -> ConversationView:
    """Give a conversation a title, for good."""
    values = {"title": body.title}
    changed = await db.write(lambda tx: service.change(tx, conversation_id, values, log=log), by=me)
    return ConversationView.of(changed)


@router.put("/conversations/{conversation_id}/head")
async def show_branch(conversation_id: str, body: NewHead, me: Member, db: Db, log: Log) -> ConversationView:
    """Show the newest branch that goes through a round."""
    changed = await db.write(
        lambda tx: service.show_branch(tx, conversation_id, body.round_id, log=log), by=me
    )
    return ConversationView.of(changed)


@router.put("/messages/{message_id}/marks")
async def mark_message(message_id: str, body: MarksChange, me: Member, db: Db, log: Log) -> MarksView:
    """Have a message shown to models always, never, or only to local ones."""
    wanted = {Mark(name): on for name, on in omit_unset(body).items()}
    return MarksView(
        marks=await db.write(lambda tx: marks.change_marks(tx, message_id, wanted, log=log), by=me)
    )


@router.delete("/conversations/{conversation_id}", status_code=204)
async def delete_conversation(conversation_id: str, me: Member, db: Db, log: Log) -> None:
    """Delete a conversation and all that was said in it; replies under way are stopped."""
    await db.write(lambda tx: service.delete(tx, conversation_id, log=log), by=me)


@router.post("/conversations/{conversation_id}/deletion", status_code=201)
async def delete_conversation_with_undo(conversation_id: str, me: Member, db: Db, log: Log) -> DeletionView:
    """Delete a conversation for everybody, with a short time in which you can restore it."""
    deletion = await db.write(lambda tx: service.delete_with_undo(tx, conversation_id, log=log), by=me)
    return DeletionView.model_validate(deletion)


@router.delete("/projects/{project_id}", status_code=204)
async def delete_project(project_id: str, me: Member, db: Db, log: Log) -> None:
    """Delete a project with its conversations."""
    await db.write(lambda tx: service.delete_project(tx, project_id, log=log), by=me)


@router.get("/conversations/{conversation_id}/events", response_class=StreamingResponse)
async def follow_conversation(
    conversation_id: str,
    me: Me,
    db: Db,
    log: Log,
    checks: Checks,
    last_event_id: Annotated[str | None, Header()] = None,
    after: Annotated[str | None, Query(max_length=20)] = None,
) -> StreamingResponse:
    """Follow a conversation: every event after `Last-Event-ID` (or `?after=`), then what comes.

    Without a number the stream starts at the first event that is still kept.
    """
    await db.read_inline(lambda tx: check_readable(tx, conversation_id), by=me)
    return await stream_events(
        Subscription(conversation_id, parse_last_event_id(last_event_id or after)),
        by=me,
        log=log,
        db=db,
        check=lambda topics: checks.check(topics, by=me),
        redact=lambda entries: redact_events_for(entries, by=me, db=db),
    )


@router.get("/events", response_class=StreamingResponse)
async def follow_all(
    me: Me,
    db: Db,
    log: Log,
    checks: Checks,
    conversation: Annotated[str | None, Query(max_length=60)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
    after: Annotated[str | None, Query(max_length=40)] = None,
) -> StreamingResponse:
    """Follow all of one's own conversations (what is new, renamed, archived, deleted) and, beside them, one.

    The id of each event is its number in the feed, a hyphen and a mark of whose feed
    it is: with the mark of another feed the stream begins with `reset`. With
    `conversation` the events of that one come too, and each id goes on with a dot and
    the conversation's number. Without a number the feed starts with what is yet to come.
    """
    feed_after, _, after_in_conversation = (last_event_id or after or "").partition(".")
    feed = member_topic(me.workspace_id, me.user_id)
    mark = feed_mark(feed)
    feed_cursor = parse_marked_event_id(feed_after, mark=mark)
    followed = [Subscription(feed, feed_cursor, mark=mark, from_now=True, ends_with_topic=False)]
    if conversation is not None:
        await db.read_inline(lambda tx: check_readable(tx, conversation), by=me)
        followed.append(
            Subscription(conversation, parse_last_event_id(after_in_conversation), ends_with_topic=False)
        )

    async def check(topics: Collection[str]) -> None:
        # The feed is the listener's own.
        await checks.check(set(topics) - {feed}, by=me)

    return await stream_events(
        *followed,
        by=me,
        log=log,
        db=db,
        check=check,
        redact=lambda entries: redact_events_for(entries, by=me, db=db),
    )


@router.get(
    "/attachments/{attachment_id}",
    response_class=Response,
    responses={200: {"content": {"image/*": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def read_attachment(attachment_id: str, me: Me, db: Db) -> Response:
    """Return the bytes that a message carries; a browser may show them but never run them."""
    found = await db.read(lambda tx: get_attachment(tx, attachment_id), by=me)
    headers = {
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=31536000, immutable",
    }
    return Response(found.data, media_type=found.mime, headers=headers)


@router.get(
    "/replies/{reply_id}/calls/{call_id}/result",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def read_tool_result(reply_id: str, call_id: str, me: Me, db: Db) -> Response:
    """Return all that a tool gave, of which a reply shows the beginning."""
    found = await db.read(lambda tx: conversation_reader.read_full_tool_result(tx, reply_id, call_id), by=me)
    return Response(found, media_type="text/plain", headers={"X-Content-Type-Options": "nosniff"})


def to_page(found: list[Conversation], limit: int) -> ConversationPage:
    """Show a page of conversations and where the list goes on."""
    more = service.to_cursor(found[limit - 1]) if len(found) > limit else None
    return ConversationPage(
        conversations=[ConversationView.of(conversation) for conversation in found[:limit]], next=more
    )
