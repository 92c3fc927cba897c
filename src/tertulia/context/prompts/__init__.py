"""The words models are given, kept as Markdown beside this file."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from tertulia.context.domain import Recalled, Scene
from tertulia.conversations.domain import ReplyKind

CLOSING = re.compile(r"<\s*/\s*(passage)", re.IGNORECASE)


@cache
def text(name: str) -> str:
    """Return one prompt's text."""
    return (files("tertulia.context.prompts") / f"{name}.md").read_text("utf-8").strip()


def system(scene: Scene) -> str:
    """Return who the model is, who else sits at the table, and what the project says."""
    parts = [] if scene.for_program else _introduction(scene)
    if scene.brief:
        parts.append(f"## Project brief\n\n{scene.brief}")
    heading = "" if scene.for_program else "## Instructions\n\n"
    parts += [heading + instructions for instructions in scene.instructions]
    return "\n\n".join(parts)


def _introduction(scene: Scene) -> list[str]:
    parts = [text("alone" if len(scene.table) < 2 else "table").format(lane=scene.lane)]
    if len(scene.table) > 1:
        parts.append("At the table: " + ", ".join(scene.table) + ".")
    if scene.project:
        parts.append(f"You are working in the project “{scene.project}”.")
    return parts


def task(kind: ReplyKind, replies: str) -> str:
    """Return the work of one who merges or judges the replies of a round."""
    return f"{replies}\n\n{text(kind.value)}"


def passages(recalled: Sequence[Recalled]) -> str:
    """Return what was found, each passage under its number and where it stands."""
    blocks = [
        f'<passage number="{one.passage.number}" source="{source(one)}">\n{inert(one.text)}\n</passage>'
        for one in recalled
    ]
    return "\n\n".join(["<passages>", text("passages"), *blocks, "</passages>"])


def source(one: Recalled) -> str:
    """Return in a few words where a passage stands."""
    passage = one.passage
    if passage.path:
        heading = f", {passage.heading}" if passage.heading else ""
        return quotable(f"{passage.path}, lines {passage.start_line}-{passage.end_line}{heading}")
    title = f"conversation “{passage.title}”" if passage.title else "an earlier conversation"
    speaker = passage.speaker.removeprefix("agent:")
    return quotable(f"{title}, round {passage.round_number}, {speaker}, {one.said_on}")


def quotable(words: str) -> str:
    """Return words that can stand between quotation marks in a tag."""
    return " ".join(words.translate({34: "'", 60: "(", 62: ")"}).split())


def inert(quoted: str) -> str:
    """Return a passage that cannot end the frame around it."""
    return CLOSING.sub(r"<\\/\1", quoted)


def go_on() -> str:
    """Return the wish that a reply which was cut short be finished."""
    return text("continue")
