"""What producing replies needs, in one place."""

from dataclasses import dataclass, field

from tertulia.agents.model_quirks import QuirkRegistry
from tertulia.context.recall import Recall
from tertulia.infra.courier import Courier
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.models.service import Models
from tertulia.settings import Settings
from tertulia.tools.registry import ToolRegistry
from tertulia.turns.recorder import Recorder


@dataclass(frozen=True, slots=True)
class TurnServices:
    """What producing a reply needs."""

    db: Database
    events: EventLog
    models: Models
    settings: Settings
    recorder: Recorder
    recall: Recall
    tool_registry: ToolRegistry
    #: The name under which this process holds its runs.
    worker: str
    courier: Courier
    quirks: QuirkRegistry = field(default_factory=QuirkRegistry)
