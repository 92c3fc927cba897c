"""What people thought of what was cited: kept, and from then on the measure of every change."""

from dataclasses import dataclass, replace

from tertulia.conversations import rounds
from tertulia.conversations.access import get_reply
from tertulia.conversations.domain import Passage
from tertulia.conversations.round_lookup import find_reply_places
from tertulia.conversations.source_access import redact_passages
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A passage that was cited for a question, and whether that was good."""

    id: str
    reply_id: str
    number: int
    project_id: str | None
    query: str
    kind: str
    source_id: str
    start_char: int
    end_char: int
    good: bool
    #: Where the question was asked, and so stands itself.
    conversation_id: str | None = None


def save_mark(tx: Tx, reply_id: str, number: int, *, good: bool) -> None:
    """Mark a passage that a reply was given; marking it again changes the mark."""
    reply = get_reply(tx, reply_id)
    passage = find_cited_passage(redact_passages(tx, reply.passages), number)
    tx.run(
        """INSERT INTO citation_marks (id, workspace_id, user_id, reply_id, number, project_id, query, kind,
             source_id, start_char, end_char, good, created_at)
           VALUES (:id, :workspace, :me, :reply_id, :number, :project_id, :query, :kind, :source_id,
             :start_char, :end_char, :good, :now)
           ON CONFLICT (user_id, reply_id, number) DO UPDATE SET good = :good""",
        id=new_id("mrk"),
        reply_id=reply.id,
        number=number,
        project_id=passage.project_id,
        query=rounds.get_question(tx, reply.round_id).content,
        kind=passage.kind,
        source_id=passage.source_id,
        start_char=passage.start_char,
        end_char=passage.end_char,
        good=good,
        now=now(),
    )


def delete_mark(tx: Tx, reply_id: str, number: int) -> None:
    """Take a mark back."""
    reply = get_reply(tx, reply_id)
    tx.run(
        """DELETE FROM citation_marks WHERE workspace_id = :workspace AND user_id = :me
           AND reply_id = :reply_id AND number = :number""",
        reply_id=reply.id,
        number=number,
    )


def list_of_reply(tx: Tx, reply_id: str) -> list[CitationMark]:
    """Return the caller's marks on what a reply cites."""
    reply = get_reply(tx, reply_id)
    sql = """SELECT * FROM citation_marks WHERE workspace_id = :workspace AND user_id = :me
        AND reply_id = :reply_id ORDER BY number"""
    return tx.all(CitationMark, sql, reply_id=reply.id)


def list_suite(tx: Tx, project_id: str | None) -> list[CitationMark]:
    """Return all of the caller's marks, in a project or everywhere."""
    marks = tx.all(
        CitationMark,
        """SELECT * FROM citation_marks WHERE workspace_id = :workspace AND user_id = :me
             AND (CAST(:project_id AS TEXT) IS NULL OR project_id = :project_id)
           ORDER BY id LIMIT 2000""",
        project_id=project_id,
    )
    places = find_reply_places(tx, {mark.reply_id for mark in marks})
    return [
        replace(mark, conversation_id=places[mark.reply_id].conversation_id)
        if mark.reply_id in places
        else mark
        for mark in marks
        if mark.reply_id not in places or not places[mark.reply_id].is_deleted
    ]


def find_cited_passage(passages: list[Passage], number: int) -> Passage:
    """Return the passage with a number, or raise; one that is hidden cannot be marked."""
    for passage in passages:
        if passage.number == number and not passage.is_hidden:
            return passage
    raise NotFound("passage")
