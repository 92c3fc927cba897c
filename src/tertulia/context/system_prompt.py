"""The system prompt, part by part: who you are, the table, the project, its files, what you can do."""

from collections.abc import Iterator, Sequence

from tertulia.context import plan_items, prompts
from tertulia.context.domain import ListedFile, PromptInputs
from tertulia.context.prompt_plan import Item
from tertulia.models.calls import Tool
from tertulia.models.domain import Ability, Model
from tertulia.models.model_families import Maker, family_of
from tertulia.models.prompt_frames import escape_attribute, escape_frame_tags, frame_quotation

#: The tool that reads files, and the one that runs code.
READ_FILE_TOOL = "read_project_file"
RUN_PYTHON_TOOL = "run_python"
#: What every model of a maker is told of thinking, whether it can do so before it answers or in its reply.
MAKER_PROMPTS: dict[Maker | None, str] = {Maker.OPENAI: "reasoning", Maker.ANTHROPIC: "extended_thinking"}
#: And those of other makers that think before they answer; xAI's need none.
THINKING_PROMPT = "thinking"
PROMPT_TOOLS_MAX = 40
PROMPT_TOOL_ABOUT_MAX_CHARS = 120


def can_read_files(tools: Sequence[Tool]) -> bool:
    """Tell whether a model that is offered these tools can look into the project by itself."""
    return READ_FILE_TOOL in {tool.name for tool in tools}


def system_items(inputs: PromptInputs, model: Model) -> list[Item]:
    """Return the parts that apply; nothing in them changes from one turn to the next by itself."""
    return [plan_items.of_text(name, title, text) for name, title, text in _parts(inputs, model) if text]


def _parts(inputs: PromptInputs, model: Model) -> Iterator[tuple[str, str, str]]:
    if not inputs.for_program:
        yield "introduction", "Who the model is, and who sits at the table", introduction_text(inputs)
        yield "people", "The people who write here", people_text(inputs)
        yield "project", "The project", project_text(inputs)
        yield "anchor", "What the conversation is about", anchor_text(inputs)
    if inputs.brief:
        yield "brief", "The project's brief", f"## Project brief\n\n{inputs.brief}"
    if not inputs.for_program:
        yield "files", "The list of the project's files", file_list_text(inputs)
        yield "abilities", "What the model can do", abilities_text(inputs, model)
        yield "python", "How code is run", prompts.text("python") if inputs.can_run else ""
        yield "tools", "The tools that models wrote", tool_list_text(inputs) if inputs.can_run else ""
    heading = "" if inputs.for_program else "## Instructions\n\n"
    for number, instructions in enumerate(inputs.instructions, start=1):
        yield f"instructions-{number}", "Your instructions", heading + instructions


def introduction_text(inputs: PromptInputs) -> str:
    """Return who the model is and who else is asked."""
    alone = len(inputs.table) < 2
    people = "several people" if inputs.facts.people else "one person"
    about = prompts.text("alone" if alone else "table").format(lane=inputs.lane, people=people)
    return about if alone else f"{about}\n\nAt the table: {', '.join(inputs.table)}."


def project_text(inputs: PromptInputs) -> str:
    """Return where the conversation takes place."""
    if (project := inputs.facts.project) is None:
        return ""
    name = escape_attribute(project.name)
    return f'You are working in the project "{name}" (id: {project.id}, status: {project.status}).'


def people_text(inputs: PromptInputs) -> str:
    """Return who writes here, where that is more than one person."""
    names = ", ".join(f'"{escape_attribute(name)}"' for name in inputs.facts.people)
    return prompts.text("people").format(names=names) if names else ""


def anchor_text(inputs: PromptInputs) -> str:
    """Return what the conversation is about besides its project."""
    if (anchor := inputs.facts.anchor) is None:
        return ""
    told = ", ".join(f'{name} "{escape_attribute(value)}"' for name, value in anchor.fields)
    about = f"This conversation is about a {anchor.kind}: {told}."
    if not anchor.lines:
        return about
    return "\n\n".join(
        [about, frame_quotation("anchor", *(f"- {escape_frame_tags(line)}" for line in anchor.lines))]
    )


def file_list_text(inputs: PromptInputs) -> str:
    """Return the files of the project: each one, or where they are many, their folders."""
    if not inputs.file_list.listed:
        return ""
    lines = frame_quotation("files", *map(file_line, inputs.file_list.listed))
    return f"## Project files ({inputs.file_list.count} in all)\n\n{lines}"


def file_line(one: ListedFile) -> str:
    """Return a file with its size and what it is about, or a folder with how many files it has."""
    path = path_in_list(one.path)
    if one.files:
        return f"- {path}/ ({one.files} {'file' if one.files == 1 else 'files'})"
    about = f": {escape_frame_tags(' '.join(one.about.split()))}" if one.about else ""
    return f"- {path} ({format_size(one.size)}){about}"


def path_in_list(path: str) -> str:
    """Return a path as the list of files names it."""
    return escape_frame_tags(" ".join(path.splitlines()))


def tool_list_text(inputs: PromptInputs) -> str:
    """Return the tools that models wrote for this project, and how they are used."""
    tools = inputs.file_list.tools
    if not tools:
        return prompts.text("no_tools")
    lines = [tool_line(tool) for tool in tools[:PROMPT_TOOLS_MAX]]
    if len(tools) > PROMPT_TOOLS_MAX:
        lines.append(f"- and {len(tools) - PROMPT_TOOLS_MAX} more: list /project/tools")
    return "\n\n".join([prompts.text("tools"), frame_quotation("tools", *lines)])


def tool_line(one: ListedFile) -> str:
    """Return a tool and what it does."""
    # Of a docstring on one line the closing quotation marks are taken along.
    about = escape_frame_tags(" ".join(one.about.split()).strip("\"'")[:PROMPT_TOOL_ABOUT_MAX_CHARS])
    return f"- {one.path}: {about}" if about else f"- {one.path}"


def format_size(bytes_: int) -> str:
    """Return a size as people say it."""
    for unit, step in (("MB", 1_000_000), ("KB", 1_000)):
        if bytes_ >= step:
            return f"{bytes_ / step:.1f} {unit}"
    return f"{bytes_} bytes"


def abilities_text(inputs: PromptInputs, model: Model) -> str:
    """Return what the model can do besides writing, as far as it was asked to."""
    parts = [prompts.text("reading")] if inputs.can_read else []
    if name := maker_prompt(model):
        parts.append(prompts.text(name))
    return "\n\n".join(parts)


def maker_prompt(model: Model) -> str:
    """Return which words on thinking suit a model; empty where there are none."""
    maker = maker_of(model)
    if name := MAKER_PROMPTS.get(maker):
        return name
    return THINKING_PROMPT if Ability.THINKING in model.abilities and maker is not Maker.XAI else ""


def maker_of(model: Model) -> Maker | None:
    """Return who made a model, by its name or else by the connection that offers it."""
    family = family_of(model.name)
    if family and family.maker:
        return family.maker
    return Maker(model.connection) if model.connection in set(Maker) else None
