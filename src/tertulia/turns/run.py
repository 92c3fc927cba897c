"""One lane's reply. Keep this a loop: a new concern gets a folder below it, or a job after it."""

import asyncio
import logging
from dataclasses import asdict, dataclass, replace
from functools import partial

from tertulia.agents.agent_events import AgentEvent
from tertulia.agents.loop import WaitingForApproval, run_agent_loop
from tertulia.agents.loop_limits import LoopLimitReached, LoopLimits
from tertulia.agents.retry import RetryScheduled
from tertulia.agents.step_stream import stream_step
from tertulia.agents.text_tool_calls import can_use_tools
from tertulia.context import receipts
from tertulia.context.domain import PromptInputs
from tertulia.context.prompt_assembly import Prompt, assemble_prompt
from tertulia.context.prompt_inputs import gather_inputs
from tertulia.context.step_budget import build_plan_step, fit_steps
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading, get_round
from tertulia.conversations.audience import audience_of, find_audience
from tertulia.conversations.domain import Origin, Policy, Reply, ReplyStatus, speaker_of
from tertulia.conversations.events import ReplyStarted, ReplyStatusChanged, encode_event
from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.threads import run_in_thread_if_long
from tertulia.infra.db import Tx
from tertulia.models.calls import Call, Finished, TextDelta, ThinkingDelta, Usage
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.cost import cost_of
from tertulia.models.domain import Model
from tertulia.models.errors import PromptTooLong
from tertulia.models.token_calibration import learn_token_ratio, token_ratio_of
from tertulia.models.tokens import count
from tertulia.tools.domain import ToolCaller
from tertulia.turns import billing, store
from tertulia.turns.domain import Charge
from tertulia.turns.errors import (
    EmptyReply,
    InternalError,
    LeaseLost,
    ModelDeclined,
    ReplyCutAtLimit,
    ReplyTooLong,
)
from tertulia.turns.recorder import Recorder
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.reply_notes import with_all_notes
from tertulia.turns.reply_tools import ReplyTools
from tertulia.turns.services import TurnServices

log = logging.getLogger("tertulia.turns")

#: What is said when a model is asked again with less.
SHORTENED = "The provider found the prompt too long: it is asked once more with less of the past."


@dataclass(slots=True)
class ReplyOutcome:
    """How a reply went, gathered while it is heard."""

    usage: Usage | None = None
    finished: Finished | None = None
    prompt: Prompt | None = None
    resolved: ResolvedModel | None = None
    #: The tools of the reply, and whether it waits for a person's yes to one.
    tools: ReplyTools | None = None
    is_waiting: bool = False
    #: Tokens of all prompts that were sent, and how many steps there were, those before it waited too.
    asked: int = 0
    steps: int = 0
    #: What was sent last, and in which step.
    sent: Call | None = None
    number: int = 1
    #: What is set aside for it.
    reserved: float = 0.0


async def produce_reply(draft: ReplyDraft, outcome: ReplyOutcome, *, services: TurnServices) -> None:
    """Ask the model and take in all it says; raises what went wrong, keeps what was heard."""
    reply = draft.reply
    resolved = await services.models.resolve(reply.model, by=draft.by)
    outcome.resolved = resolved
    audience = await services.db.read_inline(lambda tx: find_audience(tx, reply.conversation_id), by=draft.by)
    memory, outcome.tools = await asyncio.gather(
        services.recall.for_reply(reply, by=draft.by, audience=audience),
        tools_for(draft, resolved.model, desk=services),
    )
    offered = outcome.tools.tool_definitions() if can_use_tools(resolved.model) else ()

    def look(tx: Tx) -> tuple[PromptInputs, float]:
        scene = gather_inputs(tx, reply, tier=resolved.model.tier, memory=memory, can_read=bool(offered))
        return scene, token_ratio_of(tx, resolved.model, payer=resolved.payer(draft.by))

    scene, ratio = await services.db.read(look, by=audience)
    write_prompt = partial(assemble_prompt, scene, resolved.model, ratio=ratio, tools=offered)
    try:
        await hear(
            await run_in_thread_if_long(write_prompt, chars=scene.chars), draft, outcome, desk=services
        )
    except PromptTooLong as error:
        if not draft.is_empty:
            raise
        # Once: a provider that finds the shorter one too long as well is believed.
        draft.add_event(ReplyStatusChanged(reply.id, error.code, SHORTENED, 0.0))
        shorter = await run_in_thread_if_long(partial(write_prompt, shorter=True), chars=scene.chars)
        await hear(shorter, draft, outcome, desk=services)
    if not outcome.is_waiting:
        check_finished(outcome)
        if outcome.steps > 1 and not draft.text:
            raise EmptyReply


