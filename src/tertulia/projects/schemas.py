"""Projects on the wire."""

from typing import Annotated

from pydantic import Field

from tertulia.infra.http.schema import CursorPage, LongText, Schema, ShortText, Timestamp
from tertulia.projects.domain import Level, ProjectStatus, Strategy

#: A prompt of fewer tokens could not hold a question and what a model has to know.
MaxTokens = Annotated[int, Field(ge=256, le=10_000_000)]
ModelNames = Annotated[list[ShortText], Field(max_length=1_000)]


class ProjectSettingsView(Schema):
    """What a project decides for its conversations."""

    default_models: ModelNames = Field(default_factory=list[str])
    context_strategy: Strategy = Strategy.SMART
    context_level: Level | None = None
    max_context_tokens: MaxTokens | None = None


class NewProject(Schema):
    """A project to be made."""

    name: ShortText
    description: LongText = ""
    brief: LongText = ""
    instructions: LongText = ""
    status: ProjectStatus = ProjectStatus.ACTIVE
    settings: ProjectSettingsView = ProjectSettingsView()


class ProjectChange(Schema):
    """What to change; fields that are left out stay as they are, those of `settings` too."""

    name: ShortText = ""
    description: LongText = ""
    brief: LongText = ""
    instructions: LongText = ""
    status: ProjectStatus = ProjectStatus.ACTIVE
    settings: ProjectSettingsView = ProjectSettingsView()


class ProjectView(Schema):
    """A project as its members see it."""

    id: str
    name: str
    description: str
    brief: str
    instructions: str
    status: ProjectStatus
    settings: ProjectSettingsView
    is_default: bool
    created_by: str
    created_at: Timestamp
    updated_at: Timestamp


class ProjectPage(CursorPage):
    """Some projects, newest first."""

    projects: list[ProjectView]
