"""Counting tokens, offline.

Vocabularies are loaded when first needed. Makers that keep theirs secret are
estimated with a near one and a factor on the safe side, and with the ratio
that their own reports have taught us.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from tertulia.models.calls import Call, PromptMessage, Tool, ToolCall
from tertulia.models.image_tokens import count_image_tokens
from tertulia.models.token_cache import TokenCountCache
from tertulia.models.token_measures import DEFAULT_TOKEN_MEASURE, TokenMeasure, measure_for
from tertulia.models.tool_tokens import render_tool

if TYPE_CHECKING:
    from splintr import AnyTokenizer

__all__ = [
    "COUNTED_PIECE_CHARS",
    "DEFAULT_TOKEN_MEASURE",
    "TokenCounter",
    "count",
    "count_call",
    "counter_for",
    "is_exact",
    "load_vocabulary",
    "replace_surrogates",
    "vocabulary",
]

#: What stands between two messages that a provider is sent as one.
JOINED_MESSAGE_TOKENS = 1
#: Some vocabularies slow down with the length of the text, so it is counted in pieces.
COUNTED_PIECE_CHARS = 8_192
#: Of a longer text only so many characters are counted, spread over it evenly.
TOKEN_SAMPLE_MAX_CHARS = 25 * COUNTED_PIECE_CHARS

#: No token of any vocabulary: the first word of this kind has one build its tables of pairs.
UNKNOWN_WORD = "zxqwvkj"

TOKEN_COUNT_CACHE = TokenCountCache()
#: The vocabularies that were needed so far, by name.
VOCABULARIES: dict[str, "AnyTokenizer"] = {}


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts what a model reads. `ratio` is what it has reported for each token counted without one."""

    model_name: str
    ratio: float = 1.0

    def text(self, text: str) -> int:
        """Return the tokens of a bare text."""
        return self._scaled(self._plain(text))

    def message(self, message: PromptMessage, *, joined: bool = False) -> int:
        """Return the tokens of a message and what surrounds it.

        It is `joined` when the message before has the same role: providers are
        sent both as one, and what surrounds the second is saved.
        """
        around = JOINED_MESSAGE_TOKENS if joined else self._measure.chat_format.message
        if message.tool_results and not (message.text or message.images):
            around = 0
        # OpenAI's format wants each result as a message of its own.
        around += self._measure.chat_format.message * len(message.tool_results)
        # What is learnt is about words: pictures are counted by other rules.
        pictures = sum(count_image_tokens(image, self.model_name) for image in message.images)
        return self._scaled(around + self._content_tokens(message)) + pictures

    def overhead(self) -> int:
        """Return what surrounds a whole call: the frame of the system prompt, and the reply's beginning."""
        shape = self._measure.chat_format
        return self._scaled(shape.system + shape.reply)

    def tools(self, tools: Sequence[Tool]) -> int:
        """Return what offering these tools takes."""
        return self._scaled(count_tools(msgspec.json.encode(tools), self._measure)) if tools else 0

    def call(self, call: Call) -> int:
        """Return the tokens of a whole prompt.

        It is `overhead()` and the sum of the system prompt, the tools and each message,
        where a message after one of the same role counts as joined to it; without a
        system prompt its frame is not there either. Two texts that are joined may
        share a token, so each joint can be one token less.
        """
        before = (None, *(said.role for said in call.messages))
        messages = sum(
            self.message(said, joined=said.role == role)
            for role, said in zip(before, call.messages, strict=False)
        )
        return self._frame(call) + self.text(call.system) + self.tools(call.tools) + messages

    def _frame(self, call: Call) -> int:
        return self.overhead() if call.system else self._scaled(self._measure.chat_format.reply)

    @property
    def _measure(self) -> TokenMeasure:
        return measure_for(self.model_name)

    def _content_tokens(self, message: PromptMessage) -> float:
        """Return the tokens of all the words that a message holds, unscaled."""
        shape = self._measure.chat_format
        texts = [
            message.text,
            *map(call_text, message.tool_calls),
            *(tool_result.text for tool_result in message.tool_results),
        ]
        texts += [msgspec.json.encode(block).decode() for block in self._own_thinking_blocks(message)]
        return sum(map(self._plain, texts)) + shape.call * len(message.tool_calls)

    def _own_thinking_blocks(self, message: PromptMessage) -> list[object]:
        return [
            thought["block"]
            for thought in message.thought
            if thought.get("model") == self.model_name and "block" in thought
        ]

    def _plain(self, text: str) -> float:
        return count_plain_text(text, self._measure)

    def _scaled(self, tokens: float) -> int:
        return ceil(tokens * self.ratio)


