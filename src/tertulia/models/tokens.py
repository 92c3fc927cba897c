"""Counting tokens, offline.

Vocabularies are loaded when first needed. Makers that keep theirs secret are
estimated with a near one and a factor on the safe side, and with the ratio
that their own reports have taught us.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from tertulia.models.calls import Call, Said, Tool, ToolCall
from tertulia.models.picture_tokens import picture_tokens
from tertulia.models.token_measures import DEFAULT, Measure, measure_for
from tertulia.models.token_memory import Counts
from tertulia.models.tool_tokens import written

if TYPE_CHECKING:
    from splintr import AnyTokenizer

__all__ = [
    "DEFAULT",
    "PIECE",
    "Counter",
    "count",
    "count_call",
    "counter_for",
    "is_exact",
    "vocabulary",
    "writable",
]

#: What stands between two messages that a provider is sent as one.
TOKENS_BETWEEN = 1
#: Some vocabularies slow down with the length of the text, so it is counted in pieces.
PIECE = 8_192
#: Of a longer text only so many characters are counted, spread over it evenly.
LONGEST_COUNTED = 25 * PIECE

COUNTS = Counts()


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts what a model reads. `ratio` is what it has reported for each token counted without one."""

    model_name: str
    ratio: float = 1.0

    def text(self, text: str) -> int:
        """Return the tokens of a bare text."""
        return self._scaled(self._plain(text))

    def said(self, said: Said, *, joined: bool = False) -> int:
        """Return the tokens of a message and what surrounds it.

        It is `joined` when the message before has the same role: providers are
        sent both as one, and what surrounds the second is saved.
        """
        around = TOKENS_BETWEEN if joined else self._measure.shape.message
        if said.tool_results and not (said.text or said.images):
            around = 0
        # OpenAI's format wants each result as a message of its own.
        around += self._measure.shape.message * len(said.tool_results)
        # What is learnt is about words: pictures are counted by other rules.
        pictures = sum(picture_tokens(image, self.model_name) for image in said.images)
        return self._scaled(around + self._inside(said)) + pictures

    def around(self) -> int:
        """Return what surrounds a whole call: the frame of the system prompt, and the reply's beginning."""
        shape = self._measure.shape
        return self._scaled(shape.system + shape.reply)

    def tools(self, tools: Sequence[Tool]) -> int:
        """Return what offering these tools takes."""
        return self._scaled(offering(msgspec.json.encode(tools), self._measure)) if tools else 0

    def call(self, call: Call) -> int:
        """Return the tokens of a whole prompt.

        It is `around` and the sum of the system prompt, the tools and each message,
        where a message after one of the same role counts as joined to it; without a
        system prompt its frame is not there either. Two texts that are joined may
        share a token, so each joint can be one token less.
        """
        before = (None, *(said.role for said in call.messages))
        messages = sum(
            self.said(said, joined=said.role == role)
            for role, said in zip(before, call.messages, strict=False)
        )
        return self._frame(call) + self.text(call.system) + self.tools(call.tools) + messages

    def _frame(self, call: Call) -> int:
        return self.around() if call.system else self._scaled(self._measure.shape.reply)

    @property
    def _measure(self) -> Measure:
        return measure_for(self.model_name)

    def _inside(self, said: Said) -> float:
        """Return the tokens of all the words that a message holds, unscaled."""
        shape = self._measure.shape
        texts = [said.text, *map(call_text, said.tool_calls), *(one.text for one in said.tool_results)]
        texts += [msgspec.json.encode(block).decode() for block in self._own_thoughts(said)]
        return sum(map(self._plain, texts)) + shape.call * len(said.tool_calls)

    def _own_thoughts(self, said: Said) -> list[object]:
        return [
            one["block"] for one in said.thought if one.get("model") == self.model_name and "block" in one
        ]

    def _plain(self, text: str) -> float:
        return plain(text, self._measure)

    def _scaled(self, tokens: float) -> int:
        return ceil(tokens * self.ratio)


def counter_for(model_name: str, ratio: float = 1.0) -> Counter:
    """Return what counts for a model; where its vocabulary is known there is nothing to learn."""
    return Counter(model_name, 1.0 if is_exact(model_name) else ratio)


def is_exact(model_name: str) -> bool:
    """Tell whether a model's vocabulary is known for sure, so that no report can teach us better."""
    return measure_for(model_name).exact


def count(text: str, model_name: str) -> int:
    """Return how many tokens a model makes of `text`: exact where its vocabulary is known."""
    return Counter(model_name).text(text)


def count_call(call: Call) -> int:
    """Return how many tokens a whole prompt takes, tools and pictures included."""
    return Counter(call.model).call(call)


def plain(text: str, measure: Measure) -> float:
    """Return the tokens of a bare text, before what a provider's reports have taught."""
    if not text:
        return 0
    # What stands between the pieces of the sample has no part in the count, so it need not be looked at.
    sample = sample_of(text)
    found = COUNTS.of(sample, measure.vocabulary, counted)
    return ceil(found * len(text) / len(sample)) * measure.factor


@lru_cache(256)
def offering(tools: bytes, measure: Measure) -> float:
    """Return what offering tools takes, given as JSON: the same ones are offered turn after turn."""
    offered = [written(tool, measure) for tool in msgspec.json.decode(tools, type=list[Tool])]
    texts = sum(plain(text, measure) for one in offered for text in one.texts)
    return texts + sum(one.between for one in offered) + measure.shape.tools


def call_text(call: ToolCall) -> str:
    """Return a tool call of the past about as a model reads it."""
    return f"{call.name}{call.arguments}"


def counted(text: str, name: str) -> int:
    """Return how many tokens of a vocabulary `text` has."""
    tokenizer = vocabulary(name)
    pieces = (text[start : start + PIECE] for start in range(0, len(text), PIECE))
    return sum(len(tokenizer.encode_ordinary(writable(piece))) for piece in pieces)


def sample_of(text: str) -> str:
    """Return a text, or of a long one pieces that are spread over it evenly."""
    if len(text) <= LONGEST_COUNTED:
        return text
    starts, wanted = range(0, len(text), PIECE), LONGEST_COUNTED // PIECE
    chosen = (starts[index * len(starts) // wanted] for index in range(wanted))
    return "".join(text[start : start + PIECE] for start in chosen)


def writable(text: str) -> str:
    """Return `text` without the halves of characters that UTF-8 cannot write."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@lru_cache(32)
def vocabulary(name: str) -> "AnyTokenizer":
    """Return a vocabulary, loaded once; it may be used from several threads."""
    from splintr import Tokenizer  # noqa: PLC0415 - large, and not every start counts

    return Tokenizer.from_pretrained(name)
