"""How each family of models counts: its vocabulary, and what its chat format puts around texts."""

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Shape:
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
CHAT = Shape(message=4, system=4, reply=3, call=3, tools=12)
CHATML = Shape(message=5, system=5, reply=3, tools=80)
HARMONY = Shape(message=4, system=4, reply=60, tools=20)
LLAMA = Shape(message=5, system=5, reply=5, tools=80)
GEMMA = Shape(message=5, system=2, reply=4, tools=40)
BRACKETS = Shape(message=3, system=3, reply=2, tools=4)
#: Anthropic says that offering tools adds a prompt of its own.
CLAUDE = Shape(message=4, system=0, reply=3, tools=346)
GEMINI = Shape(message=1, system=1, reply=0, tools=10)


@dataclass(frozen=True, slots=True)
class Measure:
    """How a family's tokens are counted: a vocabulary, and a factor where it is only a near one.

    It is `exact` where a name of this form always means this very vocabulary.
    """

    vocabulary: str
    factor: float = 1.0
    shape: Shape = CHAT
    exact: bool = False


DEFAULT = Measure("o200k_base")
MEASURES = (
    # Claude's newer vocabulary makes about a third more tokens of the same text than its older one.
    (r"claude.*(opus-4-[7-9]|(opus|sonnet|haiku|fable)-[5-9])", Measure("o200k_base", 1.6, CLAUDE)),
    (r"claude", Measure("o200k_base", 1.25, CLAUDE)),
    (r"gemini", Measure("gemma3", 1.05, GEMINI)),
    (r"gemma-?4", Measure("gemma4", 1, GEMMA, exact=True)),
    (r"gemma-?3", Measure("gemma3", 1, GEMMA, exact=True)),
    (r"gemma", Measure("gemma3", 1, GEMMA)),
    (r"gpt-oss", Measure("gpt_oss", 1, HARMONY, exact=True)),
    (r"gpt-(3\.5|4($|-))|text-embedding", Measure("cl100k_base", exact=True)),
    (r"(^|[/:])(chatgpt-|gpt-(4o|4\.|[5-9]|\d\d)|o[1-9]($|-))", Measure("o200k_base", exact=True)),
    (r"deepseek.*(llama)", Measure("llama3", 1, BRACKETS)),
    (r"llama-?[34]", Measure("llama3", 1, LLAMA, exact=True)),
    (r"llama", Measure("llama3", 1, LLAMA)),
    (r"qwen-?3($|[-:])", Measure("qwen3", 1, CHATML, exact=True)),
    (r"qwen|qwq", Measure("qwen3", 1, CHATML)),
    (r"deepseek", Measure("deepseek_v3", 1, BRACKETS)),
    (r"mistral|mixtral|ministral|codestral|devstral|magistral|pixtral", Measure("mistral_v3", 1, BRACKETS)),
    (r"kimi-?k2", Measure("kimi_k2", 1, CHATML, exact=True)),
    (r"kimi", Measure("kimi_k2", 1, CHATML)),
    (r"glm", Measure("glm4", 1, BRACKETS)),
    (r"phi-?4", Measure("phi4", 1, CHATML)),
    # SmolLM2's vocabulary of 49,000 makes somewhat more tokens.
    (r"smollm", Measure("cl100k_base", 1.2, CHATML)),
)
COMPILED = tuple((re.compile(pattern), measure) for pattern, measure in MEASURES)


@lru_cache(4096)
def measure_for(model_name: str) -> Measure:
    """Return how a model's tokens are counted, by its name."""
    lowered = model_name.lower()
    return next((measure for pattern, measure in COMPILED if pattern.search(lowered)), DEFAULT)
