"""What a question asks for: which texts are looked for, which files it names, and where."""

from dataclasses import dataclass

from tertulia.context.included_files import FileMention, RequestedFiles, find_mentions, find_requested_files
from tertulia.context.prompt_inputs import DraftQuestion
from tertulia.context.remarks import REMARK_MAX_CHARS, is_remark
from tertulia.conversations import marks, rounds
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.domain import Mark, Origin, Reply
from tertulia.conversations.message_visibility import Branch
from tertulia.conversations.reversal_sentences import is_question
from tertulia.conversations.sentences import split_text_sentences
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.retrieval.index_words import content_words
from tertulia.retrieval.search_query import QUERY_MAX_CHARS

#: Characters that are looked for: as many as a search reads, with the line end between the two ends.
RECALL_QUERY_MAX_CHARS = QUERY_MAX_CHARS - 1
#: A question with fewer telling words is also looked for together with the one before it.
STANDALONE_QUESTION_MIN_WORDS = 3
#: Of a question this long a sentence may be asked of something else than the rest is about.
LONG_QUESTION_MIN_CHARS = 300


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What a question asks for, and where."""

    #: What is looked for, of long texts their ends; nothing of the texts is kept beyond these.
    texts: tuple[str, ...]
    #: Files that the question names.
    mentions: tuple[FileMention, ...]
    project_id: str | None
    #: As whom it is looked up.
    audience: Principal
    conversation_id: str | None = None
    #: The round it is asked in: nothing of it has to be found.
    round_id: str | None = None
    #: The last round of its branch that there is so far.
    last: str | None = None
    purpose: str = "turn"
    #: The messages that its texts come from; none where it was not sent yet.
    question_ids: tuple[str, ...] = ()

    @property
    def branch(self) -> Branch | None:
        """Return the branch it is asked on."""
        return Branch(self.conversation_id, self.last) if self.conversation_id else None


def requested_files_of(tx: Tx, wanted: RecallQuery) -> RequestedFiles:
    """Return the files that come with a question, always or because it names them."""
    return find_requested_files(tx, wanted.project_id, wanted.conversation_id, wanted.mentions)


def shorten_query(text: str) -> str:
    """Return a text, or of a very long one its two ends: there is asked what is shown between them."""
    half = RECALL_QUERY_MAX_CHARS // 2
    return text if len(text) <= RECALL_QUERY_MAX_CHARS else f"{text[:half]}\n{text[-half:]}"


def find_asked_sentence(question: str) -> str:
    """Return the last sentence of a long question that asks; empty where it is short, or none does."""
    if len(question) < LONG_QUESTION_MIN_CHARS:
        return ""
    asking = [said.text for said in split_text_sentences(question) if is_question(said.text)]
    return asking[-1] if asking else ""


def query_for_reply(tx: Tx, reply: Reply) -> RecallQuery | None:
    """Return what a reply's question asks for; None where a program speaks for itself."""
    conversation = get_for_reading(tx, reply.conversation_id)
    if conversation.origin is Origin.API:
        return None
    path = rounds.list_branch_rounds(tx, conversation.id, last_round_id=reply.round_id, limit=2)
    messages = [rounds.get_question(tx, round_.id) for round_ in path]
    questions = [message.content for message in messages]
    joined = join_previous_question(questions[-1], questions[:-1])
    return RecallQuery(
        texts_for(questions[-1], joined),
        tuple(find_mentions(joined or questions[-1])),
        conversation.project_id,
        tx.by,
        conversation.id,
        reply.round_id,
        last=reply.round_id,
        question_ids=tuple(message.id for message in (messages if joined else messages[-1:])),
    )


def may_leave(tx: Tx, wanted: RecallQuery) -> bool:
    """Tell whether no question that is looked for is for local models alone."""
    marked = marks.find_marks(tx, wanted.question_ids)
    return not any(Mark.LOCAL_ONLY in own for own in marked.values())


def query_for_draft(tx: Tx, draft: DraftQuestion) -> RecallQuery:
    """Return what a question asks for that was not sent yet."""
    project_id, before = draft.project_id, list[str]()
    if draft.conversation_id:
        project_id = get_for_reading(tx, draft.conversation_id).project_id
        before = [rounds.get_question(tx, draft.round_before).content] if draft.round_before else []
    joined = join_previous_question(draft.text, before)
    return RecallQuery(
        texts_for(draft.text, joined),
        tuple(find_mentions(joined or draft.text)),
        project_id,
        tx.by,
        draft.conversation_id,
        last=draft.round_before,
        purpose="preview",
    )


def join_previous_question(question: str, before: list[str]) -> str:
    """Return a question of few telling words after the one before it; nothing where it speaks for itself."""
    if not before or len(question) > REMARK_MAX_CHARS or not question.strip():
        return ""
    return f"{before[-1]}\n{question}" if len(content_words(question)) < STANDALONE_QUESTION_MIN_WORDS else ""


def texts_for(question: str, in_context: str) -> tuple[str, ...]:
    """Return what is looked for: a question, and the same after the one before it; no mere remarks."""
    return tuple(shorten_query(text) for text in (question, in_context) if not is_remark(text))
