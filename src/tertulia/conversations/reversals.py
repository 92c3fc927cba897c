"""What people took back, stored as it is said."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.conversations import marks
from tertulia.conversations.domain import USER_SPEAKER, Mark, Message
from tertulia.conversations.message_visibility import Branch, find_hidden_messages
from tertulia.conversations.reversal_sentences import find_reversals
from tertulia.infra.db import Tx, bound_list
from tertulia.projects.visibility import CONVERSATION_VISIBLE_SQL

#: So many of a project's latest reversals are held against what is quoted.
REVERSALS_READ_MAX = 300


@dataclass(frozen=True, slots=True)
class Reversal:
    """A sentence by which the person took something back."""

    message_id: str
    conversation_id: str
    round_id: str
    round_number: int
    text: str
    said_at: datetime
    #: Who said it.
    author_id: str = ""
    #: Its words are for local models alone.
    local_only: bool = False


def record_reversals(tx: Tx, message: Message, *, round_number: int) -> None:
    """Note what a message of the person takes back."""
    if message.speaker != USER_SPEAKER:
        return
    for number, text in enumerate(find_reversals(message.content)):
        tx.run(
            """INSERT INTO reversals (message_id, number, workspace_id, conversation_id, round_id,
                 round_number, text, said_at)
               VALUES (:message, :number, :workspace, :conversation, :round, :round_number, :text, :said_at)
               ON CONFLICT (message_id, number) DO NOTHING""",
            message=message.id,
            number=number,
            conversation=message.conversation_id,
            round=message.round_id,
            round_number=round_number,
            text=text,
            said_at=message.created_at,
        )


def list_reversals(
    tx: Tx, conversation_ids: Collection[str], *, project_ids: Collection[str] = ()
) -> list[Reversal]:
    """Return what was taken back in conversations and projects that may be seen, oldest first.

    Which of it counts is for `filter_counting_reversals` to say.
    """
    found = tx.all(
        Reversal,
        f"""SELECT v.message_id, v.conversation_id, v.round_id, v.round_number, v.text, v.said_at, r.author_id
            FROM reversals AS v JOIN rounds AS r ON r.id = v.round_id
            WHERE v.workspace_id = :workspace AND v.conversation_id IN (
              SELECT id FROM conversations WHERE {CONVERSATION_VISIBLE_SQL}
              AND (id IN {bound_list("conversations")}
                OR (project_id IN {bound_list("projects")} AND expires_at IS NULL)))
            ORDER BY v.said_at DESC, v.message_id DESC, v.number DESC LIMIT :most""",
        conversations=sorted(conversation_ids),
        projects=sorted(project_ids),
        most=REVERSALS_READ_MAX,
    )
    return found[::-1]


def filter_counting_reversals(
    tx: Tx, reversals: Sequence[Reversal], *, branch: Branch | None
) -> list[Reversal]:
    """Return the reversals that count on a branch, marked where their words are for local models alone."""
    if not reversals:
        return []
    ids = sorted({reversal.message_id for reversal in reversals})
    gone = find_hidden_messages(tx, ids, branch=branch)
    local = {id_ for id_, own in marks.find_marks(tx, ids).items() if Mark.LOCAL_ONLY in own}
    return [
        replace(reversal, local_only=reversal.message_id in local)
        for reversal in reversals
        if reversal.message_id not in gone
    ]
