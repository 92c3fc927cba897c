"""How each family of models counts: its vocabulary, and what its chat format puts around texts."""

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """Tokens a chat format adds: around each message, around a call of a tool, before the reply.

    `tools` comes once where there are tools at all. Formats differ in the system prompt too:
    some write it as a message, others only set it before the first.
    """

    message: int
    system: int
    reply: int
    call: int = 8
    tools: int = 0


#: OpenAI's published figures: three and the role for each message, three before the reply.
OPENAI_CHAT_FORMAT = ChatFormat(message=4, system=4, reply=3, call=3, tools=12)
CHATML_FORMAT = ChatFormat(message=5, system=5, reply=3, tools=80)
HARMONY_FORMAT = ChatFormat(message=4, system=4, reply=60, tools=20)
LLAMA_FORMAT = ChatFormat(message=5, system=5, reply=5, tools=80)
GEMMA_FORMAT = ChatFormat(message=5, system=2, reply=4, tools=40)
BRACKETS_FORMAT = ChatFormat(message=3, system=3, reply=2, tools=4)
#: Anthropic says that offering tools adds a prompt of its own.
CLAUDE_FORMAT = ChatFormat(message=4, system=0, reply=3, tools=346)
GEMINI_FORMAT = ChatFormat(message=1, system=1, reply=0, tools=10)


@dataclass(frozen=True, slots=True)
class TokenMeasure:
    """How a family's tokens are counted: a vocabulary, and a factor where it is only a near one.

    It `is_exact` where a name of this form always means this very vocabulary.
    """

    vocabulary: str
    factor: float = 1.0
    chat_format: ChatFormat = OPENAI_CHAT_FORMAT
    is_exact: bool = False


DEFAULT_TOKEN_MEASURE = TokenMeasure("o200k_base")
TOKEN_MEASURES = (
    # Claude's newer vocabulary makes about a third more tokens of the same text than its older one.
    (
        r"claude.*(opus-4-[7-9]|(opus|sonnet|haiku|fable)-[5-9])",
        TokenMeasure("o200k_base", 1.6, CLAUDE_FORMAT),
    ),
    (r"claude", TokenMeasure("o200k_base", 1.25, CLAUDE_FORMAT)),
    (r"gemini", TokenMeasure("gemma3", 1.05, GEMINI_FORMAT)),
    (r"gemma-?4", TokenMeasure("gemma4", 1, GEMMA_FORMAT, is_exact=True)),
    (r"gemma-?3", TokenMeasure("gemma3", 1, GEMMA_FORMAT, is_exact=True)),
    (r"gemma", TokenMeasure("gemma3", 1, GEMMA_FORMAT)),
    (r"gpt-oss", TokenMeasure("gpt_oss", 1, HARMONY_FORMAT, is_exact=True)),
    (r"gpt-(3\.5|4($|-))|text-embedding", TokenMeasure("cl100k_base", is_exact=True)),
    (r"(^|[/:])(chatgpt-|gpt-(4o|4\.|[5-9]|\d\d)|o[1-9]($|-))", TokenMeasure("o200k_base", is_exact=True)),
    (r"deepseek.*(llama)", TokenMeasure("llama3", 1, BRACKETS_FORMAT)),
    (r"llama-?[34]", TokenMeasure("llama3", 1, LLAMA_FORMAT, is_exact=True)),
    (r"llama", TokenMeasure("llama3", 1, LLAMA_FORMAT)),
    (r"qwen-?3($|[-:])", TokenMeasure("qwen3", 1, CHATML_FORMAT, is_exact=True)),
    (r"qwen|qwq", TokenMeasure("qwen3", 1, CHATML_FORMAT)),
    (r"deepseek", TokenMeasure("deepseek_v3", 1, BRACKETS_FORMAT)),
    (
        r"mistral|mixtral|ministral|codestral|devstral|magistral|pixtral",
        TokenMeasure("mistral_v3", 1, BRACKETS_FORMAT),
    ),
    (r"kimi-?k2", TokenMeasure("kimi_k2", 1, CHATML_FORMAT, is_exact=True)),
    (r"kimi", TokenMeasure("kimi_k2", 1, CHATML_FORMAT)),
    (r"glm", TokenMeasure("glm4", 1, BRACKETS_FORMAT)),
    (r"phi-?4", TokenMeasure("phi4", 1, CHATML_FORMAT)),
    # SmolLM2's vocabulary of 49,000 makes somewhat more tokens.
    (r"smollm", TokenMeasure("cl100k_base", 1.2, CHATML_FORMAT)),
)
TOKEN_MEASURE_PATTERNS = tuple((re.compile(pattern), measure) for pattern, measure in TOKEN_MEASURES)


@lru_cache(4096)
def measure_for(model_name: str) -> TokenMeasure:
    """Return how a model's tokens are counted, by its name."""
    lowered = model_name.lower()
    return next(
        (measure for pattern, measure in TOKEN_MEASURE_PATTERNS if pattern.search(lowered)),
        DEFAULT_TOKEN_MEASURE,
    )
