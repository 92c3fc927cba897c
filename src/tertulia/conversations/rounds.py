"""Rounds, messages and replies in the database: added once, read along a branch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

from tertulia.conversations import marks, tool_runs
from tertulia.conversations.domain import Message, Note, Passage, Reply, Round, VisibleToolCall
from tertulia.conversations.full_rounds import FullRound, ReplyWithMessage
from tertulia.conversations.message_columns import (
    MESSAGE_COLUMNS_WITHOUT_TEXTS,
    REPLY_COLUMNS,
    message_columns,
)
from tertulia.conversations.message_index import MessageScope, index_message
from tertulia.conversations.source_access import redact_sources
from tertulia.conversations.tool_runs import ToolRun
from tertulia.core.compact_values import without_defaults
from tertulia.core.errors import NotFound
from tertulia.infra.db import Packed, Tx, bound_list

T = TypeVar("T", Message, Reply)

#: The rounds of the branch that ends with `:last`.
BRANCH_PATH_SQL = """WITH RECURSIVE path (id, parent_id, steps) AS (
  SELECT id, parent_id, 1 FROM rounds
  WHERE id = :last AND conversation_id = :conversation AND workspace_id = :workspace
  UNION ALL
  SELECT r.id, r.parent_id, steps + 1 FROM rounds AS r JOIN path AS p ON r.id = p.parent_id
  WHERE steps < :steps)"""


@dataclass(frozen=True, slots=True)
class MessageLane:
    """A message, and the lane that said it; a question has none."""

    id: str
    lane: str | None


@dataclass(frozen=True, slots=True)
class RoundPassages:
    """The passages that several lanes of a round were shown."""

    passages: list[Passage]


@dataclass(frozen=True, slots=True)
class MessageRound:
    """A message, and where it was said."""

    id: str
    round_id: str


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """What a reply is an answer to, and how many others to it are not final."""

    question_id: str
    round_number: int
    unfinished_others: int


def add_round(tx: Tx, round_: Round) -> None:
    """Add a round."""
    _insert_rows(tx, "rounds", [round_])


def add_message(tx: Tx, message: Message, *, scope: MessageScope | None = None) -> None:
    """Add a message, for good; it can be found from then on. `scope` is where it is said, if known."""
    _insert_rows(tx, "messages", [message])
    index_message(tx, message, scope=scope)


def add_replies(tx: Tx, replies: Sequence[Reply]) -> None:
    """Add replies that are to be written."""
    _insert_rows(tx, "replies", replies)


def save_reply(tx: Tx, reply: Reply) -> None:
    """Write down where a reply stands, all but its passages: those are kept once, and read by who reads."""
    tx.run(
        """UPDATE replies SET status = :status, error = :error, usage = :usage, cost = :cost,
           tool_calls = :tool_calls, notes = :notes, notice = :notice, corrections = :corrections,
           started_at = :started_at, first_token_at = :first_token_at, finished_at = :finished_at
           WHERE id = :id AND workspace_id = :workspace""",
        id=reply.id,
        status=reply.status,
        error=reply.error,
        usage=reply.usage,
        cost=reply.cost,
        tool_calls=reply.tool_calls,
        notes=reply.notes,
        notice=reply.notice,
        corrections=reply.corrections,
        started_at=reply.started_at,
        first_token_at=reply.first_token_at,
        finished_at=reply.finished_at,
    )


def save_passages(tx: Tx, reply: Reply, passages: Sequence[Passage]) -> None:
    """Write down which passages the model of a reply was shown: those of its round, or its own."""
    is_shared = bool(passages) and _share_passages(tx, reply, passages)
    sql = """UPDATE replies SET passages = :passages, has_round_passages = :is_shared
        WHERE id = :id AND workspace_id = :workspace"""
    own: object = "[]" if is_shared or not passages else Packed(without_defaults(passages))
    tx.run(sql, id=reply.id, passages=own, is_shared=is_shared)
    note_headings(tx, reply.id, passages)


def _share_passages(tx: Tx, reply: Reply, passages: Sequence[Passage]) -> bool:
    """Tell whether passages are those of a reply's round; the first of several replies makes them that."""
    if len(find_reply_ids(tx, reply.round_id)) == 1:
        return False
    tx.run(
        """UPDATE rounds SET passages = :passages
           WHERE id = :id AND workspace_id = :workspace AND passages = '[]'""",
        id=reply.round_id,
        passages=Packed(without_defaults(passages)),
    )
    sql = "SELECT passages FROM rounds WHERE id = :id AND workspace_id = :workspace"
    shared = tx.one(RoundPassages, sql, id=reply.round_id)
    return shared is not None and shared.passages == list(passages)


