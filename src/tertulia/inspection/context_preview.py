"""What each model would be shown and what that would cost, before anything is sent."""

from dataclasses import dataclass, replace
from functools import partial

from tertulia.agents.text_tool_calls import can_use_tools
from tertulia.context.domain import PromptInputs, RecallResult
from tertulia.context.prompt_assembly import assemble_prompt
from tertulia.context.prompt_inputs import DraftQuestion, gather_draft_inputs
from tertulia.context.prompt_plan import PromptPlan
from tertulia.context.prompt_settings import find_project, resolve_prompt_settings
from tertulia.context.system_prompt import can_read_files
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading, get_message_without_texts
from tertulia.conversations.audience import find_audience
from tertulia.conversations.domain import Origin, Seat
from tertulia.conversations.round_writer import HEAD_PARENT
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.threads import run_in_thread_if_long
from tertulia.infra.db import Tx
from tertulia.models.calls import Tool, Usage
from tertulia.models.cost import cost_of
from tertulia.models.domain import Model
from tertulia.models.token_calibration import token_ratio_of
from tertulia.projects import access as projects
from tertulia.tools.domain import ToolCaller
from tertulia.turns.domain import Ask
from tertulia.turns.seats import find_seats
from tertulia.turns.services import TurnServices


@dataclass(frozen=True, slots=True)
class PromptEstimate:
    """What one lane would be shown: a plan, or why it could not be asked."""

    lane: str
    model: Model
    plan: PromptPlan | None
    problem: TertuliaError | None = None
    #: What the plan was made from.
    inputs: PromptInputs | None = None
    ratio: float = 1.0
    tools: tuple[Tool, ...] = ()

    @property
    def limit(self) -> int:
        """Return the tokens that a prompt of this lane may have."""
        return self.plan.limit if self.plan else 0

    def tokens_of(self, inputs: PromptInputs) -> int:
        """Return how many tokens a prompt made from other inputs would have."""
        return assemble_prompt(inputs, self.model, ratio=self.ratio, tools=self.tools).tokens

    @property
    def cost_input(self) -> float | None:
        """Return what reading the prompt costs, where the price is known."""
        return self._cost(output=0)

    @property
    def cost_most(self) -> float | None:
        """Return what it costs at most, with the longest reply."""
        return self._cost(output=self.plan.reply if self.plan else 0)

    def _cost(self, *, output: int) -> float | None:
        if self.plan is None or self.model.prices is None:
            return None
        return cost_of(Usage(self.plan.tokens, output), self.model.prices)


async def estimate_prompts(ask: Ask, *, by: Principal, services: TurnServices) -> list[PromptEstimate]:
    """Return what each model that would be asked would be shown."""
    ask = await resolve_project(ask, by=by, services=services)
    most = services.settings.models_per_round
    seats = (await find_seats(ask, by=by, db=services.db, models=services.models, max_models=most)).seats
    table = tuple(seat.lane for seat in seats)
    drafts = [
        await services.db.read(
            lambda tx, asked_seat=seat: to_draft_question(tx, ask, asked_seat, table), by=by
        )
        for seat in seats
    ]
    audience = await services.db.read_inline(lambda tx: find_audience(tx, ask.conversation_id), by=by)
    memory = await services.recall.for_draft(drafts[0], by=by, audience=audience)
    return [
        await estimate_prompt(draft, memory, by=by, audience=audience, services=services) for draft in drafts
    ]


async def resolve_project(ask: Ask, *, by: Principal, services: TurnServices) -> Ask:
    """Return a question with the project that a conversation begun with it would belong to."""
    if ask.conversation_id is not None:
        return ask
    if ask.project_id is None:
        return replace(ask, project_id=(await services.db.write(projects.get_default, by=by)).id)
    project_id = ask.project_id
    return replace(
        ask, project_id=(await services.db.read(lambda tx: projects.get(tx, project_id), by=by)).id
    )


async def estimate_prompt(
    draft: DraftQuestion, memory: RecallResult, *, by: Principal, audience: Principal, services: TurnServices
) -> PromptEstimate:
    """Return what one lane would be shown, or why it could not be asked."""
    resolved = await services.models.resolve(draft.seat.model, by=by)
    model = resolved.model
    tools = await tools_for_draft(draft, model, by=by, services=services)

    def look(tx: Tx) -> tuple[PromptInputs, float]:
        can_read = can_read_files(tools)
        inputs = gather_draft_inputs(tx, draft, tier=model.tier, memory=memory, can_read=can_read)
        return inputs, token_ratio_of(tx, model, payer=resolved.payer(by))

    inputs, ratio = await services.db.read(look, by=audience)
    try:
        write_prompt = partial(assemble_prompt, inputs, model, ratio=ratio, tools=tools)
        plan = (await run_in_thread_if_long(write_prompt, chars=inputs.chars)).plan
    except TertuliaError as error:
        return PromptEstimate(draft.seat.lane, model, None, error)
    return PromptEstimate(draft.seat.lane, model, plan, None, inputs, ratio, tools)


async def tools_for_draft(
    draft: DraftQuestion, model: Model, *, by: Principal, services: TurnServices
) -> tuple[Tool, ...]:
    """Return the tools that a model would be offered."""
    caller = await services.db.read(lambda tx: caller_for_draft(tx, draft, model), by=by)
    return (await services.tool_registry.for_caller(caller)).tool_definitions(caller)


def caller_for_draft(tx: Tx, draft: DraftQuestion, model: Model) -> ToolCaller:
    """Return on whose behalf tools would run if a question were asked."""
    conversation = get_for_reading(tx, draft.conversation_id) if draft.conversation_id else None
    project_id = conversation.project_id if conversation else draft.project_id
    for_program = conversation is not None and conversation.origin is Origin.API
    settings = resolve_prompt_settings(conversation, find_project(tx, project_id))
    return ToolCaller(
        tx.by,
        None if for_program else project_id,
        draft.conversation_id or "",
        model_is_local=model.local,
        is_temporary=conversation.is_temporary if conversation else draft.temporary,
        has_tools=not for_program and can_use_tools(model, settings.tools),
    )


def to_draft_question(tx: Tx, ask: Ask, seat: Seat, table: tuple[str, ...]) -> DraftQuestion:
    """Return a question as it would be asked, and where."""
    parent_id, before = find_parent(tx, ask)
    return DraftQuestion(
        text=ask.message,
        seat=seat,
        table=table,
        policy=ask.policy,
        conversation_id=ask.conversation_id,
        project_id=ask.project_id,
        temporary=ask.temporary,
        author_id=tx.by.user_id,
        parent_id=parent_id,
        round_before=before,
        images=ask.images,
    )


def find_parent(tx: Tx, ask: Ask) -> tuple[str | None, str | None]:
    """Return the message that a question would follow, and its round."""
    conversation = get_for_reading(tx, ask.conversation_id) if ask.conversation_id else None
    if ask.parent_id is None:
        return None, None
    if ask.parent_id != HEAD_PARENT:
        message = get_message_without_texts(tx, ask.parent_id)
        if conversation is None or message.conversation_id != conversation.id:
            raise NotFound("message")
        return message.id, message.round_id
    if conversation is None or conversation.head_id is None:
        return None, None
    return rounds.get_question_id(tx, conversation.head_id), conversation.head_id
