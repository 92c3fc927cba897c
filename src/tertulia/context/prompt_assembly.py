"""From `PromptInputs` to the one call that a model is sent, and the plan that says what is in it.

Pure and deterministic: the same inputs, model and ratio give the same bytes.
"""

import hashlib
from collections import Counter as Counted
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

import msgspec

from tertulia.context import plan_items, prompts
from tertulia.context.domain import PromptInputs, RecalledPassage
from tertulia.context.entity_selection import entity_line, to_entity_item
from tertulia.context.known_facts import to_item
from tertulia.context.later_statements import note_later_statements
from tertulia.context.prompt_depth import PromptDepth, depth_for
from tertulia.context.prompt_plan import Item, LeftOut, Pointer, PromptPlan, Section, SectionKind, WhyNot
from tertulia.context.prompt_renderer import first_verbatim_round, render_call
from tertulia.context.prompt_selection import PromptSelector
from tertulia.context.selection_state import PromptSelection
from tertulia.context.system_prompt import RUN_PYTHON_TOOL, can_read_files
from tertulia.context.token_budget import TokenBudget
from tertulia.context.tool_offer import fit_tools
from tertulia.context.visibility import VisibilityFilter
from tertulia.conversations.domain import Passage, ReplyKind
from tertulia.memory.domain import Point
from tertulia.models.calls import Call, Tool
from tertulia.models.domain import Model
from tertulia.models.tokens import TokenCounter, counter_for

#: After a provider found a prompt too long, the next one has so much of it.
SHORTENED_PROMPT_SHARE = 0.6
UNSENT_CALL_FIELDS = frozenset({"question", "quotable"})
SENT_CALL_FIELDS = tuple(field.name for field in fields(Call) if field.name not in UNSENT_CALL_FIELDS)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A call, what it is made of, and the passages in it that can be cited."""

    call: Call
    plan: PromptPlan
    passages: tuple[Passage, ...] = ()
    #: What the provider's reports have taught of how it counts.
    ratio: float = 1.0

    @property
    def tokens(self) -> int:
        """Return how many tokens the call is expected to use."""
        return self.plan.tokens

    @property
    def counter(self) -> TokenCounter:
        """Return what counts the tokens of this model."""
        return counter_for(self.call.model, self.ratio)

    @property
    def counted(self) -> int:
        """Return how many tokens were counted, before what a provider's reports have taught."""
        return counter_for(self.call.model).call(self.call)


def assemble_prompt(
    inputs: PromptInputs,
    model: Model,
    *,
    ratio: float = 1.0,
    tools: tuple[Tool, ...] = (),
    shorter: bool = False,
) -> Prompt:
    """Return the best prompt for one lane that its budget allows."""
    counter = counter_for(model.name, ratio)
    offered = fit_tools(tools, prompt_tokens=prompt_max_tokens(inputs, model), counter=counter)
    if offered != tools:
        inputs, tools = replace(inputs, can_read=inputs.can_read and can_read_files(offered)), offered
    guard = VisibilityFilter(inputs, model)
    can_run = any(tool.name == RUN_PYTHON_TOOL for tool in tools)
    admitted = note_later_statements(replace(guard.apply(), can_run=can_run))
    depth = depth_for(model.tier, inputs.prompt_settings, can_read=inputs.can_read)
    budget = TokenBudget.of(model, reply=inputs.output_limit, max_tokens=depth.max_tokens)
    fit = partial(fit_call, admitted, model, depth=depth, budget=budget, counter=counter, tools=tools)
    fitted, call, tokens = fit()
    limit = budget.prompt_tokens
    if shorter:
        less = int(tokens * SHORTENED_PROMPT_SHARE)
        fitted, call, tokens = fit(spare=limit - less)
        limit = max(less, tokens)
    fitted.left_out[:0] = drop_old_replies(guard.left_out, first=first_verbatim_round(fitted, admitted))
    fitted.left_out += older_rounds_left_out(admitted, fitted)
    taken = count_section_tokens(fitted, call, tokens, counter=counter)
    sections = build_sections(fitted, admitted, call, taken, points=inputs.points, counter=counter)
    plan = PromptPlan(
        lane=inputs.lane,
        model=model.id,
        window=model.context_window,
        reply=budget.reply,
        limit=limit,
        tokens=tokens,
        sections=sections,
        left_out=tuple(fitted.left_out),
        hash=hash_call(call),
        local_only=any(item.local_only for section in sections for item in section.items),
        shortened=shorter,
        passage_budget=inputs.memory.budget if inputs.memory.found else 0,
    )
    return Prompt(
        call,
        plan,
        tuple(replace(citable_passage.passage, title="") for citable_passage in citable_passages(fitted)),
        ratio,
    )