def note_headings(tx: Tx, reply_id: str, passages: Sequence[Passage]) -> None:
    """Write down whose headings a reply has among its passages: they are erased with the file."""
    tx.run_many(
        """INSERT INTO reply_headings (file_id, reply_id) VALUES (:file_id, :reply_id)
           ON CONFLICT DO NOTHING""",
        [
            {"file_id": file_id, "reply_id": reply_id}
            for file_id in sorted({p.source_id for p in passages if p.kind == "file" and p.heading})
        ],
    )


def add_note(tx: Tx, reply: Reply, note: Note) -> None:
    """Keep what a person told a model at work."""
    sql = "UPDATE replies SET notes = :notes WHERE id = :id AND workspace_id = :workspace"
    tx.run(sql, id=reply.id, notes=[*reply.notes, note])


def find_reply(tx: Tx, reply_id: str) -> Reply | None:
    """Return a reply whoever may see it, or None when it is gone: for work that goes on by itself."""
    sql = f"SELECT {REPLY_COLUMNS} FROM replies WHERE id = :id AND workspace_id = :workspace"
    return tx.one(Reply, sql, id=reply_id)


def list_branch_rounds(tx: Tx, conversation_id: str, *, last_round_id: str, limit: int) -> list[Round]:
    """Return the rounds that lead to `last`, oldest first, at most `limit` of them."""
    return tx.all(
        Round,
        """WITH RECURSIVE path (id, parent_id, steps) AS (
             SELECT id, parent_id, 1 FROM rounds
             WHERE id = :last AND conversation_id = :conversation AND workspace_id = :workspace
             UNION ALL
             SELECT r.id, r.parent_id, steps + 1 FROM rounds AS r JOIN path AS p ON r.id = p.parent_id
             WHERE steps < :limit)
           SELECT r.* FROM path AS p JOIN rounds AS r ON r.id = p.id ORDER BY r.number""",
        last=last_round_id,
        conversation=conversation_id,
        limit=limit,
    )


def find_newest_leaf(tx: Tx, round_id: str) -> str:
    """Return the end of the newest branch below a round: where one is when switching to it."""
    while child := tx.value(
        "SELECT max(id) FROM rounds WHERE parent_id = :id AND workspace_id = :workspace", id=round_id
    ):
        round_id = str(child)
    return round_id


def fill_rounds(tx: Tx, rounds: Sequence[Round], *, max_chars: int | None = None) -> list[FullRound]:
    """Return rounds with all that was said in them, and their sources as the caller may see them.

    With `max_chars` each message has only so many characters: a long one takes long to read.
    """
    if not rounds:
        return []
    ids = [round_.id for round_ in rounds]
    columns = "*" if max_chars is None else message_columns(max_chars=max_chars)
    messages = _select_of_rounds(tx, Message, "messages", ids, columns=columns)
    replies = redact_sources(
        tx, with_tool_calls(tx, _select_of_rounds(tx, Reply, "replies", ids, columns=REPLY_COLUMNS))
    )
    by_id = {message.id: message for message in messages}
    marked = marks.find_marks(tx, list(by_id))
    questions = {message.round_id: message for message in messages if message.speaker == "user"}
    beside = _siblings_by_parent(tx, rounds)
    answers: dict[str, list[ReplyWithMessage]] = {}
    for reply in replies:
        answer = ReplyWithMessage(reply, by_id.get(reply.id), marked.get(reply.id, ()))
        answers.setdefault(reply.round_id, []).append(answer)
    return [
        FullRound(
            round=round_,
            question=questions[round_.id],
            answers=answers.get(round_.id, []),
            siblings=beside[round_.parent_id or ""],
            marks=marked.get(questions[round_.id].id, ()),
        )
        for round_ in rounds
    ]


