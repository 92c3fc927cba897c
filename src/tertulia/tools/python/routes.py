"""Models' tools over HTTP, and how the sandbox stands in which they run."""

from typing import Annotated

from fastapi import Depends, Path, Request

from tertulia.files.routes.parts import Shelf
from tertulia.files.schemas import FileView
from tertulia.infra.http.body import body_limit, long_texts
from tertulia.infra.http.identity import Admin, Me, Member
from tertulia.infra.http.parts import Db, part
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import Clean
from tertulia.tools.python.approval import approve
from tertulia.tools.python.overview import find, overviews
from tertulia.tools.python.schemas import (
    PythonToolsView,
    PythonToolView,
    SandboxView,
    ToolApproval,
    ToolTrialView,
    TrialBody,
)
from tertulia.tools.python.testing import run_test
from tertulia.tools.python.workbench import Workbench

router = Router(prefix="/api", tags=["tools"])


async def _workbench(request: Request) -> Workbench:
    return part(request, Workbench)


Bench = Annotated[Workbench, Depends(_workbench)]
ToolName = Annotated[str, Path(min_length=1, max_length=1024), Clean]


@router.get("/sandbox")
async def get_sandbox(me: Me, bench: Bench) -> SandboxView:
    """Tell whether models can run code, and if not, why or how far getting ready has come."""
    del me
    return SandboxView.of(bench.status())


@router.post("/sandbox/prepare", status_code=202)
async def prepare_sandbox(me: Admin, bench: Bench) -> SandboxView:
    """Prepare the sandbox now, also where that failed or was declined; one that is ready stays so."""
    del me
    return SandboxView.of(bench.prepare())


@router.post("/sandbox/decline")
async def decline_sandbox(me: Admin, bench: Bench) -> SandboxView:
    """Do not prepare the sandbox on this machine, not even to its end; one that is ready stays so."""
    del me
    return SandboxView.of(bench.decline())


@router.get("/projects/{project_id}/tools")
async def list_tools(project_id: str, me: Me, db: Db, bench: Bench) -> PythonToolsView:
    """List the tools that were written for a project, with what is in them and who used them."""
    found = await overviews(project_id, db=db, reader=bench.reader, by=me)
    return PythonToolsView(tools=[PythonToolView.of(tool) for tool in found])


@router.post("/projects/{project_id}/tools/drafts/{file_id}/approve")
async def approve_tool(
    project_id: str, file_id: str, body: ToolApproval, me: Member, db: Db, files: Shelf
) -> FileView:
    """Make a tool that a model wrote in a conversation one of the project, for every member's models.

    The yes is for the version that was read: where the model wrote another one since, it is refused.
    """
    approved = await approve(project_id, file_id, body.version, db=db, files=files, by=me)
    return FileView.model_validate(approved)


@router.post("/projects/{project_id}/tools/{name:path}/test")
@body_limit(long_texts(1))
async def try_tool(
    project_id: str, name: ToolName, body: TrialBody, me: Member, db: Db, bench: Bench
) -> ToolTrialView:
    """Try a tool in the sandbox, by its own examples or with code; nothing that it writes is kept."""
    file = await db.read(lambda tx: find(tx, project_id, name), by=me)
    return ToolTrialView.model_validate(await run_test(file, body.code, bench=bench, by=me))
