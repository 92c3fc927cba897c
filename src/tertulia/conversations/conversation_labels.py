"""What a conversation is called where models are shown passages of it: in words that all may be shown.

A title that a model made may be made of anything that was said, by any lane and on any branch. So only titles
that a person gave are told, and where there is none, how the first question begins that still counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tertulia.conversations import marks
from tertulia.conversations.domain import USER_SPEAKER, Mark, TitleBy
from tertulia.conversations.message_visibility import find_hidden_messages
from tertulia.conversations.question_title import TITLE_QUESTION_MAX_CHARS, title_from_question
from tertulia.infra.db import Tx, bound_list


@dataclass(frozen=True, slots=True)
class ConversationLabel:
    """What a conversation is called, and the message whose words these are; none for a person's title."""

    text: str
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class GivenTitle:
    """A title that a person gave."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class OpeningQuestion:
    """How a conversation begins."""

    id: str
    conversation_id: str
    content: str


def find_labels(tx: Tx, conversation_ids: Iterable[str]) -> dict[str, ConversationLabel]:
    """Return what conversations are called, as far as that may be told to any model."""
    wanted = frozenset(conversation_ids)
    given = find_given_titles(tx, wanted)
    return given | find_opening_words(tx, wanted - given.keys())


def find_given_titles(tx: Tx, conversation_ids: frozenset[str]) -> dict[str, ConversationLabel]:
    """Return the titles that persons gave, but for conversations with words for local models alone."""
    told = conversation_ids - marks.find_conversations_with_local_only(tx, conversation_ids)
    sql = f"""SELECT id, title FROM conversations WHERE workspace_id = :workspace
        AND title_by = :person AND title <> '' AND id IN {bound_list("ids")}"""
    found = tx.all(GivenTitle, sql, person=TitleBy.PERSON, ids=sorted(told)) if told else []
    return {given.id: ConversationLabel(given.title) for given in found}


def find_opening_words(tx: Tx, conversation_ids: frozenset[str]) -> dict[str, ConversationLabel]:
    """Return how the first question of each conversation begins, if it still counts and is for any model."""
    if not conversation_ids:
        return {}
    openings = tx.all(
        OpeningQuestion,
        f"""SELECT m.id, m.conversation_id, substr(m.content, 1, {TITLE_QUESTION_MAX_CHARS}) AS content
            FROM rounds AS r JOIN messages AS m ON m.round_id = r.id
            WHERE r.workspace_id = :workspace AND r.number = 1 AND m.speaker = :user
              AND r.conversation_id IN {bound_list("ids")}""",
        user=USER_SPEAKER,
        ids=sorted(conversation_ids),
    )
    ids = [opening.id for opening in openings]
    local = {id_ for id_, own in marks.find_marks(tx, ids).items() if Mark.LOCAL_ONLY in own}
    hidden = find_hidden_messages(tx, ids) | local
    return {
        opening.conversation_id: ConversationLabel(title_from_question(opening.content), opening.id)
        for opening in openings
        if opening.id not in hidden
    }


def conversation_name(label: ConversationLabel | None, *, is_here: bool) -> str:
    """Return how models are told in which conversation something was said."""
    if is_here:
        return "this conversation"
    return f"the conversation \u201c{label.text}\u201d" if label else "an earlier conversation"
