"""What OpenAI's clients send; what we do not know is passed over, as they expect."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tertulia.core.errors import Invalid
from tertulia.doors.openai.domain import CompletionRequest, TranscriptMessage
from tertulia.infra.http.body_limits import BodyLimit
from tertulia.infra.http.schema import LongText, ShortText
from tertulia.models.calls import Effort
from tertulia.turns.idempotency import IdempotentRequest

#: A whole transcript with its pictures.
CHAT_BODY_LIMIT = BodyLimit(40_000_000, json_max_tokens=200_000)


class NotSupported(Invalid):
    """A part of OpenAI's API that this door does not have."""

    code = "not_supported"


class LenientSchema(BaseModel):
    """A body whose unknown fields are passed over."""

    model_config = ConfigDict(extra="ignore")


class ImageUrl(LenientSchema):
    """A picture, as a data URL: nothing is fetched from elsewhere."""

    url: Annotated[str, Field(max_length=8_000_000)]


class MessagePart(LenientSchema):
    """A piece of a message."""

    type: Literal["text", "image_url"]
    text: LongText = ""
    image_url: ImageUrl | None = None


class SentMessage(LenientSchema):
    """One message of the transcript."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: LongText | Annotated[list[MessagePart], Field(fail_fast=True)] | None = None

    @property
    def text(self) -> str:
        """Return all its text."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or [] if part.type == "text")

    @property
    def picture_urls(self) -> tuple[str, ...]:
        """Return its pictures, as data URLs."""
        if isinstance(self.content, str):
            return ()
        return tuple(part.image_url.url for part in self.content or [] if part.image_url)

    def to_transcript_message(self) -> TranscriptMessage:
        """Return the message as a value."""
        return TranscriptMessage(self.role, self.text, self.picture_urls)


class StreamOptions(LenientSchema):
    """How a stream ends."""

    include_usage: bool = False


class ChatRequest(LenientSchema):
    """A chat completion to be made."""

    model: ShortText
    messages: Annotated[list[SentMessage], Field(min_length=1, max_length=10_000, fail_fast=True)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    reasoning_effort: str | None = None
    n: int | None = None
    tools: list[Any] | None = None

    @property
    def effort(self) -> Effort | None:
        """Return how long to think, where it is one of the words we know."""
        known = {effort.value: effort for effort in Effort}
        return known.get(self.reasoning_effort or "")

    def check_supported(self) -> None:
        """Raise for what this door cannot do, rather than do something else in silence."""
        if self.tools:
            raise NotSupported("Tools cannot be sent through this door. Leave `tools` out.")
        if self.n not in (None, 1):
            raise NotSupported(
                "One choice is made at a time: leave `n` out, or name a table of several models."
            )
        if any(message.role in ("tool", "function") for message in self.messages):
            raise NotSupported("Messages of tools cannot be sent through this door.")
        if self.messages[-1].role != "user":
            raise NotSupported("The last message must be the user's.")

    def to_completion_request(
        self, *, project_id: str | None, idempotency_key: str | None
    ) -> CompletionRequest:
        """Return what is asked for as a value, or raise for what this door cannot do."""
        self.check_supported()
        return CompletionRequest(
            model=self.model,
            messages=tuple(message.to_transcript_message() for message in self.messages),
            effort=self.effort,
            temperature=self.temperature,
            reply_max_tokens=self.max_completion_tokens or self.max_tokens,
            project_id=project_id,
            idempotency=IdempotentRequest.of(
                idempotency_key, "completion", project_id, self.model_dump(mode="json")
            ),
        )


class ModelObject(BaseModel):
    """A model as OpenAI lists it."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str


class ModelList(BaseModel):
    """All models, and the tables of several."""

    object: Literal["list"] = "list"
    data: list[ModelObject]
