"""From a scene to the one call that a model is sent: pure, deterministic, inside the budget."""

from collections.abc import Callable
from dataclasses import dataclass

from tertulia.context import prompts
from tertulia.context.budget import Budget, QuestionTooLong
from tertulia.context.domain import PastReply, PastRound, Recalled, Scene
from tertulia.conversations.domain import Passage, Policy, ReplyKind
from tertulia.models.calls import Call, Said
from tertulia.models.domain import Ability, Model
from tertulia.models.tokens import count

#: What providers add around each message, at most.
OVERHEAD = 8
#: What a picture costs, roughly, in every family that can see.
PICTURE = 1_600


@dataclass(frozen=True, slots=True)
class Prompt:
    """A call, how many tokens it is expected to use, and the passages that are in it."""

    call: Call
    tokens: int
    passages: tuple[Passage, ...] = ()


def assemble(scene: Scene, model: Model) -> Prompt:
    """Return the call for one lane: newest rounds first until the budget is full, none cut in two."""
    budget = Budget.of(model, at_most=scene.output_limit)
    tokens = _counter(model)
    system = prompts.system(scene)
    ending = _ending(scene)
    room = budget.prompt - tokens(system) - _size(ending, tokens)
    if room < 0:
        raise QuestionTooLong(tokens=budget.prompt - room, limit=budget.prompt, model=model.title)
    recalled = _recalled(scene, model, room=room // 2, tokens=tokens)
    ending = [*_quoted(recalled), *ending]
    room -= _size(_quoted(recalled), tokens)
    kept: list[Said] = []
    for past in reversed(scene.past):
        shown = _shown(past, scene)
        room -= _size(shown, tokens)
        if room < 0:
            break
        kept = shown + kept
    messages = tuple(_joined(kept + ending, sees=Ability.VISION in model.abilities))
    call = Call(
        model=model.name,
        system=system,
        messages=messages,
        output_limit=budget.reply,
        temperature=scene.temperature,
        thinking=scene.effort,
    )
    shown = tuple(one.passage for one in recalled)
    return Prompt(call, tokens(system) + _size(list(messages), tokens), shown)


def _recalled(scene: Scene, model: Model, *, room: int, tokens: Callable[[str], int]) -> tuple[Recalled, ...]:
    """Return the passages that a model may see and that fit, best first, none of them cut."""
    kept: tuple[Recalled, ...] = ()
    for one in scene.recalled:
        if model.local or not one.local_only:
            more = (*kept, one)
            if _size(_quoted(more), tokens) <= room:
                kept = more
    return kept


def _quoted(recalled: tuple[Recalled, ...]) -> list[Said]:
    """Return passages as something the person shows, right before the question."""
    return [Said("user", prompts.passages(recalled))] if recalled else []


def _shown(past: PastRound, scene: Scene) -> list[Said]:
    """Return an earlier round as this lane sees it: the others' words stand under their names."""
    shown = [Said("user", past.question, past.images)]
    others: list[PastReply] = []
    for reply in past.replies:
        if reply.lane == scene.lane and reply.kind is ReplyKind.ANSWER:
            shown.append(Said("assistant", reply.text))
        elif scene.policy is not Policy.OWN:
            others.append(reply)
    if others:
        shown.append(Said("user", "\n\n".join(labelled(reply) for reply in others)))
    return shown


def _ending(scene: Scene) -> list[Said]:
    """Return what comes last: the question, or the work of merging, judging or continuing."""
    ending = [Said("user", scene.now.question, scene.now.images + scene.shown)]
    if scene.kind is not ReplyKind.ANSWER:
        replies = "\n\n".join(labelled(reply) for reply in scene.now.replies)
        ending.append(Said("user", prompts.task(scene.kind, replies)))
    if scene.begun:
        ending += [Said("assistant", scene.begun), Said("user", prompts.go_on())]
    return ending


def labelled(reply: PastReply) -> str:
    """Return a reply under its speaker's name."""
    name = reply.lane if reply.kind is ReplyKind.ANSWER else f"{reply.kind} by {reply.lane}"
    return f"[{name}]: {reply.text}"


def _joined(messages: list[Said], *, sees: bool) -> list[Said]:
    """Join neighbours of the same role, as providers want; a model that is blind is told of pictures."""
    joined: list[Said] = []
    for said in messages:
        fit = said if sees else _told_of_pictures(said)
        if joined and joined[-1].role == fit.role:
            last = joined.pop()
            joined.append(Said(fit.role, f"{last.text}\n\n{fit.text}", last.images + fit.images))
        else:
            joined.append(fit)
    return joined


def _told_of_pictures(said: Said) -> Said:
    """Return a message with a line in place of its pictures, so that the model can say what it misses."""
    if not said.images:
        return said
    return Said(
        said.role, f"{said.text}\n\n[Pictures are attached here that you cannot see: {len(said.images)}]"
    )


def _counter(model: Model) -> Callable[[str], int]:
    return lambda text: count(text, model.name)


def _size(messages: list[Said], tokens: Callable[[str], int]) -> int:
    return sum(tokens(said.text) + OVERHEAD + PICTURE * len(said.images) for said in messages)
