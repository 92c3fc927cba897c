"""How full a conversation is: what its next prompt takes, and what compressing would free of that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from tertulia.context.compression import (
    FIXED_POINTS_MAX_SHARE,
    BranchHistory,
    ContextLoad,
    transcript_lines,
)
from tertulia.context.prompt_plan import SectionKind
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.threads import run_in_thread_if_long
from tertulia.inspection.context_preview import PromptEstimate, estimate_prompts
from tertulia.memory.summariser import summarise_messages
from tertulia.turns.domain import Ask
from tertulia.turns.services import TurnServices

#: Without any model to go by, a conversation may have so many tokens.
DEFAULT_CONTEXT_MAX_TOKENS = 8_000
#: Compressing leaves at least so many rounds word for word.
MANUAL_COMPRESSION_VERBATIM_ROUNDS = 2
#: So many of the latest rounds that no summary covers yet are tried: more would take longer than a glance.
TRIAL_SUMMARY_ROUNDS_MAX = 80
#: So many characters of them are read: it is tried each time that somebody looks.
TRIAL_SUMMARY_MAX_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class ContextMeter:
    """How full a conversation is, and what compressing it now would free."""

    load: ContextLoad
    freed: int = 0
    watermark: int = 0


async def measure_context(history: BranchHistory | None, lanes: Sequence[PromptEstimate]) -> ContextMeter:
    """Return how full a conversation is for the roomiest of the lanes that would be asked."""
    lane = largest_lane(lanes)
    load = load_of_lane(lane, history.round_tokens if history else ())
    if history is None:
        return ContextMeter(load)
    return ContextMeter(load, await estimate_freed_tokens(lane, load, history), history.watermark)


async def measure_load(history: BranchHistory, *, by: Principal, services: TurnServices) -> ContextLoad:
    """Return how full a conversation is for the roomiest of the models that were asked last."""
    try:
        lanes = await estimate_prompts(
            Ask("", conversation_id=history.conversation.id), by=by, services=services
        )
    except TertuliaError:
        lanes = []
    return load_of_lane(largest_lane(lanes), history.round_tokens)


def largest_lane(lanes: Sequence[PromptEstimate]) -> PromptEstimate | None:
    """Return the lane whose prompt may have most; None where nobody can be asked."""
    return max((lane for lane in lanes if lane.plan), key=lambda lane: lane.limit, default=None)


def load_of_lane(lane: PromptEstimate | None, sizes: tuple[tuple[int, int], ...]) -> ContextLoad:
    """Return how full rounds of these sizes make one lane; without any, nothing but they counts."""
    if lane is None or lane.plan is None:
        return ContextLoad(DEFAULT_CONTEXT_MAX_TOKENS, sum(tokens for _, tokens in sizes), 0, sizes)
    plan = lane.plan
    tokens = {section.kind: section.tokens for section in plan.sections}
    points = tokens.get(SectionKind.SUMMARY, 0)
    giving_way = max(0, points - int(FIXED_POINTS_MAX_SHARE * plan.limit))
    fixed = plan.tokens - tokens.get(SectionKind.ROUNDS, 0) - giving_way
    return ContextLoad(plan.limit, plan.tokens, fixed, sizes)


def furthest_watermark(load: ContextLoad, history: BranchHistory) -> int:
    """Return up to which round compressing now would go; 0 when there is nothing to compress."""
    mark = min(
        history.summarisable_until,
        max(load.next_watermark(), history.last_round - MANUAL_COMPRESSION_VERBATIM_ROUNDS),
    )
    return mark if mark > history.watermark else 0


async def estimate_freed_tokens(
    lane: PromptEstimate | None, load: ContextLoad, history: BranchHistory
) -> int:
    """Return how much shorter the next prompt of a lane would be: tried with the summary that rules make."""
    mark = furthest_watermark(load, history)
    if lane is None or lane.inputs is None or not mark:
        return 0
    points, _ = await summarise_messages(
        transcript_lines(history.unsummarised[-TRIAL_SUMMARY_ROUNDS_MAX:-1], history),
        history.summary.points if history.summary else [],
        ask_model=None,
        is_local_model=False,
        made_by="",
        max_chars=TRIAL_SUMMARY_MAX_CHARS,
    )
    past = tuple(past_round for past_round in lane.inputs.past if past_round.number > mark)
    inputs = replace(lane.inputs, past=past, points=tuple(points))
    after = await run_in_thread_if_long(partial(lane.tokens_of, inputs), chars=inputs.chars)
    return max(0, load.used - after)
