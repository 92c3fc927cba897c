"""What a program asks for, apart from the shape that it is sent in."""

from dataclasses import dataclass

from tertulia.models.calls import Effort
from tertulia.turns.idempotency import IdempotentRequest


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """One message of the transcript that a program sends; its pictures are data URLs."""

    role: str
    text: str
    picture_urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A chat completion to be made."""

    model: str
    messages: tuple[TranscriptMessage, ...]
    effort: Effort | None
    temperature: float | None
    reply_max_tokens: int | None
    project_id: str | None
    idempotency: IdempotentRequest
