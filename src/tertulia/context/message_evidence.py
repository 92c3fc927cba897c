"""Which messages may answer a question: statements do, earlier questions and "Fine, noted" do not."""

import re

from tertulia.context.remarks import ACKNOWLEDGEMENT_VOCABULARY
from tertulia.core.stop_words import STOP_WORDS
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN
from tertulia.retrieval.query_words import QueryWords, fold_word

#: A longer text says more than that it was heard, and its questions are not looked for.
MERE_TALK_MAX_CHARS = 2_000
SENTENCE_PATTERN = re.compile(r"[^.!?\u2026\u3002\uff01\uff1f\u061f\n]+[.!?\u2026\u3002\uff01\uff1f\u061f]*")
QUESTION_MARKS = "?\uff1f\u061f"
#: How a question begins that has no question mark, and how somebody asks to be told something.
ASKING_PATTERN = re.compile(
    r"""\W*(?:(?:and|but|so|ok|okay|please|now|then|also)\W+)*(?:
        (?:what|which|who|whom|whose|where|when|why|how)(?:\s+\w+)?\s+
            (?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|may|might|must|many|much)\b
        | (?:how|what)\s+(?:many|much|about|time|else)\b
        | (?:is|are|was|were|do|does|did|can|could|should|would|will|has|have)\s+
            (?:the|a|an|we|you|i|he|she|it|they|there|this|that|these|those|my|our|your|any|anybody|anyone)\b
        | (?:tell|show|give|remind)\s+(?:me|us)\s+
            (?:about|again|of|the|a|all|what|when|where|who|why|how|which|more)\b
        | (?:explain|describe|summari[sz]e|elaborate)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
#: Something that can be an answer by itself: a figure, or a name within a sentence.
FIGURE_OR_NAME_PATTERN = re.compile(r"\d|(?<=[\w,;:] )[^\W\d_a-z]\w")
#: What speaks of the question before it.
BACK_REFERENCE_PATTERN = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|he|him|his|she|her|there|yes|no|because)\b",
    re.IGNORECASE,
)


def is_evidence(text: str) -> bool:
    """Tell whether a message states anything: it is neither all questions nor a mere acknowledgement."""
    if len(text) > MERE_TALK_MAX_CHARS:
        return True
    return not all(map(is_acknowledgement, list_statements(text)))


def states_matter(text: str, asked: QueryWords) -> bool:
    """Tell whether what a message says beside its questions has to do with what is asked, and adds to it.

    Where it asks nothing, all of it is taken for the matter that it was found by.
    """
    sentences = SENTENCE_PATTERN.findall(text[:MERE_TALK_MAX_CHARS])
    statements = list_statements(text[:MERE_TALK_MAX_CHARS])
    if len(statements) == len(sentences):
        return True
    stated = " ".join(statements)
    words = INDEX_WORD_PATTERN.findall(stated.lower())
    telling = [word for word in words if len(word) > 1 and word not in STOP_WORDS]
    if all(fold_word(word) in asked.words for word in telling):
        return False
    return (
        any(asked.match_in(stated))
        or has_figure_or_name(stated)
        or BACK_REFERENCE_PATTERN.search(stated) is not None
    )


def list_statements(text: str) -> list[str]:
    """Return the sentences of a text that ask nothing."""
    return [sentence for sentence in SENTENCE_PATTERN.findall(text) if not is_question(sentence)]


def is_question(sentence: str) -> bool:
    """Tell whether a sentence asks for something."""
    return sentence.rstrip("\"'\u201d\u00bb) *_")[-1:] in QUESTION_MARKS or bool(
        ASKING_PATTERN.match(sentence)
    )


def is_acknowledgement(sentence: str) -> bool:
    """Tell whether a sentence says no more than that something was heard."""
    return all(word in ACKNOWLEDGEMENT_VOCABULARY for word in INDEX_WORD_PATTERN.findall(sentence.lower()))


def has_figure_or_name(text: str) -> bool:
    """Tell whether a text has something that can answer a question without any of its words."""
    return bool(FIGURE_OR_NAME_PATTERN.search(text))