def with_tool_calls(tx: Tx, replies: Sequence[Reply]) -> list[Reply]:
    """Return replies with the tools that those which are not final have called so far.

    Tables and figures that quote other conversations are not stored with replies: who may see them is given
    them here.
    """
    open_ids = [reply.id for reply in replies if not reply.status.is_final]
    found = tool_runs.list_of_replies(tx, open_ids) if open_ids else []
    uses: dict[str, list[VisibleToolCall]] = {}
    for run in found:
        uses.setdefault(run.reply_id, []).append(run.to_visible_call())
    called = [replace(reply, tool_calls=uses[reply.id]) if reply.id in uses else reply for reply in replies]
    drawn = {
        (run.reply_id, run.id): run for run in tool_runs.with_drawings(tx, [reply.id for reply in called])
    }
    return [with_drawings(reply, drawn) for reply in called] if drawn else called


def with_drawings(reply: Reply, drawn: Mapping[tuple[str, str], ToolRun]) -> Reply:
    """Return a reply with the tables and figures of some calls."""
    calls = [
        replace(call, tables=run.tables, attachments=run.attachments)
        if (run := drawn.get((reply.id, call.id)))
        else call
        for call in reply.tool_calls
    ]
    return replace(reply, tool_calls=calls)


def get_full_round(tx: Tx, round_: Round, *, max_chars: int | None = None) -> FullRound:
    """Return one round with all that was said in it, or with so many characters of each message."""
    return fill_rounds(tx, [round_], max_chars=max_chars)[0]


def list_messages_page(tx: Tx, conversation_id: str, *, after: str, limit: int) -> list[Message]:
    """Return messages of all branches in the order they were written."""
    return tx.all(
        Message,
        """SELECT * FROM messages WHERE conversation_id = :conversation AND workspace_id = :workspace
           AND id > :after ORDER BY id LIMIT :limit""",
        conversation=conversation_id,
        after=after,
        limit=limit,
    )


def list_all_rounds(tx: Tx, conversation_id: str) -> list[Round]:
    """Return every round of every branch, parents before children."""
    return tx.all(
        Round,
        """SELECT * FROM rounds WHERE conversation_id = :conversation AND workspace_id = :workspace
           ORDER BY number, id""",
        conversation=conversation_id,
    )


def find_lanes(tx: Tx, reply_ids: Sequence[str]) -> dict[str, str]:
    """Return the lanes of those ids that are replies'."""
    sql = f"SELECT * FROM replies WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    return {reply.id: reply.lane for reply in tx.all(Reply, sql, ids=list(reply_ids))}


def find_round_ids(tx: Tx, message_ids: Iterable[str]) -> dict[str, str]:
    """Return the round of each message."""
    sql = f"SELECT id, round_id FROM messages WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    return {
        message_round.id: message_round.round_id
        for message_round in tx.all(MessageRound, sql, ids=list(message_ids))
    }


def list_stored_replies(tx: Tx, round_id: str) -> list[Reply]:
    """Return the replies of a round as they are stored: for writing on, not for people to read."""
    return _select_of_rounds(tx, Reply, "replies", [round_id], columns=REPLY_COLUMNS)


def find_reply_ids(tx: Tx, round_id: str) -> frozenset[str]:
    """Return the replies of a round."""
    sql = "SELECT id FROM replies WHERE round_id = :id AND workspace_id = :workspace"
    return frozenset(tx.column(sql, id=round_id))


def find_reply_round_id(tx: Tx, reply_id: str) -> str | None:
    """Return the round of a reply, or None when it is gone."""
    sql = "SELECT round_id FROM replies WHERE id = :id AND workspace_id = :workspace"
    return tx.value(sql, id=reply_id)


def get_question(tx: Tx, round_id: str) -> Message:
    """Return the question of a round."""
    sql = "SELECT * FROM messages WHERE round_id = :id AND workspace_id = :workspace AND speaker = 'user'"
    if message := tx.one(Message, sql, id=round_id):
        return message
    raise NotFound("message")


def get_question_without_texts(tx: Tx, round_id: str) -> Message:
    """Return the question of a round, but for what it says."""
    columns = MESSAGE_COLUMNS_WITHOUT_TEXTS
    sql = f"""SELECT {columns} FROM messages
        WHERE round_id = :id AND workspace_id = :workspace AND speaker = 'user'"""
    if message := tx.one(Message, sql, id=round_id):
        return message
    raise NotFound("message")


