"""How much models are shown: as the conversation says, else as its project does."""

from tertulia.context.domain import PromptSettings
from tertulia.conversations.domain import Conversation
from tertulia.infra.db import Tx
from tertulia.projects import access as projects
from tertulia.projects.domain import Project

DEFAULT_PROMPT_SETTINGS = PromptSettings()


def find_project(tx: Tx, project_id: str | None) -> Project | None:
    """Return a project, if there is one to speak of."""
    return projects.get(tx, project_id) if project_id else None


def resolve_prompt_settings(conversation: Conversation | None, project: Project | None) -> PromptSettings:
    """Return how much is to be shown: as the conversation says, else as the project does."""
    own = conversation.context if conversation else None
    settings = project.settings if project else None
    usual = DEFAULT_PROMPT_SETTINGS
    if settings is not None:
        usual = PromptSettings(
            settings.context_strategy,
            settings.context_level,
            settings.max_context_tokens,
            settings.context_tools,
        )
    return PromptSettings(
        strategy=(own.strategy if own else None) or usual.strategy,
        level=(own.level if own else None) or usual.level,
        max_tokens=(own.max_tokens if own else None) or usual.max_tokens,
        tools=(own.tools if own else None) or usual.tools,
    )


def read_prompt_settings(tx: Tx, conversation: Conversation) -> PromptSettings:
    """Return how much is to be shown in a conversation."""
    return resolve_prompt_settings(conversation, find_project(tx, conversation.project_id))
