"""The summariser that needs no model: the sentences that tell most, word for word."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log, sqrt

from tertulia.memory import cues
from tertulia.memory.domain import Point, PointKind, SourceMessage, build_point
from tertulia.memory.message_sentences import (
    SENTENCE_MAX_TOKENS,
    MessageSentence,
    join_sentences,
    split_messages,
    with_needed_context,
)
from tertulia.memory.point_tokens import POINT_OVERHEAD_TOKENS, count_point_tokens, truncate_to_words
from tertulia.memory.salience import classify_sentence, score_salience
from tertulia.retrieval.index_words import content_words

#: Sentences that tell less than this are left out even where there is room.
SALIENCE_MIN = 0.4
#: A model's sentence with this share of its words in one already chosen says the same; a person's with all.
SAME_SENTENCE_MIN_SHARE = 0.8
#: An answer this long answers something.
SUBSTANTIAL_ANSWER_MIN_WORDS = 12
#: In how many rounds after it a question may still be answered.
ANSWER_SEARCH_ROUNDS = 2


def extract_points(messages: Sequence[SourceMessage], *, max_tokens: int) -> list[Point]:
    """Return the sentences of a conversation that tell most, in order, within a number of tokens."""
    said = split_messages(messages)
    pending = find_open_questions(said)
    kinds = [classify_sentence(sentence, is_open=index in pending) for index, sentence in enumerate(said)]
    chosen = choose_sentences(said, score_sentences(said, kinds), max_tokens=max_tokens)
    return [sentence_point(kinds[index], whole) for index, whole in sorted(chosen.items())]


def sentence_point(kind: PointKind, sentences: Sequence[MessageSentence]) -> Point:
    """Return a sentence as a point, with what it needs to be understood."""
    return build_point(
        kind,
        truncate_to_words(join_sentences(sentences), SENTENCE_MAX_TOKENS),
        *(sentence.message for sentence in sentences),
    )


def score_sentences(sentences: Sequence[MessageSentence], kinds: Sequence[PointKind]) -> list[float]:
    """Return how much each sentence tells: by itself, and of what the conversation keeps coming back to."""
    central = centrality(sentences)
    return [
        score_salience(sentence, kind) + near
        for sentence, kind, near in zip(sentences, kinds, central, strict=True)
    ]


def centrality(sentences: Sequence[MessageSentence]) -> list[float]:
    """Return, from 0 to 1, how far each sentence speaks of rare words that others share."""
    spread = Counter(word for message_sentence in sentences for word in message_sentence.words)
    every = len(sentences) + 1
    worth = {word: log(1 + found) * log(every / found) for word, found in spread.items()}
    raw = [
        sum(worth[word] for word in sorted(sentence.words)) / sqrt(len(sentence.words) + 4)
        for sentence in sentences
    ]
    most = max(raw, default=0.0)
    return [value / most if most else 0.0 for value in raw]


def choose_sentences(
    sentences: Sequence[MessageSentence], scores: Sequence[float], *, max_tokens: int
) -> dict[int, list[MessageSentence]]:
    """Return the best sentences that fit, by their places, none of which says what another one says."""
    room, chosen = max_tokens, dict[int, list[MessageSentence]]()
    having: defaultdict[str, list[int]] = defaultdict(list)
    for index in sorted(range(len(sentences)), key=lambda place: (-scores[place], place)):
        if room <= POINT_OVERHEAD_TOKENS or scores[index] < SALIENCE_MIN:
            break
        whole = [sentences[index]] if index - 1 in chosen else with_needed_context(sentences, index)
        text = truncate_to_words(join_sentences(whole), SENTENCE_MAX_TOKENS)
        if (
            not text
            or (price := count_point_tokens(text)) > room
            or is_repetition(sentences, index, chosen, having)
        ):
            continue
        room -= price
        chosen[index] = whole
        for word in content_words(text):
            having[word].append(index)
    return chosen


def is_repetition(
    sentences: Sequence[MessageSentence],
    index: int,
    chosen: dict[int, list[MessageSentence]],
    having: defaultdict[str, list[int]],
) -> bool:
    """Tell whether one chosen sentence of the same speaker has these words and these figures already."""
    sentence = sentences[index]
    enough = len(sentence.words) * (1.0 if sentence.is_by_user else SAME_SENTENCE_MIN_SHARE)
    shared = Counter(other for word in sentence.words for other in having.get(word, ()))
    return any(
        count >= enough
        and sentences[other].message.speaker == sentence.message.speaker
        and sentences[other].message.author_id == sentence.message.author_id
        and sentences[other].message.local_only == sentence.message.local_only
        and set(sentence.figures) <= {figure for part in chosen[other] for figure in part.figures}
        for other, count in shared.items()
    )


def find_open_questions(sentences: Sequence[MessageSentence]) -> set[int]:
    """Return the places of what the person asked and no reply answered."""
    replies: defaultdict[int, dict[str, list[MessageSentence]]] = defaultdict(dict)
    for sentence in sentences:
        if not sentence.is_by_user:
            replies[sentence.message.round_number].setdefault(sentence.message.id, []).append(sentence)
    return {
        index
        for index, sentence in enumerate(sentences)
        if sentence.is_by_user
        and not sentence.is_code
        and cues.is_question(sentence.text)
        and not is_answered(sentence, replies)
    }


def is_answered(
    question: MessageSentence, replies: defaultdict[int, dict[str, list[MessageSentence]]]
) -> bool:
    """Tell whether a reply of the same round, or of one soon after, has to do with a question."""
    number = question.message.round_number
    return any(
        is_answer_to(question, reply, later=later > 0)
        for later in range(ANSWER_SEARCH_ROUNDS + 1)
        for reply in replies.get(number + later, {}).values()
    )


def is_answer_to(
    question: MessageSentence, reply_sentences: Sequence[MessageSentence], *, later: bool
) -> bool:
    """Tell whether a reply has to do with a question; a later one must share most of its words."""
    if cues.is_evasion(" ".join(reply_sentence.text for reply_sentence in reply_sentences[:3])):
        return False
    words = frozenset[str]().union(*(message_sentence.words for message_sentence in reply_sentences))
    shared = len(words & question.words)
    if later:
        return shared * 2 > len(question.words)
    return (
        shared > 0
        or len(words) >= SUBSTANTIAL_ANSWER_MIN_WORDS
        or any(reply_sentence.figures for reply_sentence in reply_sentences)
    )
