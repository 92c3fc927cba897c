"""The first title of a conversation: the first words of its first question."""

import re
from datetime import timedelta

from tertulia.conversations import rounds, service
from tertulia.conversations.access import get_unchecked
from tertulia.conversations.domain import Conversation, TitleBy
from tertulia.conversations.follow_up_jobs import queue_title
from tertulia.conversations.sentences import SentenceKind, split_text_sentences
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog

TITLE_MAX_CHARS = 60
#: So much of a question is looked at.
TITLE_QUESTION_MAX_CHARS = 2_000
#: A sentence with fewer words says too little, such as “Hi!”: the next one is taken along.
TITLE_SENTENCE_MIN_WORDS = 3
UNTITLED_CONVERSATION = "New conversation"
#: A model is asked for a title when the first reply is over, or after so long.
TITLE_REPLY_WAIT = timedelta(seconds=10)

MARKDOWN_LINK = re.compile(r"!?\[([^\]\n]+)\]\([^)\s]*\)")
#: A mark of Markdown that opens before a word and closes after one; underscores are rather of names.
MARKDOWN_EMPHASIS = re.compile(r"(?<![\w*`])(\*{1,3}|`+)(?=[^\s*`])(.*?[^\s*`])\1(?![\w*`])")


def create_titled(
    tx: Tx, question: str, *, project_id: str | None, temporary: bool, log: EventLog
) -> Conversation:
    """Make a conversation named by its first question, and have a model name it later."""
    title = title_from_question(question)
    conversation = service.create(
        tx,
        log=log,
        project_id=project_id,
        title=title,
        title_by=TitleBy.QUESTION,
        temporary=temporary,
    )
    queue_title(tx, conversation, wait=TITLE_REPLY_WAIT)
    return conversation


def title_by_question(tx: Tx, conversation: Conversation, *, log: EventLog) -> Conversation:
    """Name a conversation by its first question, have a model name it later, and return it as it is then."""
    if conversation.title_by != TitleBy.NOBODY or conversation.title:
        return conversation
    [asked] = rounds.list_messages_page(tx, conversation.id, after="", limit=1)
    title = title_from_question(asked.content)
    service.suggest_title(tx, conversation.id, title, by=TitleBy.QUESTION, log=log)
    queue_title(tx, conversation, wait=TITLE_REPLY_WAIT)
    return get_unchecked(tx, conversation.id)


def title_from_question(question: str) -> str:
    """Return a question's first words, without markup; one that is all code is named by its first row."""
    said = split_text_sentences(question[:TITLE_QUESTION_MAX_CHARS])
    spoken = [sentence for sentence in said if sentence.kind is not SentenceKind.CODE] or said
    title = ""
    for sentence in spoken:
        title = f"{title} {strip_inline_markdown(sentence.text)}".strip()
        if len(title.split()) >= TITLE_SENTENCE_MIN_WORDS or len(title) >= TITLE_MAX_CHARS:
            break
    return shorten_title(title) or UNTITLED_CONVERSATION


def strip_inline_markdown(sentence: str) -> str:
    """Return a sentence without marks for bold, code and links; those within words and sums stay."""
    return MARKDOWN_EMPHASIS.sub(r"\2", MARKDOWN_LINK.sub(r"\1", sentence))


def shorten_title(text: str) -> str:
    """Cut a line at a word near the longest title."""
    if len(text) <= TITLE_MAX_CHARS:
        return text
    kept = text[:TITLE_MAX_CHARS].rsplit(" ", 1)[0] or text[:TITLE_MAX_CHARS]
    return kept.rstrip(",;:- ") + "…"
