"""Models' tools over HTTP, and how the sandbox stands in which they run."""

from typing import Annotated

from fastapi import Depends, Path, Request

from tertulia.files.routes.dependencies import FilesPart
from tertulia.files.schemas import FileView
from tertulia.infra.http.body_limits import body_limit, long_text_limit
from tertulia.infra.http.dependencies import Db, get_part
from tertulia.infra.http.identity import Admin, Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import ValidUnicode
from tertulia.tools.python.code_runner import CodeRunner
from tertulia.tools.python.draft_approval import approve_draft
from tertulia.tools.python.schemas import (
    PythonToolsView,
    PythonToolView,
    SandboxView,
    ToolApproval,
    ToolTrialView,
    TrialBody,
)
from tertulia.tools.python.tool_overview import find_tool, list_overviews
from tertulia.tools.python.tool_trial import run_trial

router = Router(prefix="/api", tags=["tools"])


async def _code_runner(request: Request) -> CodeRunner:
    return get_part(request, CodeRunner)


CodeRunnerPart = Annotated[CodeRunner, Depends(_code_runner)]
ToolName = Annotated[str, Path(min_length=1, max_length=1024), ValidUnicode]


@router.get("/sandbox")
async def get_sandbox(me: Me, code_runner: CodeRunnerPart) -> SandboxView:
    """Tell whether models can run code, and if not, why or how far getting ready has come."""
    del me
    return SandboxView.of(code_runner.status())


@router.post("/sandbox/prepare", status_code=202)
async def prepare_sandbox(me: Admin, code_runner: CodeRunnerPart) -> SandboxView:
    """Prepare the sandbox now, also where that failed or was declined; one that is ready stays so."""
    del me
    return SandboxView.of(code_runner.prepare())


@router.post("/sandbox/decline")
async def decline_sandbox(me: Admin, code_runner: CodeRunnerPart) -> SandboxView:
    """Do not prepare the sandbox on this machine, not even to its end; one that is ready stays so."""
    del me
    return SandboxView.of(code_runner.decline())


@router.get("/projects/{project_id}/tools")
async def list_tools(project_id: str, me: Me, db: Db, code_runner: CodeRunnerPart) -> PythonToolsView:
    """List the tools that were written for a project, with what is in them and who used them."""
    found = await list_overviews(project_id, db=db, reader=code_runner.outlines, by=me)
    return PythonToolsView(tools=[PythonToolView.of(tool) for tool in found])


@router.post("/projects/{project_id}/tools/drafts/{file_id}/approve")
async def approve_tool(
    project_id: str, file_id: str, body: ToolApproval, me: Member, db: Db, files: FilesPart
) -> FileView:
    """Make a tool that a model wrote in a conversation one of the project, for every member's models.

    The yes is for the version that was read: where the model wrote another one since, it is refused.
    """
    approved = await approve_draft(project_id, file_id, body.version, db=db, files=files, by=me)
    return FileView.model_validate(approved)


@router.post("/projects/{project_id}/tools/{name:path}/test")
@body_limit(long_text_limit(1))
async def try_tool(
    project_id: str, name: ToolName, body: TrialBody, me: Member, db: Db, code_runner: CodeRunnerPart
) -> ToolTrialView:
    """Try a tool in the sandbox, by its own examples or with code; nothing that it writes is kept."""
    file = await db.read(lambda tx: find_tool(tx, project_id, name), by=me)
    return ToolTrialView.model_validate(await run_trial(file, body.code, code_runner=code_runner, by=me))
