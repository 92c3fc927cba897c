"""Before a model is asked: who it is, what may help it, which tools it has, and its prompt."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from tertulia.agents.text_tool_calls import can_use_tools
from tertulia.context.domain import PromptInputs
from tertulia.context.prompt_assembly import Prompt, assemble_prompt
from tertulia.context.prompt_inputs import gather_inputs
from tertulia.context.prompt_settings import read_prompt_settings
from tertulia.context.system_prompt import can_read_files
from tertulia.conversations.access import get_for_reading, get_round
from tertulia.conversations.audience import audience_of
from tertulia.conversations.domain import Origin, Policy, speaker_of
from tertulia.core.threads import run_in_thread_if_long
from tertulia.infra.db import Tx
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.domain import Model
from tertulia.models.token_calibration import token_ratio_of
from tertulia.tools.domain import ToolCaller
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.reply_tools import ReplyTools
from tertulia.turns.services import TurnServices


@dataclass(frozen=True, slots=True)
class PreparedReply:
    """All that it takes to ask a model."""

    resolved: ResolvedModel
    tools: ReplyTools
    prompt: Prompt
    #: Returns the prompt with less of the past, for a provider that finds it too long.
    write_shorter_prompt: Callable[[], Awaitable[Prompt]]


@dataclass(frozen=True, slots=True)
class NotAsked:
    """The reply ended before its model was asked, for this reason."""

    error: BaseException


async def prepare_reply(draft: ReplyDraft, *, services: TurnServices) -> PreparedReply:
    """Look up all that a reply needs, as the audience of its conversation, and write its prompt."""
    reply = draft.reply
    resolved = await services.models.resolve(reply.model, by=draft.by)
    caller = await services.db.read_inline(lambda tx: caller_for(tx, draft, resolved.model), by=draft.by)
    memory, registry = await asyncio.gather(
        services.recall.for_reply(reply, by=draft.by, audience=caller.reader),
        services.tool_registry.for_caller(caller),
    )
    tools = ReplyTools(draft, caller, registry=registry, services=services)
    offered = tools.tool_definitions()

    def gather(tx: Tx) -> tuple[PromptInputs, float]:
        can_read = can_read_files(offered)
        inputs = gather_inputs(tx, reply, tier=resolved.model.tier, memory=memory, can_read=can_read)
        return inputs, token_ratio_of(tx, resolved.model, payer=resolved.payer(draft.by))

    inputs, ratio = await services.db.read(gather, by=caller.reader)
    assemble = partial(assemble_prompt, inputs, resolved.model, ratio=ratio, tools=offered)
    return PreparedReply(
        resolved,
        tools,
        prompt=await run_in_thread_if_long(assemble, chars=inputs.chars),
        write_shorter_prompt=partial(
            run_in_thread_if_long, partial(assemble, shorter=True), chars=inputs.chars
        ),
    )


def caller_for(tx: Tx, draft: ReplyDraft, model: Model) -> ToolCaller:
    """Return on whose behalf the tools of a reply run, and what its lane may be shown."""
    reply = draft.reply
    conversation = get_for_reading(tx, reply.conversation_id)
    for_program = conversation.origin is Origin.API
    own = get_round(tx, reply.round_id).policy is Policy.OWN
    return ToolCaller(
        by=draft.by,
        audience=audience_of(conversation, draft.by),
        project_id=None if for_program else conversation.project_id,
        conversation_id=conversation.id,
        model_is_local=model.local,
        round_id=reply.round_id,
        reply_id=reply.id,
        only_lane=reply.lane if own else "",
        only_speaker=speaker_of(reply.model) if own else "",
        model=reply.model,
        is_temporary=conversation.is_temporary,
        has_tools=not for_program and can_use_tools(model, read_prompt_settings(tx, conversation).tools),
    )
