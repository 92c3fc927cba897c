"""Models' tools on the wire."""

from typing import Annotated

from pydantic import Field

from tertulia.files.tool_modules import PROJECT_TOOLS_FOLDER, module_name, tool_name
from tertulia.infra.http.schema import LongText, Schema, Timestamp
from tertulia.sandbox.domain import Readiness, RunStatus, State
from tertulia.tools.python.tool_overview import PythonToolOverview
from tertulia.tools.python.tool_uses import RecordedToolUse


class FunctionView(Schema):
    """A function or class that a tool offers."""

    name: str
    signature: str
    docstring: str


class UseView(Schema):
    """Who used a tool when: a model, for a person."""

    user_id: str
    model: str
    version: int
    failed: bool
    created_at: Timestamp


class ToolErrorView(Schema):
    """How a tool failed last for the caller."""

    error: str
    version: int
    created_at: Timestamp

    @classmethod
    def of(cls, use: RecordedToolUse) -> "ToolErrorView":
        """Return the failure of a use."""
        return cls(error=use.error, version=use.version, created_at=use.created_at)


class PythonToolView(Schema):
    """A file in the project's folder `tools`; `model` is null where a person wrote this version."""

    name: str
    path: str
    file_id: str
    #: The conversation that it was written in, while it waits for a member's yes; null for the project's own.
    conversation_id: str | None
    #: What it is imported as; empty for what is no module.
    module: str
    description: str
    version: int
    size: int
    local_only: bool
    tool_accessible: bool
    functions: list[FunctionView]
    #: Why nothing is said of its functions.
    problem: str
    written_by: str
    model: str | None
    written_at: Timestamp
    times_used: int
    times_failed: int
    last_used_at: Timestamp | None
    recent_uses: list[UseView]
    last_error: ToolErrorView | None

    @classmethod
    def of(cls, tool: PythonToolOverview) -> "PythonToolView":
        """Return a tool as it is shown."""
        row, file = tool.record, tool.record.file
        name = tool_name(file.path, file.conversation_id)
        return cls(
            name=name,
            path=file.path,
            file_id=file.id,
            conversation_id=file.conversation_id,
            module=module_name(f"{PROJECT_TOOLS_FOLDER}{name}"),
            description=tool.source.description,
            version=file.version,
            size=file.size,
            local_only=file.local_only,
            tool_accessible=file.tool_accessible,
            functions=[FunctionView.model_validate(function) for function in tool.source.functions],
            problem=tool.source.problem,
            written_by=row.written_by,
            model=row.model,
            written_at=row.written_at,
            times_used=row.count.times if row.count else 0,
            times_failed=row.count.failures if row.count else 0,
            last_used_at=row.count.last_at if row.count else None,
            recent_uses=[
                UseView(
                    user_id=use.user_id,
                    model=use.model,
                    version=use.version,
                    failed=use.failed,
                    created_at=use.created_at,
                )
                for use in row.recent
            ],
            last_error=ToolErrorView.of(row.error) if row.error else None,
        )


class PythonToolsView(Schema):
    """The tools of a project."""

    tools: list[PythonToolView]


class ToolApproval(Schema):
    """The version of a draft that a member has read."""

    version: Annotated[int, Field(ge=1, le=2**31)]


class TrialBody(Schema):
    """Code to try a tool with; without it, the examples in its docstrings are run."""

    code: LongText | None = Field(default=None, min_length=1)


class ToolTrialView(Schema):
    """How trying a tool went; examples are counted where they were run."""

    ok: bool
    status: RunStatus
    seconds: float
    output: str
    value: str
    error: str
    attempted: int | None
    failed: int | None


class SandboxView(Schema):
    """Whether code can be run, why not, and how far getting ready has come in percent."""

    state: State
    reason: str
    percent: int
    #: Whether an admin can have it tried again.
    can_try_again: bool

    @classmethod
    def of(cls, readiness: Readiness) -> "SandboxView":
        """Return how the sandbox stands."""
        return cls(
            state=readiness.state,
            reason=readiness.reason,
            percent=round(readiness.progress * 100),
            can_try_again=readiness.can_try_again,
        )
