"""From a scene to the one call that a model is sent, and the plan that says what is in it.

Pure and deterministic: the same scene, model and ratio give the same bytes.
"""

import hashlib
from collections import Counter as Counted
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import msgspec

from tertulia.context import items, prompts
from tertulia.context.budget import Budget
from tertulia.context.depth import Depth, depth_for
from tertulia.context.domain import Recalled, Scene
from tertulia.context.fit import Fitted, Fitting
from tertulia.context.guard import Guard
from tertulia.context.plan import Item, LeftOut, Plan, Pointer, Section, SectionKind, WhyNot
from tertulia.context.render import first_shown, render
from tertulia.context.system import RUN
from tertulia.conversations.domain import Passage, ReplyKind
from tertulia.memory.domain import Point
from tertulia.models.calls import Call, Tool
from tertulia.models.domain import Model
from tertulia.models.tokens import Counter, counter_for

#: After a provider found a prompt too long, the next one has so much of it.
SHORTER = 0.6
#: Tools that would take more of a prompt than this are not offered.
TOOLS_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Prompt:
    """A call, what it is made of, and the passages in it that can be cited."""

    call: Call
    plan: Plan
    passages: tuple[Passage, ...] = ()
    #: What the provider's reports have taught of how it counts.
    ratio: float = 1.0

    @property
    def tokens(self) -> int:
        """Return how many tokens the call is expected to use."""
        return self.plan.tokens

    @property
    def counter(self) -> Counter:
        """Return what counts the tokens of this model."""
        return counter_for(self.call.model, self.ratio)

    @property
    def counted(self) -> int:
        """Return how many tokens were counted, before what a provider's reports have taught."""
        return counter_for(self.call.model).call(self.call)


def assemble(
    scene: Scene, model: Model, *, ratio: float = 1.0, tools: tuple[Tool, ...] = (), shorter: bool = False
) -> Prompt:
    """Return the best prompt for one lane that its budget allows."""
    counter = counter_for(model.name, ratio)
    if counter.tools(tools) > TOOLS_SHARE * limit_of(scene, model):
        scene, tools = replace(scene, can_read=False), ()
    guard = Guard(scene, model)
    admitted = replace(guard.admitted(), can_run=any(tool.name == RUN for tool in tools))
    depth = depth_for(model.tier, scene.wish, can_read=scene.can_read)
    budget = Budget.of(model, reply=scene.output_limit, most=depth.limit)
    fit = partial(fitted_call, admitted, model, depth=depth, budget=budget, counter=counter, tools=tools)
    fitted, call, tokens = fit()
    limit = budget.prompt
    if shorter:
        less = int(tokens * SHORTER)
        fitted, call, tokens = fit(spare=limit - less)
        limit = max(less, tokens)
    fitted.left_out[:0] = of_interest(guard.turned_away, first=first_shown(fitted, admitted))
    fitted.left_out += too_old(admitted, fitted)
    taken = taken_by_section(fitted, call, tokens, counter=counter)
    sections = sections_of(fitted, admitted, call, taken, points=scene.points, counter=counter)
    plan = Plan(
        lane=scene.lane,
        model=model.id,
        window=model.window,
        reply=budget.reply,
        limit=limit,
        tokens=tokens,
        sections=sections,
        left_out=tuple(fitted.left_out),
        hash=fingerprint(call),
        local_only=any(item.local_only for one in sections for item in one.items),
        shortened=shorter,
    )
    return Prompt(call, plan, tuple(replace(one.passage, title="") for one in cited(fitted)), ratio)


def limit_of(scene: Scene, model: Model) -> int:
    """Return how many tokens a prompt may have."""
    depth = depth_for(model.tier, scene.wish, can_read=False)
    return Budget.of(model, reply=scene.output_limit, most=depth.limit).prompt


def fitted_call(
    scene: Scene,
    model: Model,
    *,
    depth: Depth,
    budget: Budget,
    counter: Counter,
    tools: tuple[Tool, ...],
    spare: int = 0,
) -> tuple[Fitted, Call, int]:
    """Return what fits, written down and counted again: what is joined may count more than its parts."""
    room = budget.without(counter.tools(tools))
    while True:
        fitting = Fitting(scene, model, depth=depth, budget=room, counter=counter, spare=spare)
        fitted = fitting.fit()
        call = render(fitted, scene, model, budget=budget, tools=tools)
        tokens, limit = counter.call(call), budget.prompt
        if tokens <= limit:
            return fitted, call, tokens
        if fitted.is_bare:
            raise fitting.too_long(tokens, limit)
        spare += tokens - limit


def of_interest(turned_away: Sequence[LeftOut], *, first: int) -> list[LeftOut]:
    """Return what was turned away, but for replies of rounds that would not have been shown anyway."""

    def is_old(one: LeftOut) -> bool:
        reply = one.section is SectionKind.ROUNDS and one.item.id.startswith("message:")
        return reply and one.item.pointer.round_number < first

    return [one for one in turned_away if not is_old(one)]


