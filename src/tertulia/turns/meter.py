"""How full a conversation is: what its next prompt takes, and what compressing would free of that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from tertulia.context.compression import Load, Story, lines_of, summary_tokens
from tertulia.context.plan import SectionKind
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.threads import run_by_length
from tertulia.memory.summarise import summarise
from tertulia.turns.desk import Desk
from tertulia.turns.domain import Ask
from tertulia.turns.preview import Estimate, estimates

#: Without any model to go by, a conversation may have so many tokens.
USUAL_LIMIT = 8_000
#: Compressing leaves at least so many rounds word for word.
ALWAYS_KEPT = 2
#: So many of the latest rounds fill a summary; looking at more would tell nothing new.
MOST_TRIED = 40
#: So many characters of them are read: it is tried each time that somebody looks.
TRIED_MAX_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class Meter:
    """How full a conversation is, and what compressing it now would free."""

    load: Load
    freed: int = 0
    watermark: int = 0


async def meter_of(story: Story | None, lanes: Sequence[Estimate]) -> Meter:
    """Return how full a conversation is for the roomiest of the lanes that would be asked."""
    lane = roomiest(lanes)
    load = load_in(lane, story.sizes if story else ())
    if story is None:
        return Meter(load)
    return Meter(load, await freed_in(lane, load, story), story.watermark)


async def load_of(story: Story, *, by: Principal, desk: Desk) -> Load:
    """Return how full a conversation is for the roomiest of the models that were asked last."""
    try:
        lanes = await estimates(Ask("", conversation_id=story.conversation.id), by=by, desk=desk)
    except TertuliaError:
        lanes = []
    return load_in(roomiest(lanes), story.sizes)


def roomiest(lanes: Sequence[Estimate]) -> Estimate | None:
    """Return the lane whose prompt may have most; None where nobody can be asked."""
    return max((lane for lane in lanes if lane.plan), key=lambda lane: lane.limit, default=None)


def load_in(lane: Estimate | None, sizes: tuple[tuple[int, int], ...]) -> Load:
    """Return how full rounds of these sizes make one lane; without any, nothing but they counts."""
    if lane is None or lane.plan is None:
        return Load(USUAL_LIMIT, sum(tokens for _, tokens in sizes), 0, sizes)
    plan = lane.plan
    past = sum(one.tokens for one in plan.sections if one.kind is SectionKind.ROUNDS)
    return Load(plan.limit, plan.tokens, plan.tokens - past, sizes)


def furthest_mark(load: Load, story: Story) -> int:
    """Return up to which round compressing now would go; 0 when there is nothing to compress."""
    mark = min(story.reach, max(load.watermark(), story.last - ALWAYS_KEPT))
    return mark if mark > story.watermark else 0


async def freed_in(lane: Estimate | None, load: Load, story: Story) -> int:
    """Return how much shorter the next prompt of a lane would be: tried with the summary that rules make."""
    mark = furthest_mark(load, story)
    if lane is None or lane.scene is None or not mark:
        return 0
    points, _ = await summarise(
        lines_of(story.fresh[-MOST_TRIED:-1], story),
        story.summary.points if story.summary else [],
        most_tokens=summary_tokens(load.limit),
        write=None,
        writer_is_local=False,
        made_by="",
        max_chars=TRIED_MAX_CHARS,
    )
    past = tuple(one for one in lane.scene.past if one.number > mark)
    scene = replace(lane.scene, past=past, points=tuple(points))
    after = await run_by_length(partial(lane.tokens_of, scene), chars=scene.chars)
    return max(0, load.used - after)