async def hear(prompt: Prompt, draft: ReplyDraft, outcome: ReplyOutcome, *, desk: TurnServices) -> None:
    """Ask with one prompt and take in all that is said and done after it."""
    resolved, tools = outcome.resolved, outcome.tools
    assert resolved is not None  # noqa: S101 - found before the prompt was made
    assert tools is not None  # noqa: S101 - see above
    was_begun = draft.reply.started_at is not None
    outcome.reserved = await desk.db.write(lambda tx: start(tx, draft, prompt, resolved, desk), by=draft.by)
    outcome.prompt, outcome.asked, outcome.steps = prompt, prompt.tokens, 1
    outcome.sent, outcome.number = prompt.call, 1
    resumed = None
    if was_begun:
        resumed = await desk.db.read(lambda tx: tools.resume(tx, prompt.call), by=tools.audience)
    if resumed is not None:
        outcome.usage = resumed.step.totals_before.usage
        outcome.asked, outcome.steps = outcome.usage.input, len(resumed.past) + 2
        outcome.sent, outcome.number = resumed.call, len(resumed.past) + 1
    quirks = desk.quirks.of(resolved.model, by=draft.by)
    retries = desk.settings.provider_retries

    async def admit(call: Call) -> Call:
        fitting = fit_steps(call, max_tokens=prompt.plan.limit, counter=prompt.counter)
        await afford(fitting, draft, outcome, desk=desk)
        return fitting

    ended = await run_agent_loop(
        partial(stream_step, resolved.provider, quirks=quirks, retries=retries),
        prompt.call,
        tools=tools,
        emit=lambda event: take_in_within(event, draft, outcome, desk),
        admit=admit,
        limits=LoopLimits(),
        resumed=resumed,
    )
    match ended:
        case Finished():
            outcome.finished = ended
        case WaitingForApproval():
            outcome.is_waiting = True


def take_in_within(heard: AgentEvent, draft: ReplyDraft, outcome: ReplyOutcome, desk: TurnServices) -> None:
    """Take in one thing that was heard, or as much of it as the reply has room for: then it ends there."""
    max_chars = desk.settings.reply_max_chars
    room = max_chars - draft.length
    if not isinstance(heard, TextDelta | ThinkingDelta) or len(heard.text) <= room:
        take_in(heard, draft, outcome, desk.recorder)
        return
    take_in(replace(heard, text=heard.text[:room]), draft, outcome, desk.recorder)
    raise ReplyTooLong(max_chars)


async def afford(call: Call, draft: ReplyDraft, outcome: ReplyOutcome, *, desk: TurnServices) -> None:
    """Set aside what one more step may cost, or raise when there is no room for it; keep what it shows."""
    resolved, prompt, sent = outcome.resolved, outcome.prompt, outcome.sent
    if resolved is None or prompt is None or sent is None:
        return
    step = build_plan_step(sent, call, number=outcome.number + 1, counter=prompt.counter)
    asked = outcome.asked + step.tokens
    reservation = billing.reservation_for_step(
        resolved,
        prompt_tokens=asked,
        output_limit=call.output_limit,
        used=outcome.usage or Usage(0, 0),
        steps=outcome.steps,
    )

    def reserve(tx: Tx) -> None:
        billing.reserve_spending(tx, draft.reply.id, reservation, resolved=resolved)
        receipts.add_step(tx, draft.reply, step)

    await desk.db.write(reserve, by=draft.by)
    outcome.reserved = reservation.amount
    outcome.asked, outcome.steps = asked, outcome.steps + 1
    outcome.sent, outcome.number = call, step.number


async def tools_for(draft: ReplyDraft, model: Model, *, desk: TurnServices) -> ReplyTools:
    """Return the tools that a reply may use."""
    caller = await desk.db.read_inline(lambda tx: caller_for(tx, draft, model), by=draft.by)
    return ReplyTools(draft, caller, registry=await desk.tool_registry.for_caller(caller), services=desk)


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
    )


def start(tx: Tx, draft: ReplyDraft, prompt: Prompt, resolved: ResolvedModel, desk: TurnServices) -> float:
    """Write down that the model is about to be asked, and set aside and return what that may cost."""
    reply = draft.reply
    if not store.owns_run(tx, reply.id, worker=desk.worker):
        raise LeaseLost
    reservation = billing.reservation_for_start(
        reply, resolved=resolved, prompt_tokens=prompt.tokens, output_limit=prompt.call.output_limit
    )
    billing.reserve_spending(tx, reply.id, reservation, resolved=resolved)
    spent = reply.cost if resolved.model.prices is None else reservation.spent  # unknown, or nothing yet
    shown = list(prompt.passages)
    begun = reply.started_at or now()
    known = with_all_notes(tx, reply)
    started = replace(known, status=ReplyStatus.RUNNING, started_at=begun, passages=shown, cost=spent)
    rounds.save_reply(tx, started)
    rounds.save_passages(tx, started.id, shown)
    plan = receipts.with_earlier_steps(tx, reply.id, prompt.plan) if reply.started_at else prompt.plan
    receipts.save(tx, started, plan)
    said = ReplyStarted(reply.round_id, reply.id, [asdict(passage) for passage in shown])
    desk.events.append(tx, reply.conversation_id, [encode_event(said)])
    # Before anything that is committed later, such as a note, changes the draft.
    tx.after_commit(lambda: draft.replace_reply(started))
    return reservation.amount


