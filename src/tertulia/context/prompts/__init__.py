"""The words models are given, kept as Markdown beside this file."""

from functools import cache
from importlib.resources import files

from tertulia.context.domain import Scene
from tertulia.conversations.domain import ReplyKind


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


def go_on() -> str:
    """Return the wish that a reply which was cut short be finished."""
    return text("continue")
