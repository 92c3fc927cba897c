"""What a model is told of a run: what was printed, what came of it, and what was kept."""

import builtins
import re
from collections.abc import Sequence

from tertulia.conversations.domain import SavedFile
from tertulia.files.tool_modules import DRAFT_TOOLS_FOLDER, module_name
from tertulia.files.tool_modules import PROJECT_TOOLS_FOLDER as FOLDER
from tertulia.models.prompt_frames import escape_frame_tags, frame_quotation
from tertulia.sandbox.domain import TOOLS_FOLDER
from tertulia.sandbox.errors import NameRefused
from tertulia.sandbox.tool_names import normalise_tool_name as check_tool_name
from tertulia.tools.python.code_runner import CodeRun
from tertulia.tools.python.tool_drafts import SavedDrafts

#: Characters of each part; together they stay below what a loop lets through.
PRINTED_MAX_CHARS = 9_000
VALUE_MAX_CHARS = 3_500
TRACEBACK_MAX_CHARS = 3_500
REPORTED_NAMES_MAX = 20
#: How Python says that the sandbox does not let a file have its name.
REFUSED_NAME_ERROR = re.compile(rf"^PermissionError: .*'{TOOLS_FOLDER}/([^'\n]+)'$", re.MULTILINE)
TRACEBACK_FRAME = re.compile(r'  File "([^"]*)", line (\d{1,9})')
#: How the last lines of a traceback begin.
EXCEPTION_NAME = re.compile(r"^(\w+)(?=:|$)", re.MULTILINE)
EXCEPTION_NAMES = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
NOTHING_PRINTED = "(Nothing was printed, and the last line is no expression with a value.)"
USABLE_BY_OTHERS = "those of others once a member approves it."
SAVED_FOR_LOCAL_MODELS = (
    "The run could read files that are for local models alone, so only those can use what it saved."
)
TOOLS_NOT_REMOVED = (
    "Not removed: {names}. Only people delete tools, so they are there again at the next call."
)


def render_run(ran: CodeRun, kept: SavedDrafts) -> str:
    """Return the result as a model reads it."""
    outcome = ran.outcome
    blocks = (
        [escape_frame_tags(truncate_middle(ran.printed.rstrip("\n"), PRINTED_MAX_CHARS))]
        if ran.printed
        else []
    )
    if outcome.value:
        blocks.append(
            "Value of the last expression:\n"
            + escape_frame_tags(truncate_middle(outcome.value, VALUE_MAX_CHARS))
        )
    if outcome.error:
        blocks.append(
            escape_frame_tags(truncate_middle(trim_traceback(outcome.error).rstrip(), TRACEBACK_MAX_CHARS))
        )
    return frame_quotation("output", *(blocks or [NOTHING_PRINTED]), after="\n".join(run_notes(ran, kept)))


def run_notes(ran: CodeRun, kept: SavedDrafts) -> list[str]:
    """Return what was made besides words."""
    said: list[str] = []
    if figures := len(ran.outcome.figures):
        many = (
            f"{figures} figures, which the person sees" if figures > 1 else "a figure, which the person sees"
        )
        said.append(f"It drew {many}.")
    said += [
        render_saved_tool(saved_file, kept.problems.get(saved_file.path, ""))
        for saved_file in kept.saved[:REPORTED_NAMES_MAX]
    ]
    if kept.saved and ran.mount.local_only:
        said.append(SAVED_FOR_LOCAL_MODELS)
    if removed := ran.outcome.removed[:REPORTED_NAMES_MAX]:
        said.append(TOOLS_NOT_REMOVED.format(names=", ".join(map(escape_frame_tags, removed))))
    refused = {**refused_names(ran.outcome.error), **kept.refused}
    return said + [
        f"Not saved: {escape_frame_tags(name)}. {why}"
        for name, why in [*refused.items()][:REPORTED_NAMES_MAX]
    ]


def refused_names(error: str) -> dict[str, str]:
    """Return the names that the sandbox did not let the code use, and why."""
    found: dict[str, str] = {}
    for name in REFUSED_NAME_ERROR.findall(error)[-1:]:
        try:
            check_tool_name(name)
        except NameRefused as refusal:
            found[name] = refusal.message
    return found


def render_saved_tool(file: SavedFile, problem: str = "") -> str:
    """Return that a tool was kept, and how it is used, or that it looks broken."""
    name = file.path.removeprefix(DRAFT_TOOLS_FOLDER).removeprefix(FOLDER)
    module = module_name(f"{FOLDER}{name}")
    how = (
        f" From the next call on models of this conversation can `import {module}`; {USABLE_BY_OTHERS}"
        if module
        else ""
    )
    if problem:
        how = f" It looks broken. {problem.rstrip('.')}. Mend it."
    return f"Saved: {FOLDER}{name}, version {file.version}.{how}"


def trim_traceback(trace: str) -> str:
    """Return a traceback with the frames of the code and its tools; those of libraries are counted."""
    lines: list[str] = []
    hidden = 0
    hiding = False
    for line in trace.splitlines():
        if frame := TRACEBACK_FRAME.match(line):
            hiding = not is_own_frame(frame[1])
            hidden += hiding
        elif not line.startswith("    "):
            hiding = False
        if not hiding:
            lines += [hidden_frames_line(hidden)] if hidden else []
            hidden = 0
            lines.append(line)
    return "\n".join(lines)


def is_own_frame(place: str) -> bool:
    """Tell whether a frame stands in the code itself or in a tool."""
    return place == "<code>" or place.startswith(f"{TOOLS_FOLDER}/")


def hidden_frames_line(hidden: int) -> str:
    """Return a line in the place of hidden frames."""
    return f"  ({hidden} {'frame' if hidden == 1 else 'frames'} inside libraries)"


def tools_in_traceback(trace: str, tools: Sequence[str]) -> set[str]:
    """Return the tools that stand in a traceback."""
    places = {match[1] for match in TRACEBACK_FRAME.finditer(trace)}
    return {name for name in tools if f"{TOOLS_FOLDER}/{name}" in places}


def classify_error(trace: str, tool: str) -> str:
    """Return the kind of an exception and the last line of a tool in its traceback.

    Messages, source lines and names of a program's own may quote a file that is deleted later: none is kept.
    """
    frames = list(TRACEBACK_FRAME.finditer(trace))
    lines = [frame[2] for frame in frames if frame[1] == f"{TOOLS_FOLDER}/{tool}"]
    names = EXCEPTION_NAME.findall(trace, frames[-1].end() if frames else 0)
    kind = next((name for name in names if name in EXCEPTION_NAMES), "An exception")
    return f"{kind} in line {lines[-1]}" if lines else kind


def truncate_middle(text: str, max_chars: int) -> str:
    """Return a text, or its beginning and its end where it is long."""
    if len(text) <= max_chars:
        return text
    head, tail = text[: max_chars * 2 // 3], text[-max_chars // 3 :]
    head = head.rpartition("\n")[0] or head
    tail = tail.partition("\n")[2] or tail
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out:,} characters are left out here: print less, or a part of it …]\n{tail}"