def take_in(heard: AgentEvent, draft: ReplyDraft, outcome: ReplyOutcome, recorder: Recorder) -> None:
    """Take in one thing that was heard; tools write down by themselves what they do."""
    match heard:
        case TextDelta(text):
            recorder.mark_changed(draft, urgent=draft.add_text(text))
        case ThinkingDelta(text):
            recorder.mark_changed(draft, urgent=draft.add_thinking(text))
        case RetryScheduled(error=error, wait=wait):
            draft.add_event(ReplyStatusChanged(draft.reply.id, error.code, error.message, round(wait, 1)))
            recorder.mark_changed(draft, urgent=True)
        case LoopLimitReached(reason=reason, message=message):
            draft.add_event(ReplyStatusChanged(draft.reply.id, reason, message, 0.0))
            draft.replace_reply(replace(draft.reply, notice=message))
            recorder.mark_changed(draft, urgent=True)
        case Usage():
            outcome.usage = heard


def check_finished(outcome: ReplyOutcome) -> None:
    """Raise when the model stopped for a reason that the person should know."""
    reason = outcome.finished.reason if outcome.finished else "done"
    if reason == "length":
        raise ReplyCutAtLimit
    if reason == "refused":
        raise ModelDeclined


def final_reply(
    draft: ReplyDraft, outcome: ReplyOutcome, error: BaseException | None, stopped: ReplyStatus | None
) -> Reply:
    """Return the reply as it stays: done, stopped, interrupted with something said, or failed without."""
    if stopped is not None:
        status, problem = stopped, None
    elif error is None:
        status, problem = ReplyStatus.DONE, None
    else:
        status = ReplyStatus.FAILED if draft.is_empty else ReplyStatus.INTERRUPTED
        problem = to_problem(error)
    usage = used(draft, outcome, error)
    prices = outcome.resolved.model.prices if outcome.resolved else None
    return replace(
        draft.reply,
        status=status,
        error=problem,
        usage=asdict(usage) if usage else None,
        cost=cost_of(usage, prices) if usage else None,
        first_token_at=draft.first_token_at,
        finished_at=now(),
    )


def calibrate_tokens(tx: Tx, outcome: ReplyOutcome, *, by: Principal) -> None:
    """Learn how a model counts words from what its provider says that the prompt had."""
    usage, prompt = outcome.usage, outcome.prompt
    if usage is None or usage.estimated or prompt is None or outcome.resolved is None or outcome.steps > 1:
        return
    if not any(said.images for said in prompt.call.messages):
        resolved = outcome.resolved
        payer = resolved.payer(by)
        learn_token_ratio(tx, resolved.model, counted=prompt.counted, reported=usage.input, payer=payer)


def to_problem(error: BaseException) -> dict[str, str]:
    """Return an error as it is stored with a reply; one that nobody foresaw is logged and kept vague."""
    if not isinstance(error, TertuliaError):
        log.error("A reply failed in a way nobody foresaw.", exc_info=error)
        error = InternalError()
    return {"code": error.code, "message": error.message}


def used(draft: ReplyDraft, outcome: ReplyOutcome, error: BaseException | None) -> Usage | None:
    """Return the tokens used: what the provider said, or an estimate when it was cut off before saying."""
    if outcome.prompt is None or outcome.resolved is None:
        return None
    if outcome.usage is not None and (outcome.finished is not None or outcome.is_waiting):
        return outcome.usage
    if draft.is_empty and outcome.usage is None and billing.was_turned_away(error):
        return None
    model = outcome.resolved.model
    output = count(draft.text + draft.thinking, model.name)
    return billing.estimate_cut_off_usage(
        outcome.usage, asked=outcome.asked, output=output, prices=model.prices
    )


def charge_of(reply: Reply, outcome: ReplyOutcome) -> Charge:
    """Return what limits count for a reply."""
    if outcome.resolved is None:
        return Charge(reply.cost or 0.0, personal=False)
    usage = Usage(**reply.usage) if reply.usage else None
    return billing.charge_for(reply.cost, usage, resolved=outcome.resolved, reserved=outcome.reserved)
