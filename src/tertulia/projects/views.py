"""The settings of a project, the same on the wire and in exported documents."""

from typing import Annotated

from pydantic import Field

from tertulia.infra.http.schema import Schema, ShortText
from tertulia.projects.domain import Level, Strategy, ToolOffer

#: A prompt of fewer tokens could not hold a question and what a model has to know.
MaxTokens = Annotated[int, Field(ge=256, le=10_000_000)]
ModelNames = Annotated[list[ShortText], Field(max_length=1_000)]


class ProjectSettingsView(Schema):
    """What a project decides for its conversations."""

    default_models: ModelNames = Field(default_factory=list[str])
    context_strategy: Strategy = Strategy.SMART
    context_level: Level | None = None
    max_context_tokens: MaxTokens | None = None
    context_tools: ToolOffer = ToolOffer.SUITED
