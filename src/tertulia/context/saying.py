"""What was said, as a lane hears it: its own words as its own, the others' quoted under their names."""

from dataclasses import replace

from tertulia.context import items, prompts
from tertulia.context.domain import PastReply, PastRound, Scene
from tertulia.conversations.domain import ReplyKind
from tertulia.models.calls import Image, Said
from tertulia.models.quoting import in_a_tag, inert


def round_said(past: PastRound, scene: Scene, *, sees: bool) -> tuple[Said, ...]:
    """Return an earlier round: the question, this lane's reply, and what the others said."""
    said = [pictured(Said("user", past.question, past.images), sees=sees)]
    others: list[PastReply] = []
    for reply in past.replies:
        if reply.lane == scene.lane and reply.kind is ReplyKind.ANSWER:
            said.append(Said("assistant", reply.text))
            said += [Said("user", reply.changes)] if reply.changes else []
        else:
            others.append(reply)
    if others:
        said.append(Said("user", "\n\n".join(map(quoted, others))))
    return tuple(said)


def ending(scene: Scene, pictures: tuple[Image, ...] = (), *, sees: bool) -> list[Said]:
    """Return what comes last: the question, or the work of merging, judging or continuing."""
    said = [pictured(Said("user", scene.now.question, scene.now.images + pictures), sees=sees)]
    if scene.kind is not ReplyKind.ANSWER:
        replies = "\n\n".join(map(quoted, scene.now.replies))
        said.append(Said("user", prompts.task(scene.kind, replies)))
    if scene.begun or scene.begun_work:
        asked = "\n\n".join(filter(None, [scene.begun_work, prompts.go_on()]))
        said += [Said("assistant", scene.begun)] if scene.begun else []
        said.append(Said("user", asked))
    return said


def ending_names(scene: Scene) -> list[str]:
    """Return what people call each message of the ending."""
    names = ["the question"] if scene.kind is ReplyKind.ANSWER else ["the question", "the replies to it"]
    return [*names, "the reply that is continued", "the wish to go on"] if scene.begun else names


def quoted(reply: PastReply) -> str:
    """Return a reply in a frame with its speaker's name, which nothing that it says can end."""
    return f'<reply speaker="{in_a_tag(items.labelled(reply))}">\n{inert(reply.text)}\n</reply>'


def pictured(said: Said, *, sees: bool) -> Said:
    """Return a message, for a blind model with a line in place of its pictures: it can say what it misses."""
    if sees or not said.images:
        return said
    missing = f"[Pictures are attached here that you cannot see: {len(said.images)}]"
    return replace(said, text=f"{said.text}\n\n{missing}", images=())
