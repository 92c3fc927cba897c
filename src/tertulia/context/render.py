"""Writing a prompt down: first all that stays the same from turn to turn, then what is new."""

from dataclasses import replace

from tertulia.context import prompts
from tertulia.context.budget import Budget
from tertulia.context.domain import Scene
from tertulia.context.fit import Fitted
from tertulia.models.calls import Call, Said, Tool
from tertulia.models.domain import Model


def render(
    fitted: Fitted,
    scene: Scene,
    model: Model,
    *,
    budget: Budget,
    tools: tuple[Tool, ...] = (),
) -> Call:
    """Return the call that a model is sent."""
    messages = [*marked(stable(fitted, scene)), *changing(fitted)]
    return Call(
        model=model.name,
        system="\n\n".join(item.text for item in fitted.system),
        messages=tuple(messages),
        output_limit=budget.reply,
        temperature=scene.temperature,
        thinking=scene.effort,
        tools=tools,
        cache_key=scene.cache_key,
    )


def stable(fitted: Fitted, scene: Scene) -> list[Said]:
    """Return what will mostly be the same next time."""
    frames: list[str] = []
    if fitted.always:
        frames.append(prompts.always(fitted.always))
    if fitted.pinned:
        frames.append(prompts.pinned(fitted.pinned))
    if fitted.points:
        frames.append(prompts.summary(fitted.points, before=first_shown(fitted, scene)))
    return [*(Said("user", frame) for frame in frames), *(said for one in fitted.rounds for said in one.said)]


def first_shown(fitted: Fitted, scene: Scene) -> int:
    """Return the number of the first round that is shown word for word."""
    return fitted.rounds[0].past.number if fitted.rounds else scene.now.number


def marked(messages: list[Said]) -> list[Said]:
    """Return messages with the mark that all up to here can be cached."""
    return [*messages[:-1], replace(messages[-1], ends_stable=True)] if messages else []


def changing(fitted: Fitted) -> list[Said]:
    """Return what is there for this question alone."""
    found = [*fitted.named, *fitted.found]
    pointers = any(one.passage.is_pointer for one in found)
    quoted = [Said("user", prompts.passages(found, pointers=pointers))] if found else []
    return quoted + fitted.ending
