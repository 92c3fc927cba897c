"""Counting tokens, offline.

Vocabularies are loaded when first needed. Makers that keep theirs secret are
estimated with a near one and a factor on the safe side.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from tertulia.models.calls import Call, Said, Tool

if TYPE_CHECKING:
    from splintr import AnyTokenizer

#: What surrounds every message, and what a picture of usual size takes.
TOKENS_PER_MESSAGE = 4
TOKENS_PER_IMAGE = 1_600
#: Some vocabularies slow down with the length of the text, so it is counted in pieces.
PIECE = 8_192
#: Of a longer text only so many characters are counted, spread over it evenly.
LONGEST_COUNTED = 25 * PIECE


@dataclass(frozen=True, slots=True)
class Measure:
    """How a family's tokens are counted: a vocabulary, and a factor where it is only a near one."""

    vocabulary: str
    factor: float = 1.0


DEFAULT = Measure("o200k_base")
MEASURES = (
    # Claude's newer vocabulary makes about a third more tokens of the same text than its older one.
    (r"claude.*(opus-4-[7-9]|(opus|sonnet|haiku|fable)-[5-9])", Measure("o200k_base", 1.6)),
    (r"claude", Measure("o200k_base", 1.25)),
    (r"gemini", Measure("gemma3", 1.05)),
    (r"gemma-?4", Measure("gemma4")),
    (r"gemma", Measure("gemma3")),
    (r"gpt-oss", Measure("gpt_oss")),
    (r"gpt-(3\.5|4($|-))|text-embedding", Measure("cl100k_base")),
    (r"deepseek.*(llama)|llama-?[34]|llama", Measure("llama3")),
    (r"qwen|qwq", Measure("qwen3")),
    (r"deepseek", Measure("deepseek_v3")),
    (r"mistral|mixtral|ministral|codestral|devstral|magistral|pixtral", Measure("mistral_v3")),
    (r"kimi", Measure("kimi_k2")),
    (r"glm", Measure("glm4")),
    (r"phi-?4", Measure("phi4")),
    # SmolLM2's vocabulary of 49,000 makes somewhat more tokens.
    (r"smollm", Measure("cl100k_base", 1.2)),
)
COMPILED = tuple((re.compile(pattern), measure) for pattern, measure in MEASURES)


def count(text: str, model_name: str) -> int:
    """Return how many tokens a model makes of `text`: exact where its vocabulary is known."""
    if not text:
        return 0
    measure = measure_for(model_name)
    tokenizer = vocabulary(measure.vocabulary)
    pieces = [text[start : start + PIECE] for start in sampled_starts(len(text))]
    counted = sum(len(tokenizer.encode_ordinary(writable(piece))) for piece in pieces)
    share = len(text) / sum(map(len, pieces))
    return ceil(counted * share * measure.factor)


def count_call(call: Call) -> int:
    """Return how many tokens a whole prompt takes, tools and pictures included."""
    texts = [call.system, *map(tool_text, call.tools), *map(said_text, call.messages)]
    images = sum(len(said.images) for said in call.messages)
    around = TOKENS_PER_MESSAGE * (len(call.messages) + 1)
    return sum(count(text, call.model) for text in texts) + images * TOKENS_PER_IMAGE + around


def tool_text(tool: Tool) -> str:
    """Return a tool about as it is written to a model."""
    return f"{tool.name}\n{tool.description}\n{msgspec.json.encode(tool.parameters).decode()}"


def said_text(said: Said) -> str:
    """Return all the text of one message, its tool calls and their results too."""
    calls = [f"{call.name} {call.arguments}" for call in said.tool_calls]
    results = [f"{result.name} {result.text}" for result in said.tool_results]
    thought = [msgspec.json.encode(block).decode() for block in said.thought]
    return "\n".join([said.text, *calls, *results, *thought])


def sampled_starts(length: int) -> list[int]:
    """Return where the pieces begin that are counted: all of them, or an even sample of a long text."""
    starts = range(0, length, PIECE)
    if length <= LONGEST_COUNTED:
        return list(starts)
    wanted = LONGEST_COUNTED // PIECE
    return [starts[index * len(starts) // wanted] for index in range(wanted)]


def writable(text: str) -> str:
    """Return `text` without the halves of characters that UTF-8 cannot write."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@lru_cache(4096)
def measure_for(model_name: str) -> Measure:
    """Return how a model's tokens are counted, by its name."""
    lowered = model_name.lower()
    return next((measure for pattern, measure in COMPILED if pattern.search(lowered)), DEFAULT)


@lru_cache(32)
def vocabulary(name: str) -> "AnyTokenizer":
    """Return a vocabulary, loaded once; it may be used from several threads."""
    from splintr import Tokenizer  # noqa: PLC0415 - large, and not every start counts

    return Tokenizer.from_pretrained(name)
