"""What a model is told of a run: what was printed, what came of it, and what was kept."""

import builtins
import re
from collections.abc import Sequence

from tertulia.conversations.domain import SavedFile
from tertulia.files.modules import DRAFT_TOOLS, module_of
from tertulia.files.modules import TOOLS as FOLDER
from tertulia.models.quoting import framed, inert
from tertulia.sandbox.domain import TOOLS
from tertulia.sandbox.errors import NameRefused
from tertulia.sandbox.names import tool_name as check_tool_name
from tertulia.tools.python.saving import Kept
from tertulia.tools.python.workbench import Ran

#: Characters of each part; together they stay below what a loop lets through.
MOST_PRINTED = 9_000
MOST_VALUE = 3_500
MOST_ERROR = 3_500
MOST_NAMED = 20
#: How Python says that the sandbox does not let a file have its name.
FORBIDDEN = re.compile(rf"^PermissionError: .*'{TOOLS}/([^'\n]+)'$", re.MULTILINE)
FRAME = re.compile(r'  File "([^"]*)", line (\d{1,9})')
#: How the last lines of a traceback begin.
EXCEPTION_NAME = re.compile(r"^(\w+)(?=:|$)", re.MULTILINE)
EXCEPTION_NAMES = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
NOTHING = "(Nothing was printed, and the last line is no expression with a value.)"
OTHERS = "those of others once a member approves it."
FOR_LOCAL = "The run could read files that are for local models alone, so only those can use what it saved."
STILL_THERE = "Not removed: {names}. Only people delete tools, so they are there again at the next call."


def told(ran: Ran, kept: Kept) -> str:
    """Return the result as a model reads it."""
    outcome = ran.outcome
    blocks = [inert(cut_middle(ran.printed.rstrip("\n"), MOST_PRINTED))] if ran.printed else []
    if outcome.value:
        blocks.append(f"Value of the last expression:\n{inert(cut_middle(outcome.value, MOST_VALUE))}")
    if outcome.error:
        blocks.append(inert(cut_middle(own_frames(outcome.error).rstrip(), MOST_ERROR)))
    return framed("output", *(blocks or [NOTHING]), after="\n".join(notes(ran, kept)))


def notes(ran: Ran, kept: Kept) -> list[str]:
    """Return what was made besides words."""
    said: list[str] = []
    if figures := len(ran.outcome.figures):
        many = (
            f"{figures} figures, which the person sees" if figures > 1 else "a figure, which the person sees"
        )
        said.append(f"It drew {many}.")
    said += [saved(one, kept.problems.get(one.path, "")) for one in kept.saved[:MOST_NAMED]]
    if kept.saved and ran.mounted.local_only:
        said.append(FOR_LOCAL)
    if removed := ran.outcome.removed[:MOST_NAMED]:
        said.append(STILL_THERE.format(names=", ".join(map(inert, removed))))
    refused = {**forbidden(ran.outcome.error), **kept.refused}
    return said + [f"Not saved: {inert(name)}. {why}" for name, why in [*refused.items()][:MOST_NAMED]]


def forbidden(error: str) -> dict[str, str]:
    """Return the names that the sandbox did not let the code use, and why."""
    found: dict[str, str] = {}
    for name in FORBIDDEN.findall(error)[-1:]:
        try:
            check_tool_name(name)
        except NameRefused as refusal:
            found[name] = refusal.message
    return found


def saved(file: SavedFile, problem: str = "") -> str:
    """Return that a tool was kept, and how it is used, or that it looks broken."""
    name = file.path.removeprefix(DRAFT_TOOLS).removeprefix(FOLDER)
    module = module_of(f"{FOLDER}{name}")
    how = (
        f" From the next call on models of this conversation can `import {module}`; {OTHERS}"
        if module
        else ""
    )
    if problem:
        how = f" It looks broken. {problem.rstrip('.')}. Mend it."
    return f"Saved: {FOLDER}{name}, version {file.version}.{how}"


def own_frames(trace: str) -> str:
    """Return a traceback with the frames of the code and its tools; those of libraries are counted."""
    lines: list[str] = []
    hidden = 0
    hiding = False
    for line in trace.splitlines():
        if frame := FRAME.match(line):
            hiding = not is_own(frame[1])
            hidden += hiding
        elif not line.startswith("    "):
            hiding = False
        if not hiding:
            lines += [counted(hidden)] if hidden else []
            hidden = 0
            lines.append(line)
    return "\n".join(lines)


def is_own(place: str) -> bool:
    """Tell whether a frame stands in the code itself or in a tool."""
    return place == "<code>" or place.startswith(f"{TOOLS}/")


def counted(hidden: int) -> str:
    """Return a line in the place of hidden frames."""
    return f"  ({hidden} {'frame' if hidden == 1 else 'frames'} inside libraries)"


def blamed(trace: str, tools: Sequence[str]) -> set[str]:
    """Return the tools that stand in a traceback."""
    places = {match[1] for match in FRAME.finditer(trace)}
    return {name for name in tools if f"{TOOLS}/{name}" in places}


def classify_error(trace: str, tool: str) -> str:
    """Return the kind of an exception and the last line of a tool in its traceback.

    Messages, source lines and names of a program's own may quote a file that is deleted later: none is kept.
    """
    frames = list(FRAME.finditer(trace))
    lines = [frame[2] for frame in frames if frame[1] == f"{TOOLS}/{tool}"]
    names = EXCEPTION_NAME.findall(trace, frames[-1].end() if frames else 0)
    kind = next((name for name in names if name in EXCEPTION_NAMES), "An exception")
    return f"{kind} in line {lines[-1]}" if lines else kind


def cut_middle(text: str, most: int) -> str:
    """Return a text, or its beginning and its end where it is long."""
    if len(text) <= most:
        return text
    head, tail = text[: most * 2 // 3], text[-most // 3 :]
    head = head.rpartition("\n")[0] or head
    tail = tail.partition("\n")[2] or tail
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out:,} characters are left out here: print less, or a part of it …]\n{tail}"
