"""What producing replies needs, in one place."""

import asyncio
from dataclasses import dataclass, field

from tertulia.context.recall import Recall
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.models.service import Models
from tertulia.settings import Settings
from tertulia.tools.toolbox import Toolbox
from tertulia.turns.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Desk:
    """What producing a reply needs."""

    db: Database
    events: EventLog
    models: Models
    settings: Settings
    recorder: Recorder
    recall: Recall
    toolbox: Toolbox
    #: The name under which this process holds its runs.
    worker: str
    #: Set when jobs were queued.
    job_news: asyncio.Event
    #: Models that turned out to know no tools.
    knowing_no_tools: set[str] = field(default_factory=set[str])