def counter_for(model_name: str, ratio: float = 1.0) -> TokenCounter:
    """Return what counts for a model; where its vocabulary is known there is nothing to learn."""
    return TokenCounter(model_name, 1.0 if is_exact(model_name) else ratio)


def is_exact(model_name: str) -> bool:
    """Tell whether a model's vocabulary is known for sure, so that no report can teach us better."""
    return measure_for(model_name).is_exact


def count(text: str, model_name: str) -> int:
    """Return how many tokens a model makes of `text`: exact where its vocabulary is known."""
    return TokenCounter(model_name).text(text)


def count_call(call: Call) -> int:
    """Return how many tokens a whole prompt takes, tools and pictures included."""
    return TokenCounter(call.model).call(call)


def count_plain_text(text: str, measure: TokenMeasure) -> float:
    """Return the tokens of a bare text, before what a provider's reports have taught."""
    if not text:
        return 0
    # What stands between the pieces of the sample has no part in the count, so it need not be looked at.
    sample = sample_of(text)
    found = TOKEN_COUNT_CACHE.count_of(sample, measure.vocabulary, count_in_vocabulary)
    return ceil(found * len(text) / len(sample)) * measure.factor


@lru_cache(256)
def count_tools(tools: bytes, measure: TokenMeasure) -> float:
    """Return what offering tools takes, given as JSON: the same ones are offered turn after turn."""
    offered = [render_tool(tool, measure) for tool in msgspec.json.decode(tools, type=list[Tool])]
    texts = sum(count_plain_text(text, measure) for tool_text in offered for text in tool_text.texts)
    return texts + sum(tool_text.overhead_tokens for tool_text in offered) + measure.chat_format.tools


def call_text(call: ToolCall) -> str:
    """Return a tool call of the past about as a model reads it."""
    return f"{call.name}{call.arguments}"


def count_in_vocabulary(text: str, name: str) -> int:
    """Return how many tokens of a vocabulary `text` has."""
    tokenizer = vocabulary(name)
    pieces = (text[start : start + COUNTED_PIECE_CHARS] for start in range(0, len(text), COUNTED_PIECE_CHARS))
    return sum(len(tokenizer.encode_ordinary(replace_surrogates(piece))) for piece in pieces)


def sample_of(text: str) -> str:
    """Return a text, or of a long one pieces that are spread over it evenly."""
    if len(text) <= TOKEN_SAMPLE_MAX_CHARS:
        return text
    starts, wanted = range(0, len(text), COUNTED_PIECE_CHARS), TOKEN_SAMPLE_MAX_CHARS // COUNTED_PIECE_CHARS
    chosen = (starts[index * len(starts) // wanted] for index in range(wanted))
    return "".join(text[start : start + COUNTED_PIECE_CHARS] for start in chosen)


def replace_surrogates(text: str) -> str:
    """Return `text` without the halves of characters that UTF-8 cannot write."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


async def load_vocabulary(model_name: str) -> None:
    """Have the vocabulary of a model ready, so that counting its tokens on the event loop is quick."""
    name = measure_for(model_name).vocabulary
    if name not in VOCABULARIES:
        await asyncio.to_thread(vocabulary, name)


def vocabulary(name: str) -> "AnyTokenizer":
    """Return a vocabulary, loaded once; it may be used from several threads."""
    if name not in VOCABULARIES:
        VOCABULARIES[name] = read_vocabulary(name)
    return VOCABULARIES[name]


def read_vocabulary(name: str) -> "AnyTokenizer":
    """Return a vocabulary that is ready to count, which takes a tenth of a second or two."""
    from splintr import Tokenizer

    tokenizer = Tokenizer.from_pretrained(name)
    # Of all ways to encode, the one that lets other threads have the interpreter meanwhile.
    tokenizer.encode_batch([UNKNOWN_WORD])
    return tokenizer
