"""What producing replies needs, in one place."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

from tertulia.agents.refused_options import RefusedOption
from tertulia.context.recall import Recall
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
    #: Set when jobs were queued.
    jobs_queued: asyncio.Event
    #: Options that models turned out to refuse, by who asks: others may have another server of that name.
    refused_options: dict[tuple[str, str], set[RefusedOption]] = field(
        default_factory=lambda: defaultdict(set)
    )
    #: Models that turned out to know no tools, by who asks: others may have another server of that name.
    models_without_tools: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
