"""The system prompt, part by part: who you are, the table, the project, its files, what you can do."""

from collections.abc import Iterator

from tertulia.context import items, prompts
from tertulia.context.domain import Listed, Scene
from tertulia.context.plan import Item
from tertulia.models.domain import Ability, Model
from tertulia.models.quoting import framed, in_a_tag, inert

#: The tool that runs code.
RUN = "run_python"
MOST_TOOLS = 40
LONGEST_ABOUT = 120


def system_items(scene: Scene, model: Model) -> list[Item]:
    """Return the parts that apply; nothing in them changes from one turn to the next by itself."""
    return [items.of_text(name, title, text) for name, title, text in _parts(scene, model) if text]


def _parts(scene: Scene, model: Model) -> Iterator[tuple[str, str, str]]:
    if not scene.for_program:
        yield "introduction", "Who the model is, and who sits at the table", introduction(scene)
        yield "project", "The project", project(scene)
    if scene.brief:
        yield "brief", "The project's brief", f"## Project brief\n\n{scene.brief}"
    if not scene.for_program:
        yield "files", "The list of the project's files", file_list(scene)
        yield "abilities", "What the model can do", abilities(scene, model)
        yield "python", "How code is run", prompts.text("python") if scene.can_run else ""
        yield "tools", "The tools that models wrote", tool_list(scene) if scene.can_run else ""
    heading = "" if scene.for_program else "## Instructions\n\n"
    for number, instructions in enumerate(scene.instructions, start=1):
        yield f"instructions-{number}", "Your instructions", heading + instructions


def introduction(scene: Scene) -> str:
    """Return who the model is and who else is asked."""
    alone = len(scene.table) < 2
    about = prompts.text("alone" if alone else "table").format(lane=scene.lane)
    return about if alone else f"{about}\n\nAt the table: {', '.join(scene.table)}."


def project(scene: Scene) -> str:
    """Return where the conversation takes place."""
    return f"You are working in the project “{in_a_tag(scene.project)}”." if scene.project else ""


def file_list(scene: Scene) -> str:
    """Return the files of the project: each one, or where they are many, their folders."""
    if not scene.shelf.listed:
        return ""
    lines = framed("files", *map(listed, scene.shelf.listed))
    return f"## Project files ({scene.shelf.count} in all)\n\n{lines}"


def listed(one: Listed) -> str:
    """Return a file with its size and what it is about, or a folder with how many files it has."""
    path = path_in_list(one.path)
    if one.files:
        return f"- {path}/ ({one.files} {'file' if one.files == 1 else 'files'})"
    about = f": {inert(' '.join(one.about.split()))}" if one.about else ""
    return f"- {path} ({size(one.size)}){about}"


def path_in_list(path: str) -> str:
    """Return a path as the list of files names it."""
    return inert(" ".join(path.splitlines()))


def tool_list(scene: Scene) -> str:
    """Return the tools that models wrote for this project, and how they are used."""
    tools = scene.shelf.tools
    if not tools:
        return prompts.text("no_tools")
    lines = [tool(one) for one in tools[:MOST_TOOLS]]
    if len(tools) > MOST_TOOLS:
        lines.append(f"- and {len(tools) - MOST_TOOLS} more: list /project/tools")
    return "\n\n".join([prompts.text("tools"), framed("tools", *lines)])


def tool(one: Listed) -> str:
    """Return a tool and what it does."""
    # Of a docstring on one line the closing quotation marks are taken along.
    about = inert(" ".join(one.about.split()).strip("\"'")[:LONGEST_ABOUT])
    return f"- {one.path}: {about}" if about else f"- {one.path}"


def size(bytes_: int) -> str:
    """Return a size as people say it."""
    for unit, step in (("MB", 1_000_000), ("KB", 1_000)):
        if bytes_ >= step:
            return f"{bytes_ / step:.1f} {unit}"
    return f"{bytes_} bytes"


def abilities(scene: Scene, model: Model) -> str:
    """Return what the model can do besides writing, as far as it was asked to."""
    parts = [prompts.text("reading")] if scene.can_read else []
    if scene.effort is not None and Ability.THINKING in model.abilities:
        parts.append(prompts.text("thinking"))
    return "\n\n".join(parts)
