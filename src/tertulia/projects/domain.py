"""What a project is."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class ProjectStatus(StrEnum):
    """Where a project stands."""

    ACTIVE = "active"
    PAUSED = "paused"
    DONE = "done"
    ARCHIVED = "archived"


class Strategy(StrEnum):
    """How models are given what may help: as suits each one, in full to every one, or hardly at all."""

    SMART = "smart"
    BALANCED = "balanced"
    MINIMAL = "minimal"


class Level(StrEnum):
    """How much models are given besides the question."""

    LIGHT = "light"
    STANDARD = "standard"
    FULL = "full"


class ToolOffer(StrEnum):
    """Which models are offered tools: those that can use them and are worth it, or every one."""

    SUITED = "suited"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What a project decides for its conversations."""

    default_models: list[str] = field(default_factory=list[str])
    context_strategy: Strategy = Strategy.SMART
    #: Without one, a model's tier decides.
    context_level: Level | None = None
    max_context_tokens: int | None = None
    context_tools: ToolOffer = ToolOffer.SUITED


@dataclass(frozen=True, slots=True)
class Project:
    """Instructions, a brief and conversations on one subject."""

    id: str
    workspace_id: str
    name: str
    description: str
    brief: str
    instructions: str
    status: ProjectStatus
    settings: ProjectSettings
    is_default: bool
    created_by: str
    created_at: datetime
    updated_at: datetime
