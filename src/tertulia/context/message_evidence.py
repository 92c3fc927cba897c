"""Which messages may answer a question: statements do, earlier questions and "Fine, noted" do not."""

import re

from tertulia.context.remarks import ACKNOWLEDGEMENT_VOCABULARY
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN

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


def is_evidence(text: str) -> bool:
    """Tell whether a message states anything: it is neither all questions nor a mere acknowledgement."""
    if len(text) > MERE_TALK_MAX_CHARS:
        return True
    stated = [sentence for sentence in SENTENCE_PATTERN.findall(text) if not is_question(sentence)]
    return not all(map(is_acknowledgement, stated))


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
