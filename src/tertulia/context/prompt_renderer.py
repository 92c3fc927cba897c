"""Writing a prompt down: first all that stays the same from turn to turn, then what is new."""

from dataclasses import replace

from tertulia.context import prompts
from tertulia.context.conversation_note import note_text
from tertulia.context.domain import PromptInputs
from tertulia.context.entity_selection import entity_line
from tertulia.context.quotable_passages import quotable_passages
from tertulia.context.selection_state import PromptSelection
from tertulia.context.token_budget import TokenBudget
from tertulia.models.calls import Call, PromptMessage, Tool
from tertulia.models.domain import Model


def render_call(
    fitted: PromptSelection,
    inputs: PromptInputs,
    model: Model,
    *,
    budget: TokenBudget,
    tools: tuple[Tool, ...] = (),
) -> Call:
    """Return the call that a model is sent."""
    messages = [*mark_cacheable(stable_messages(fitted, inputs)), *changing_messages(fitted)]
    return Call(
        model=model.name,
        system="\n\n".join(item.text for item in fitted.system),
        messages=tuple(messages),
        output_limit=budget.reply,
        temperature=inputs.temperature,
        thinking=inputs.effort,
        tools=tools,
        cache_key=inputs.cache_key,
        question=inputs.now.question,
        quotable=tuple(quotable_passages(fitted, inputs)),
    )


def stable_messages(fitted: PromptSelection, inputs: PromptInputs) -> list[PromptMessage]:
    """Return what will mostly be the same next time."""
    frames: list[str] = []
    if fitted.always:
        frames.append(prompts.always_files(fitted.always))
    if fitted.pinned:
        frames.append(prompts.pinned(fitted.pinned))
    if fitted.points:
        frames.append(prompts.summary(fitted.points, before=first_verbatim_round(fitted, inputs)))
    return [
        *(PromptMessage("user", frame) for frame in frames),
        *(said for rendered_round in fitted.rounds for said in rendered_round.said),
    ]


def first_verbatim_round(fitted: PromptSelection, inputs: PromptInputs) -> int:
    """Return the number of the first round that is shown word for word."""
    return fitted.rounds[0].past.number if fitted.rounds else inputs.now.number


def mark_cacheable(messages: list[PromptMessage]) -> list[PromptMessage]:
    """Return messages with the mark that all up to here can be cached."""
    return [*messages[:-1], replace(messages[-1], ends_stable=True)] if messages else []


def changing_messages(fitted: PromptSelection) -> list[PromptMessage]:
    """Return what is there for this question alone."""
    found = [*fitted.named, *fitted.found]
    pointers = any(recalled_passage.passage.is_pointer for recalled_passage in found)
    quoted = [prompts.passages(found, pointers=pointers)] if found else []
    noted = [prompts.unindexed_files(fitted.unindexed)] if fitted.unindexed else []
    note = [note_text(fitted.note)] if fitted.note else []
    known = [prompts.known_facts(fitted.known)] if fitted.known else []
    named = [prompts.entities(map(entity_line, fitted.entities))] if fitted.entities else []
    told = (*known, *named, *quoted, *noted, *note)
    return [*(PromptMessage("user", text) for text in told), *fitted.final_messages]
