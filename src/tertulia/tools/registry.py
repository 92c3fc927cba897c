"""The tools that a model is offered, and the one place that runs them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping

import msgspec

from tertulia.core.errors import TertuliaError
from tertulia.core.invisible_characters import escape_invisible
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.models.calls import Tool, ToolCall
from tertulia.retrieval.search import Search
from tertulia.tools.arguments import ToolArgumentsInvalid, read_arguments
from tertulia.tools.domain import AnyTool, CallPreview, Effect, ToolCaller, ToolOutput, refused_output
from tertulia.tools.errors import OutcomeUnknown
from tertulia.tools.list_project_files import ListProjectFiles
from tertulia.tools.read_project_file import ReadProjectFile
from tertulia.tools.read_tool_result import ReadToolResult
from tertulia.tools.search_project import SearchProject

log = logging.getLogger("tertulia.tools")

#: How long one tool may take.
TOOL_TIMEOUT_SECONDS = 30.0
QUOTED_TOOL_NAME_MAX_CHARS = 80

#: Returns the tools that a caller's workspace wants: ours as it has switched them, and those from beyond.
ChooseTools = Callable[[ToolCaller, Iterable[AnyTool]], Awaitable[Iterable[AnyTool]]]


class ToolRegistry:
    """Runs tools for models; whatever goes wrong is told to the model, so that it can do better."""

    def __init__(
        self,
        tools: Iterable[AnyTool],
        *,
        choose: ChooseTools | None = None,
        seconds: float = TOOL_TIMEOUT_SECONDS,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._choose = choose
        self._seconds = seconds

    @property
    def tools(self) -> tuple[AnyTool, ...]:
        """Return all tools that are in it."""
        return tuple(self._tools.values())

    async def for_caller(self, caller: ToolCaller) -> "ToolRegistry":
        """Return the tools of one reply: what they are and may do stays the same for all of it."""
        tools = self._available_to(caller)
        if self._choose is None or not tools:
            return self
        return ToolRegistry(await self._choose(caller, tools.values()), seconds=self._seconds)

    def tool_definitions(self, caller: ToolCaller) -> tuple[Tool, ...]:
        """Return the tools that a caller's model may use, always in the same order."""
        tools = self._available_to(caller).values()
        return tuple(Tool(tool.name, tool.description, tool.parameters) for tool in tools)

    def effect_of(self, name: str, caller: ToolCaller) -> Effect:
        """Return whether a tool only looks; one that there is not cannot do anything."""
        tool = self._available_to(caller).get(name)
        return tool.effect if tool else Effect.READ

    def check(self, call: ToolCall, caller: ToolCaller) -> ToolOutput | None:
        """Return what is wrong with a call, as the result it would have; None where it can be run."""
        tools = self._available_to(caller)
        tool = tools.get(call.name)
        if tool is None:
            return (
                not_ready_output(call.name)
                if tools and call.name in self._tools
                else unknown_tool_output(call.name, tools)
            )
        try:
            arguments = read_arguments(call.arguments, tool)
            # Some tools know more of their arguments than the form.
            if check := getattr(tool, "check", None):
                check(arguments)
        except ToolArgumentsInvalid as error:
            return invalid_arguments_output(tool, error)
        return None

    def preview(self, tx: Tx, call: ToolCall, caller: ToolCaller) -> CallPreview:
        """Return a call that was checked as it will run, or raise a `TertuliaError` where it cannot."""
        tool = self._available_to(caller).get(call.name)
        preview = getattr(tool, "preview", None)
        if tool is None or preview is None:
            return CallPreview(call.arguments)
        arguments, summary = preview(tx, read_arguments(call.arguments, tool), caller)
        return CallPreview(msgspec.json.encode(arguments).decode(), escape_invisible(summary))

    async def run(self, call: ToolCall, caller: ToolCaller) -> ToolOutput:
        """Run one call. Only being cancelled is raised: every failure is a result that says what to do."""
        if wrong := self.check(call, caller):
            return wrong
        tool = self._available_to(caller)[call.name]
        return await self._run(tool, read_arguments(call.arguments, tool), caller)

    def _available_to(self, caller: ToolCaller) -> Mapping[str, AnyTool]:
        """Return the tools for a caller: without a project there is nothing to use most of them on."""
        if not caller.has_tools:
            return {}
        return {
            name: tool
            for name, tool in self._tools.items()
            if is_ready(tool)
            and not (caller.is_temporary and uses_memory(tool))
            and not (caller.project_id is None and needs_project(tool))
        }

    async def _run(self, tool: AnyTool, arguments: object, caller: ToolCaller) -> ToolOutput:
        # What takes long by its nature says how long it may.
        seconds: float = getattr(tool, "seconds", None) or self._seconds
        try:
            async with asyncio.timeout(seconds):
                return await tool.run(arguments, caller)
        except TimeoutError:
            told = f"{tool.name} took longer than {seconds:g} seconds. Ask for less."
            return ToolOutput(told, failed=True, unknown=tool.effect is Effect.SIDE)
        except OutcomeUnknown as error:
            return ToolOutput(error.message, failed=True, unknown=tool.effect is Effect.SIDE)
        except TertuliaError as error:
            return refused_output(error)
        except Exception:
            log.exception("The tool %s failed in a way nobody foresaw.", tool.name)
            return ToolOutput(
                f"{tool.name} failed for a reason that was logged. Go on without it.", failed=True
            )


def build_tool_registry(
    db: Database, files: Files, search: Search, *more: AnyTool, choose: ChooseTools | None = None
) -> ToolRegistry:
    """Return the tools that look at a project, those that are given, and the one that reads long results."""
    tools = [
        ListProjectFiles(db),
        ReadProjectFile(db, files),
        SearchProject(db, search),
        *more,
        ReadToolResult(db),
    ]
    return ToolRegistry(tools, choose=choose)


def is_ready(tool: AnyTool) -> bool:
    """Tell whether a tool can be used just now; most always can."""
    return bool(getattr(tool, "ready", True))


def uses_memory(tool: AnyTool) -> bool:
    """Tell whether a tool remembers or recalls: what is temporary has no part in either."""
    return bool(getattr(tool, "uses_memory", False))


def needs_project(tool: AnyTool) -> bool:
    """Tell whether a tool is of use only in a project; most are."""
    return bool(getattr(tool, "needs_project", True))


def not_ready_output(name: str) -> ToolOutput:
    """Say that a tool cannot be used just now."""
    return ToolOutput(
        f"{name} cannot be used just now: go on without it, or say so and try later.", failed=True
    )


def unknown_tool_output(name: str, tools: Mapping[str, AnyTool]) -> ToolOutput:
    """Say that there is no such tool, and which there are."""
    told = (
        f"There is no tool called {name[:QUOTED_TOOL_NAME_MAX_CHARS]!r}."
        if name
        else "The call names no tool."
    )
    there = f"You can call {', '.join(tools)}." if tools else "You have no tools here: answer without."
    return ToolOutput(f"{told} {there}", failed=True)


def invalid_arguments_output(tool: AnyTool, error: ToolArgumentsInvalid) -> ToolOutput:
    """Say what is wrong with arguments, and how they should be."""
    wanted = msgspec.json.encode(tool.parameters).decode()
    told = f"The arguments of {tool.name} cannot be used: {error.message}."
    return ToolOutput(f"{told} They are one JSON object of this form: {wanted}", failed=True)
