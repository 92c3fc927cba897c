"""One call to a model: what is said to it, and what is heard back.

Every provider takes a `Call` and yields `StreamEvent` values. Nothing above this
rung knows which wire format was spoken.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from tertulia.core.json_object import JsonObject

#: The kinds of pictures that models can be shown.
MODEL_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(frozen=True, slots=True)
class Image:
    """A picture shown to a model that can see."""

    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the model may call; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool. `arguments` is JSON text exactly as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What running a tool gave."""

    call_id: str
    name: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of the prompt.

    `thought` carries a provider's own opaque thinking blocks back to that same
    provider; another provider's are never sent. All up to and with a message that
    `ends_stable` will be the same next turn: where a provider takes cache marks,
    one goes here. Neighbours of the same role are joined by the providers.
    """

    role: Literal["user", "assistant"]
    text: str
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    thought: tuple[JsonObject, ...] = ()
    ends_stable: bool = False


class Effort(StrEnum):
    """How long a model that can think should think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class QuotablePassage:
    """Words of a prompt that may be quoted to the person, and where they come from."""

    text: str
    source: str
    #: The number under which a passage that was looked up is cited; 0 for all others.
    number: int = 0
    #: The file it stands in; what people and models say is Markdown.
    path: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """Everything one request to a model says.

    Calls with the same `cache_key` begin alike: a provider that wants to be told is told.
    With `tools_rest` the tools are named, as a prompt with calls in it needs, but may not be called.
    `question` and `quotable` are in the messages too, among much else: no model is sent them, but a
    provider that answers by quoting needs them by themselves.
    """

    model: str
    system: str
    messages: tuple[PromptMessage, ...]
    output_limit: int
    temperature: float | None = None
    thinking: Effort | None = None
    tools: tuple[Tool, ...] = ()
    cache_key: str = ""
    tools_rest: bool = False
    question: str = ""
    quotable: tuple[QuotablePassage, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of the model's thinking; `block` is set once, when a block ends that must be sent back."""

    text: str
    block: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a call used; `input` includes the cached ones. `cost` in dollars where the provider says it."""

    input: int
    output: int
    cached: int = 0
    cache_write: int = 0
    thinking: int = 0
    cost: float | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """The model stopped by itself: why, in one of our words."""

    reason: Literal["done", "length", "tools", "refused"]


StreamEvent = TextDelta | ThinkingDelta | ToolCall | Usage | Finished


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model as its server lists it; what the server does not say is None."""

    name: str
    title: str | None = None
    window: int | None = None
    output_limit: int | None = None


class Provider(Protocol):
    """One connection to a server that runs models."""

    def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Ask, and yield what is heard. `aclose()` closes the upstream connection at once.

        A stream that ends well yields exactly one `Finished`; any other end raises
        one of `models.errors`. `Usage` may come more than once: the last one counts.
        """
        ...

    async def offered(self) -> list[OfferedModel]:
        """Return the models this server lists."""
        ...
