"""What was said, sentence by sentence, each with what it needs to be understood."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tertulia.conversations.sentences import Sentence, SentenceKind, split_text_sentences
from tertulia.memory import cues
from tertulia.memory.domain import POINT_USER_SPEAKER, SourceMessage
from tertulia.memory.figures import find_figures, has_weighty_figure
from tertulia.memory.names import find_names
from tertulia.memory.point_worth import Worth, assess_text
from tertulia.models.tokens import count
from tertulia.retrieval.index_words import content_words

#: A longer sentence is cut at a word, and nothing is put before it.
SENTENCE_MAX_TOKENS = 60
#: An answer with fewer words of its own says little without its question.
STANDALONE_SENTENCE_MIN_WORDS = 2
#: A person's first sentence after a question of the only reply answers it, if it has no more telling words.
DIRECT_ANSWER_MAX_WORDS = 5
#: A thing and what it is.
DEFINING_VERB_PATTERN = re.compile(
    r"\b(?:is|are|was|were|has|have|costs?|means|equals|lives|listens|runs|es|son|está|ist|sind|hat|est|sont)\b"
    r"|[=:]"
)


@dataclass(frozen=True)
class MessageSentence:
    """A sentence, who said it, and where in the message it stands."""

    message: SourceMessage
    sentence: Sentence
    position: int
    #: What it may answer: of a reply, what the person asked last in its round; of the person, what the only
    #: reply of the round before asked at its end.
    question: "MessageSentence | None" = None

    @property
    def text(self) -> str:
        """What it says, word for word."""
        return self.sentence.text

    @property
    def is_by_user(self) -> bool:
        """Whether the person said it."""
        return self.message.speaker == POINT_USER_SPEAKER

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words that tell something."""
        return frozenset(content_words(self.text))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """Its figures."""
        return find_figures(self.text)

    @cached_property
    def name_count(self) -> int:
        """How many names it has: of people and places, files, code and addresses."""
        return len(find_names(self.text))

    @cached_property
    def worth(self) -> Worth:
        """What it is worth by its words."""
        return Worth.NONE if self.is_code else assess_text(self.text, by_user=self.is_by_user)

    @cached_property
    def is_decision(self) -> bool:
        """Whether it says that something was decided."""
        return not self.is_code and cues.is_decision(self.text, by_user=self.is_by_user)

    @cached_property
    def is_reminder(self) -> bool:
        """Whether the person wants it kept in mind."""
        return not self.is_code and cues.is_reminder(self.text, by_user=self.is_by_user)

    @cached_property
    def is_statement(self) -> bool:
        """Whether it says of something what it is."""
        if cues.is_question(self.text):
            return False
        named = self.figures or self.name_count or self.is_reminder
        owned = cues.is_statement(self.text, by_user=self.is_by_user)
        return owned or bool(named and DEFINING_VERB_PATTERN.search(self.text))

    @cached_property
    def has_telling_figures(self) -> bool:
        """Whether its figures tell something; models count things all the time."""
        return (
            bool(self.figures)
            and (self.is_by_user or has_weighty_figure(self.text))
            and not cues.is_question(self.text)
        )

    @cached_property
    def needs_context(self) -> bool:
        """Whether it cannot be understood without the question that it answers."""
        if self.is_by_user:
            return len(self.words) <= DIRECT_ANSWER_MAX_WORDS and not cues.is_question(self.text)
        return (
            len(self.words - set(self.figures)) < STANDALONE_SENTENCE_MIN_WORDS
            or cues.DEPENDENT_START_PATTERN.match(self.text) is not None
        )

    @property
    def is_code(self) -> bool:
        """Whether it is a row of code."""
        return self.sentence.kind is SentenceKind.CODE


def split_messages(messages: Sequence[SourceMessage]) -> list[MessageSentence]:
    """Return the sentences of messages, in order."""
    said: list[MessageSentence] = []
    questions: dict[int, MessageSentence] = {}
    replies: dict[int, list[MessageSentence]] = {}
    for line in messages:
        is_by_user = line.speaker == POINT_USER_SPEAKER
        asked = (
            question_to_person(replies.get(line.round_number - 1, ()))
            if is_by_user
            else questions.get(line.round_number)
        )
        if asked and asked.message.local_only != line.local_only:
            asked = None
        for place, sentence in enumerate(split_text_sentences(line.text)):
            said.append(MessageSentence(line, sentence, place, asked))
            if is_by_user and cues.is_question(sentence.text):
                questions[line.round_number] = said[-1]
        if not is_by_user and said and said[-1].message is line:
            replies.setdefault(line.round_number, []).append(said[-1])
    return said


def question_to_person(reply_ends: Sequence[MessageSentence]) -> MessageSentence | None:
    """Return the question at the end of the only reply of a round: of several, any may be answered."""
    is_asked = len(reply_ends) == 1 and cues.is_question(reply_ends[0].text) and not reply_ends[0].is_code
    return reply_ends[0] if is_asked else None


def with_needed_context(sentences: Sequence[MessageSentence], index: int) -> list[MessageSentence]:
    """Return a sentence, after the one before it or the question where it cannot be understood alone."""
    sentence = sentences[index]
    before = None
    if index and sentence.sentence.continues_paragraph and cues.DEPENDENT_START_PATTERN.match(sentence.text):
        before = sentences[index - 1]
    elif sentence.position == 0 and sentence.needs_context:
        before = sentence.question
    whole = [before, sentence] if before else [sentence]
    return whole if count(join_sentences(whole), "") <= SENTENCE_MAX_TOKENS else [sentence]


def join_sentences(sentences: Sequence[MessageSentence]) -> str:
    """Return sentences as one text."""
    return " ".join(sentence.text for sentence in sentences)
