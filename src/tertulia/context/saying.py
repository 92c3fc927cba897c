"""What was said, as a lane hears it: its own words as its own, the others' under their names."""

from tertulia.context import items, prompts
from tertulia.context.domain import PastReply, PastRound, Scene
from tertulia.conversations.domain import ReplyKind
from tertulia.models.calls import Said


def round_said(past: PastRound, scene: Scene) -> tuple[Said, ...]:
    """Return an earlier round: the question, this lane's reply, and what the others said."""
    said = [Said("user", past.question, past.images)]
    others: list[PastReply] = []
    for reply in past.replies:
        if reply.lane == scene.lane and reply.kind is ReplyKind.ANSWER:
            said.append(Said("assistant", reply.text))
        else:
            others.append(reply)
    if others:
        said.append(Said("user", "\n\n".join(map(labelled, others))))
    return tuple(said)


def ending(scene: Scene) -> list[Said]:
    """Return what comes last: the question, or the work of merging, judging or continuing."""
    said = [Said("user", scene.now.question, scene.now.images + scene.memory.images)]
    if scene.kind is not ReplyKind.ANSWER:
        replies = "\n\n".join(map(labelled, scene.now.replies))
        said.append(Said("user", prompts.task(scene.kind, replies)))
    if scene.begun:
        said += [Said("assistant", scene.begun), Said("user", prompts.go_on())]
    return said


def labelled(reply: PastReply) -> str:
    """Return a reply under its speaker's name."""
    return f"[{items.labelled(reply)}]: {reply.text}"