def prompt_max_tokens(inputs: PromptInputs, model: Model) -> int:
    """Return how many tokens a prompt may have."""
    depth = depth_for(model.tier, inputs.prompt_settings, can_read=False)
    return TokenBudget.of(model, reply=inputs.output_limit, max_tokens=depth.max_tokens).prompt_tokens


def fit_call(
    inputs: PromptInputs,
    model: Model,
    *,
    depth: PromptDepth,
    budget: TokenBudget,
    counter: TokenCounter,
    tools: tuple[Tool, ...],
    spare: int = 0,
) -> tuple[PromptSelection, Call, int]:
    """Return what fits, written down and counted again: what is joined may count more than its parts."""
    room = budget.without(counter.tools(tools))
    while True:
        fitting = PromptSelector(inputs, model, depth=depth, budget=room, counter=counter, spare=spare)
        fitted = fitting.select()
        call = render_call(fitted, inputs, model, budget=budget, tools=tools)
        tokens, limit = counter.call(call), budget.prompt_tokens
        if tokens <= limit:
            return fitted, call, tokens
        if fitted.is_bare:
            raise fitting.question_too_long(tokens, limit)
        spare += tokens - limit


def drop_old_replies(turned_away: Sequence[LeftOut], *, first: int) -> list[LeftOut]:
    """Return what was turned away, but for replies of rounds that would not have been shown anyway."""

    def is_old(one: LeftOut) -> bool:
        reply = one.section is SectionKind.ROUNDS and one.item.id.startswith("message:")
        return reply and one.item.pointer.round_number < first

    return [left_out for left_out in turned_away if not is_old(left_out)]


def older_rounds_left_out(inputs: PromptInputs, fitted: PromptSelection) -> list[LeftOut]:
    """Return, as one item, the rounds before those that were considered."""
    first = first_verbatim_round(fitted, inputs)
    rounds = [left_out.item for left_out in fitted.left_out if left_out.item.id.startswith("round:")]
    count = first - 1 - sum(0 < item.pointer.round_number < first for item in rounds)
    if count <= 0:
        return []
    title = f"{count} earlier {'round' if count == 1 else 'rounds'}"
    return [LeftOut(SectionKind.ROUNDS, Item("rounds:earlier", title, 0), WhyNot.OLDER)]


def citable_passages(fitted: PromptSelection) -> list[RecalledPassage]:
    """Return everything that a reply can cite by number."""
    return [*fitted.always, *fitted.named, *fitted.found]


def build_sections(
    fitted: PromptSelection,
    inputs: PromptInputs,
    call: Call,
    taken: Mapping[SectionKind, int],
    *,
    points: Sequence[Point],
    counter: TokenCounter,
) -> tuple[Section, ...]:
    """Return the sections that have something in them, in the order of the prompt."""

    def passage(one: RecalledPassage) -> Item:
        text = prompts.passage_or_pointer(one)
        return replace(plan_items.of_recalled(one), tokens=counter.text(text), text=text)

    found = [*fitted.named, *fitted.found]
    every = {
        SectionKind.SYSTEM: [replace(item, tokens=counter.text(item.text)) for item in fitted.system],
        SectionKind.FILES: [passage(recalled_passage) for recalled_passage in fitted.always],
        SectionKind.PINNED: [
            replace(
                plan_items.of_pinned(pinned_message),
                tokens=counter.text(prompts.pinned_message(pinned_message)),
                text=pinned_message.text,
            )
            for pinned_message in fitted.pinned
        ],
        SectionKind.SUMMARY: summary_items(fitted, inputs, points, counter=counter),
        SectionKind.ROUNDS: [rendered_round.item for rendered_round in fitted.rounds],
        SectionKind.MEMORY: [replace(to_item(fact), tokens=counter.text(fact.text)) for fact in fitted.known],
        SectionKind.ENTITIES: [
            replace(to_entity_item(entity), tokens=counter.text(entity_line(entity)))
            for entity in fitted.entities
        ],
        SectionKind.PASSAGES: [passage(recalled_passage) for recalled_passage in found],
        SectionKind.TOOLS: tool_items(call.tools, counter=counter),
        SectionKind.CONVERSATION: [replace(item, tokens=counter.text(item.text)) for item in fitted.note],
        SectionKind.QUESTION: [question_item(fitted, inputs, counter=counter)],
    }
    return tuple(
        Section(kind, tuple(things), taken[kind] - sum(item.tokens for item in things))
        for kind, things in every.items()
        if things or taken[kind]
    )