def get_question_id(tx: Tx, round_id: str) -> str:
    """Return the id of a round's question without reading its text, which may be long."""
    sql = "SELECT id FROM messages WHERE round_id = :id AND workspace_id = :workspace AND speaker = 'user'"
    if message_id := tx.value(sql, id=round_id):
        return str(message_id)
    raise NotFound("message")


def get_reply_context(tx: Tx, reply: Reply) -> ReplyContext:
    """Return what a reply is an answer to, and how many others to it are not final."""
    sql = """SELECT q.id AS question_id, r.number AS round_number,
          (SELECT count(*) FROM replies AS o WHERE o.round_id = r.id AND o.id <> :reply
           AND o.status IN ('queued', 'running', 'waiting')) AS unfinished_others
        FROM rounds AS r JOIN messages AS q ON q.round_id = r.id AND q.speaker = 'user'
        WHERE r.id = :round AND r.workspace_id = :workspace"""
    if context := tx.one(ReplyContext, sql, reply=reply.id, round=reply.round_id):
        return context
    raise NotFound("message")


def find_siblings(tx: Tx, round_: Round) -> list[str]:
    """Return the branches beside a round, itself included, in the order they were asked."""
    return _siblings_by_parent(tx, [round_])[round_.parent_id or ""]


def _siblings_by_parent(tx: Tx, rounds: Sequence[Round]) -> dict[str, list[str]]:
    """Return, for each parent of `rounds`, the ids of its children in the order they were asked."""
    parents = [round_.parent_id for round_ in rounds if round_.parent_id]
    sql = f"""SELECT * FROM rounds WHERE workspace_id = :workspace
        AND parent_id IN {bound_list("parents")} ORDER BY id"""
    children = tx.all(Round, sql, parents=parents) if parents else []
    if any(round_.parent_id is None for round_ in rounds):
        children += list_first_rounds(tx, rounds[0].conversation_id)
    found: dict[str, list[str]] = {}
    for child in children:
        found.setdefault(child.parent_id or "", []).append(child.id)
    return found


def list_first_rounds(tx: Tx, conversation_id: str) -> list[Round]:
    """Return the rounds that a conversation begins with, in the order they were asked."""
    sql = """SELECT * FROM rounds WHERE conversation_id = :conversation AND workspace_id = :workspace
        AND number = 1 ORDER BY id"""
    return tx.all(Round, sql, conversation=conversation_id)


def list_first_messages(tx: Tx, conversation_id: str) -> list[MessageLane]:
    """Return the first question of a conversation and the answers to it, without what they say."""
    sql = """SELECT m.id, r.lane FROM messages AS m LEFT JOIN replies AS r ON r.id = m.id
        WHERE m.workspace_id = :workspace AND (r.id IS NULL OR r.kind = 'answer') AND m.round_id = (
          SELECT min(id) FROM rounds
          WHERE conversation_id = :conversation AND workspace_id = :workspace AND number = 1)
        ORDER BY m.id"""
    return tx.all(MessageLane, sql, conversation=conversation_id)


def list_author_ids(tx: Tx, conversation_id: str) -> list[str]:
    """Return the people who asked something in a conversation, in the order in which they came."""
    asked = "FROM rounds WHERE conversation_id = :conversation AND workspace_id = :workspace"
    authors = tx.column(f"SELECT DISTINCT author_id {asked}", conversation=conversation_id)
    if len(authors) < 2:
        return authors
    return tx.column(
        f"SELECT author_id {asked} GROUP BY author_id ORDER BY min(id)", conversation=conversation_id
    )


def _select_of_rounds(tx: Tx, shape: type[T], table: str, ids: list[str], *, columns: str = "*") -> list[T]:
    sql = f"""SELECT {columns} FROM {table} WHERE workspace_id = :workspace
        AND round_id IN {bound_list("ids")} ORDER BY id"""
    return tx.all(shape, sql, ids=ids)


def _insert_rows(tx: Tx, table: str, rows: Sequence[Round | Message | Reply]) -> None:
    """Add rows whose columns are named like the fields; they belong to the caller's workspace."""
    names = [field.name for field in fields(rows[0]) if field.name != "workspace_id"]
    sql = f"""INSERT INTO {table} (workspace_id, {", ".join(names)})
        VALUES (:workspace, {", ".join(f":{name}" for name in names)})"""
    tx.run_many(sql, [{name: getattr(row, name) for name in names} for row in rows])
