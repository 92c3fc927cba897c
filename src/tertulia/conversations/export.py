"""What a conversation is exported from: its outline at one moment, and its texts some rounds at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from tertulia.conversations import rounds, tool_runs
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.conversation_reader import read_partial_texts
from tertulia.conversations.domain import (
    Anchor,
    Attachment,
    Conversation,
    ReplyStatus,
    Round,
    VisibleToolCall,
)
from tertulia.conversations.errors import ConversationTemporary
from tertulia.conversations.export_documents import (
    AnchorDocument,
    AttachmentDocument,
    ConversationDocument,
    DateCorrectionDocument,
    QuestionDocument,
    ReplyDocument,
    RoundDocument,
    ToolCallDocument,
    WrittenItemDocument,
)
from tertulia.conversations.full_rounds import FullRound, ReplyWithMessage
from tertulia.conversations.views import UsageView
from tertulia.core.json_object import JsonObject
from tertulia.core.view import view_as
from tertulia.infra.db import Tx
from tertulia.infra.http.schema import shared_fields
from tertulia.models.calls import Image

#: Bytes of text that are read at a time, and rounds. A round is never cut, however long it is.
EXPORT_BATCH_MAX_BYTES = 1_000_000
EXPORT_BATCH_MAX_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class ExportOutline:
    """A conversation at one moment, without its texts: what is said in it later is not exported."""

    conversation: Conversation
    rounds: Sequence[Round]
    #: What rounds and messages are called in the document.
    refs: Mapping[str, str]
    #: About how many bytes of text each round has.
    sizes: Mapping[str, int]

    @property
    def head_id(self) -> str | None:
        """Return the last round of the branch that is shown."""
        if self.conversation.head_id in self.refs:
            return self.conversation.head_id
        return self.rounds[-1].id if self.rounds else None

    def rounds_to_head(self) -> list[Round]:
        """Return the rounds that lead to the head, oldest first."""
        by_id = {round_.id: round_ for round_ in self.rounds}
        branch: list[Round] = []
        round_id = self.head_id
        while round_id is not None:
            branch.append(by_id[round_id])
            round_id = by_id[round_id].parent_id
        return branch[::-1]


@dataclass(frozen=True, slots=True)
class MessageSize:
    """A question or reply of a round, and about how many bytes of text it has."""

    id: str
    round_id: str
    size: int


@dataclass(frozen=True, slots=True)
class ExportBatch:
    """Some rounds with all that was said in them."""

    rounds: Sequence[FullRound]
    #: Text and thinking of replies that are under way.
    partial_texts: Mapping[str, tuple[str, str]]
    #: What calls of tools gave, as the models were given it.
    results: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class ExportSources:
    """What a round is written from, besides the round itself."""

    refs: Mapping[str, str]
    pictures: Mapping[str, Image]
    batch: ExportBatch

    def picture_documents(self, attachments: Sequence[Attachment]) -> list[AttachmentDocument]:
        """Return the pictures of a message or a call."""
        found = [self.pictures[attachment.id] for attachment in attachments if attachment.id in self.pictures]
        return [AttachmentDocument(mime=image.mime, data=image.data) for image in found]


def read_outline(tx: Tx, conversation_id: str) -> ExportOutline:
    """Return the outline of a conversation that the caller may see, and that stays."""
    conversation = get_for_reading(tx, conversation_id)
    if conversation.is_temporary:
        raise ConversationTemporary
    found = rounds.list_all_rounds(tx, conversation.id)
    written = tx.all(MessageSize, MESSAGE_SIZES_SQL, conversation=conversation.id)
    sizes: dict[str, int] = {}
    for message_size in written:
        sizes[message_size.round_id] = sizes.get(message_size.round_id, 0) + message_size.size
    refs = assign_references([round_.id for round_ in found], [message_size.id for message_size in written])
    return ExportOutline(conversation, found, refs, sizes)


#: Every question, and every reply whether it is final or not.
MESSAGE_SIZES_SQL = """
    SELECT id, round_id, octet_length(content) AS size FROM messages
    WHERE conversation_id = :conversation AND workspace_id = :workspace AND speaker = 'user'
    UNION ALL
    SELECT r.id, r.round_id, octet_length(r.tool_calls)
      + coalesce(octet_length(m.content) + octet_length(m.thinking), 0)
      + coalesce((SELECT sum(octet_length(t.result)) FROM tool_runs AS t WHERE t.reply_id = r.id), 0)
    FROM rounds AS o JOIN replies AS r ON r.round_id = o.id LEFT JOIN messages AS m ON m.id = r.id
    WHERE o.conversation_id = :conversation AND o.workspace_id = :workspace"""


def split_into_batches(all_rounds: Sequence[Round], sizes: Mapping[str, int]) -> Iterator[list[Round]]:
    """Yield rounds, as many at a time as may be in memory together."""
    some: list[Round] = []
    size = 0
    for round_ in all_rounds:
        more = sizes.get(round_.id, 0)
        if some and (size + more > EXPORT_BATCH_MAX_BYTES or len(some) == EXPORT_BATCH_MAX_ROUNDS):
            yield some
            some, size = [], 0
        some.append(round_)
        size += more
    if some:
        yield some


def read_export_batch(tx: Tx, outline: ExportOutline, batch_rounds: Sequence[Round]) -> ExportBatch:
    """Return some rounds as far as they are in the outline, while the caller may see the conversation."""
    get_for_reading(tx, outline.conversation.id)
    full = [
        replace(
            full_round, answers=[answer for answer in full_round.answers if answer.reply.id in outline.refs]
        )
        for full_round in rounds.fill_rounds(tx, batch_rounds)
    ]
    reply_ids = [answer.reply.id for full_round in full for answer in full_round.answers]
    return ExportBatch(full, read_partial_texts(tx, full), tool_runs.results_by_call(tx, reply_ids))


def round_attachments(full: FullRound) -> list[Attachment]:
    """Return the pictures of a round: those that the person showed, and those that tools drew."""
    calls = [call for answer in full.answers for call in answer.reply.tool_calls]
    return [*full.question.attachments, *(attachment for call in calls for attachment in call.attachments)]


def to_head_document(outline: ExportOutline) -> ConversationDocument:
    """Write a conversation down without its rounds and files."""
    conversation, head_id = outline.conversation, outline.head_id
    return ConversationDocument(
        **shared_fields(conversation, ConversationDocument, except_name="anchor"),
        anchor=to_anchor_document(conversation),
        head=outline.refs[head_id] if head_id else None,
        rounds=[],
    )


def to_anchor_document(conversation: Conversation) -> AnchorDocument:
    """Return what a conversation is about; a task of ours means nothing elsewhere."""
    if conversation.anchor is Anchor.DAY:
        return AnchorDocument(kind=Anchor.DAY, day=conversation.anchor_id)
    if conversation.anchor is Anchor.WORKSPACE or conversation.project_id is None:
        return AnchorDocument(kind=Anchor.WORKSPACE)
    return AnchorDocument(kind=Anchor.PROJECT)


def assign_references(round_ids: Sequence[str], message_ids: Sequence[str]) -> dict[str, str]:
    """Name rounds and messages by the order in which they were written, which is that of their ids."""
    numbered = {id_: f"m{number}" for number, id_ in enumerate(sorted(message_ids), 1)}
    return numbered | {id_: f"r{number}" for number, id_ in enumerate(sorted(round_ids), 1)}


def to_round_document(full: FullRound, sources: ExportSources) -> RoundDocument:
    """Write one round down."""
    question, refs = full.question, sources.refs
    return RoundDocument(
        ref=refs[full.round.id],
        parent=refs[question.parent_id] if question.parent_id else None,
        policy=full.round.policy,
        created_at=full.round.created_at,
        question=QuestionDocument(
            ref=refs[question.id],
            content=question.content,
            attachments=sources.picture_documents(question.attachments),
            marks=list(full.marks),
        ),
        replies=[to_reply_document(answer, sources) for answer in full.answers],
    )


def to_reply_document(answer: ReplyWithMessage, sources: ExportSources) -> ReplyDocument:
    """Write one reply down: its message when it is final, else what was heard so far."""
    reply, message, refs = answer.reply, answer.message, sources.refs
    said = (
        (message.content, message.thinking)
        if message
        else sources.batch.partial_texts.get(reply.id, ("", ""))
    )
    values: JsonObject = shared_fields(reply, ReplyDocument) | {
        "status": reply.status if reply.status.is_final else ReplyStatus.INTERRUPTED,
        "usage": view_as(UsageView, reply.usage) if reply.usage else None,
        "continues": refs[reply.continues] if reply.continues else None,
        "tool_calls": [to_call_document(reply.id, tool_call, sources) for tool_call in reply.tool_calls],
        "notes": [note.text for note in reply.notes],
        "corrections": [
            DateCorrectionDocument(said=correction.said, right=correction.right)
            for correction in reply.corrections
        ],
        "marks": list(answer.marks),
    }
    return ReplyDocument(ref=refs[reply.id], content=said[0], thinking=said[1], **values)


def to_call_document(reply_id: str, call: VisibleToolCall, sources: ExportSources) -> ToolCallDocument:
    """Write the call of a tool down, with what it gave."""
    values: JsonObject = shared_fields(call, ToolCallDocument) | {
        "result": sources.batch.results.get((reply_id, call.id), call.result),
        "attachments": sources.picture_documents(call.attachments),
        "tables": [asdict(table) for table in call.tables],
        "saved": [{"path": saved_file.path, "version": saved_file.version} for saved_file in call.saved],
        "written": [shared_fields(item, WrittenItemDocument) for item in call.written],
    }
    return ToolCallDocument(**values)
