"""The tool by which a model proposes to remember something: it waits in the person's inbox."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.memories.domain import MemoryType
from tertulia.memories.tool_proposals import propose_quote
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of


class RememberArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to propose."""

    quote: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2_000,
            description="The person's own words, copied exactly.",
        ),
    ]
    content: Annotated[str, Meta(min_length=1, max_length=500, description="The same in one short sentence.")]
    type: Annotated[MemoryType, Meta(description="What it is about.")]
    category: Annotated[str, Meta(max_length=100, description="One word, such as work or health.")] = ""


class RememberTool:
    """Puts a proposal into the inbox of the person who asked. It changes nothing until they approve it."""

    name = "remember"
    description = (
        "Propose to remember something that the person said in this conversation and that will matter beyond "
        "it: a lasting fact, preference or decision. They approve or reject it later."
    )
    shape = RememberArguments
    parameters = parameters_of(RememberArguments)
    effect = Effect.READ
    uses_memory = True

    def __init__(self, db: Database, log: EventLog) -> None:
        self._db = db
        self._log = log

    async def run(self, arguments: RememberArguments, caller: ToolCaller) -> ToolOutput:
        """Verify the quotation, and put the proposal into the inbox."""

        def write(tx: Tx) -> bool:
            return propose_quote(
                tx,
                caller.conversation_id,
                quote=arguments.quote,
                content=arguments.content,
                type_=arguments.type,
                category=arguments.category,
                made_by=f"agent:{caller.model}",
                log=self._log,
            )

        is_new = await self._db.write(write, by=caller.by)
        return ToolOutput(
            "It waits in the person's inbox for their approval." if is_new else "It was proposed before."
        )