def too_old(scene: Scene, fitted: Fitted) -> list[LeftOut]:
    """Return, as one item, the rounds before those that were considered."""
    first = first_shown(fitted, scene)
    rounds = [one.item for one in fitted.left_out if one.item.id.startswith("round:")]
    count = first - 1 - sum(0 < item.pointer.round_number < first for item in rounds)
    if count <= 0:
        return []
    title = f"{count} earlier {'round' if count == 1 else 'rounds'}"
    return [LeftOut(SectionKind.ROUNDS, Item("rounds:earlier", title, 0), WhyNot.OLDER)]


def cited(fitted: Fitted) -> list[Recalled]:
    """Return everything that a reply can cite by number."""
    return [*fitted.always, *fitted.named, *fitted.found]


def sections_of(
    fitted: Fitted,
    scene: Scene,
    call: Call,
    taken: Mapping[SectionKind, int],
    *,
    points: Sequence[Point],
    counter: Counter,
) -> tuple[Section, ...]:
    """Return the sections that have something in them, in the order of the prompt."""

    def passage(one: Recalled) -> Item:
        text = prompts.shown(one)
        return replace(items.of_recalled(one), tokens=counter.text(text), text=text)

    found = [*fitted.named, *fitted.found]
    every = {
        SectionKind.SYSTEM: [replace(one, tokens=counter.text(one.text)) for one in fitted.system],
        SectionKind.FILES: [passage(one) for one in fitted.always],
        SectionKind.PINNED: [
            replace(items.of_pinned(one), tokens=counter.text(prompts.message(one)), text=one.text)
            for one in fitted.pinned
        ],
        SectionKind.SUMMARY: summary_items(fitted, scene, points, counter=counter),
        SectionKind.ROUNDS: [one.item for one in fitted.rounds],
        SectionKind.PASSAGES: [passage(one) for one in found],
        SectionKind.TOOLS: tool_items(call.tools, counter=counter),
        SectionKind.QUESTION: [question_item(fitted, scene, counter=counter)],
    }
    return tuple(
        Section(kind, tuple(things), taken[kind] - sum(item.tokens for item in things))
        for kind, things in every.items()
        if things or taken[kind]
    )


def taken_by_section(fitted: Fitted, call: Call, tokens: int, *, counter: Counter) -> Counted[SectionKind]:
    """Return what each section takes, to the token; what surrounds the whole call is the system prompt's."""
    kinds = [
        *([SectionKind.FILES] if fitted.always else []),
        *([SectionKind.PINNED] if fitted.pinned else []),
        *([SectionKind.SUMMARY] if fitted.points else []),
        *(SectionKind.ROUNDS for one in fitted.rounds for _ in one.said),
        *([SectionKind.PASSAGES] if fitted.named or fitted.found else []),
        *(SectionKind.QUESTION for _ in fitted.ending),
    ]
    taken = Counted({SectionKind.TOOLS: counter.tools(call.tools)})
    role = None
    for kind, said in zip(kinds, call.messages, strict=True):
        taken[kind] += counter.said(said, joined=said.role == role)
        role = said.role
    # What was joined is counted message by message, as the whole call is: the rest is the system prompt.
    taken[SectionKind.SYSTEM] = tokens - taken.total()
    return taken


def summary_items(fitted: Fitted, scene: Scene, points: Sequence[Point], *, counter: Counter) -> list[Item]:
    """Return the summary as one item that says which of its `points` are shown."""
    if not fitted.points:
        return []
    text = prompts.summary(fitted.points, before=first_shown(fitted, scene))
    places = {id(point): number for number, point in enumerate(points)}
    local = any(not scene.local_messages.isdisjoint(point.sources) for point in fitted.points)
    return [
        Item(
            id=items.SUMMARY_ID,
            title=f"{len(fitted.points)} of {len(points)} points",
            tokens=counter.text(text),
            pointer=Pointer(
                summary_id=scene.summary_id, points=[places[id(point)] for point in fitted.points]
            ),
            local_only=local,
            text=text,
        )
    ]


def tool_items(tools: tuple[Tool, ...], *, counter: Counter) -> list[Item]:
    """Return the tools that the model may use, as one item."""
    if not tools:
        return []
    names = ", ".join(tool.name for tool in tools)
    return [Item(id="tools", title=names, tokens=counter.tools(tools), text=names)]


def question_item(fitted: Fitted, scene: Scene, *, counter: Counter) -> Item:
    """Return the question with all that comes after it."""
    read = () if scene.kind is ReplyKind.ANSWER else scene.now.replies
    goes_on = scene.begun_id in scene.local_messages
    return Item(
        id=f"message:{scene.now.question_id}",
        title=items.titled(scene.now.question),
        tokens=sum(map(counter.said, fitted.ending)),
        local_only=scene.now.local_only or goes_on or any(reply.local_only for reply in read),
        pointer=Pointer(
            message_ids=[scene.now.question_id] if scene.now.question_id else [],
            round_id=scene.now.id,
            round_number=scene.now.number,
        ),
        text=scene.now.question,
    )


def fingerprint(call: Call) -> str:
    """Return what is the same for two calls exactly when every byte of them is."""
    return hashlib.sha256(msgspec.msgpack.encode(call)).hexdigest()