def count_section_tokens(
    fitted: PromptSelection, call: Call, tokens: int, *, counter: TokenCounter
) -> Counted[SectionKind]:
    """Return what each section takes, to the token; what surrounds the whole call is the system prompt's."""
    kinds = [
        *([SectionKind.FILES] if fitted.always else []),
        *([SectionKind.PINNED] if fitted.pinned else []),
        *([SectionKind.SUMMARY] if fitted.points else []),
        *(SectionKind.ROUNDS for rendered_round in fitted.rounds for _ in rendered_round.said),
        *([SectionKind.MEMORY] if fitted.known else []),
        *([SectionKind.ENTITIES] if fitted.entities else []),
        *([SectionKind.PASSAGES] if fitted.named or fitted.found else []),
        *([SectionKind.PASSAGES] if fitted.unindexed else []),
        *([SectionKind.CONVERSATION] if fitted.note else []),
        *(SectionKind.QUESTION for _ in fitted.final_messages),
    ]
    taken = Counted({SectionKind.TOOLS: counter.tools(call.tools)})
    role = None
    for kind, said in zip(kinds, call.messages, strict=True):
        taken[kind] += counter.message(said, joined=said.role == role)
        role = said.role
    # What was joined is counted message by message, as the whole call is: the rest is the system prompt.
    taken[SectionKind.SYSTEM] = tokens - taken.total()
    return taken


def summary_items(
    fitted: PromptSelection, inputs: PromptInputs, points: Sequence[Point], *, counter: TokenCounter
) -> list[Item]:
    """Return the summary as one item that says which of its `points` are shown."""
    if not fitted.points:
        return []
    text = prompts.summary(fitted.points, before=first_verbatim_round(fitted, inputs))
    places = {id(point): number for number, point in enumerate(points)}
    local = any(not inputs.local_messages.isdisjoint(point.sources) for point in fitted.points)
    return [
        Item(
            id=plan_items.SUMMARY_ID,
            title=f"{len(fitted.points)} of {len(points)} points",
            tokens=counter.text(text),
            pointer=Pointer(
                summary_id=inputs.summary_id, points=[places[id(point)] for point in fitted.points]
            ),
            local_only=local,
            text=text,
        )
    ]


def tool_items(tools: tuple[Tool, ...], *, counter: TokenCounter) -> list[Item]:
    """Return the tools that the model may use, as one item."""
    if not tools:
        return []
    names = ", ".join(tool.name for tool in tools)
    return [Item(id="tools", title=names, tokens=counter.tools(tools), text=names)]


def question_item(fitted: PromptSelection, inputs: PromptInputs, *, counter: TokenCounter) -> Item:
    """Return the question with all that comes after it."""
    read = () if inputs.kind is ReplyKind.ANSWER else inputs.now.replies
    goes_on = inputs.begun_id in inputs.local_messages
    return Item(
        id=f"message:{inputs.now.question_id}",
        title=plan_items.shorten_title(inputs.now.question),
        tokens=sum(map(counter.message, fitted.final_messages)),
        local_only=inputs.now.local_only or goes_on or any(reply.local_only for reply in read),
        pointer=Pointer(
            message_ids=[inputs.now.question_id] if inputs.now.question_id else [],
            round_id=inputs.now.id,
            round_number=inputs.now.number,
        ),
        text=inputs.now.question,
    )


def hash_call(call: Call) -> str:
    """Return what is the same for two calls exactly when every byte that a model is sent is."""
    sent = {name: getattr(call, name) for name in SENT_CALL_FIELDS}
    return hashlib.sha256(msgspec.msgpack.encode(sent)).hexdigest()
