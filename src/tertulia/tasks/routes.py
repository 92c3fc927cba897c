"""Tasks over HTTP: a project's are every member's, those without a project their owner's."""

from typing import Annotated

from fastapi import Query

from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db, Log
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import ValidUnicode, omit_unset
from tertulia.infra.undo.schemas import DeletionView
from tertulia.tasks import access, history, service
from tertulia.tasks.deletion import delete_with_undo
from tertulia.tasks.domain import TaskFilter, TaskPriority, TaskSort, TaskStatus
from tertulia.tasks.schemas import (
    BulkChange,
    BulkDeletion,
    Day,
    NewTaskBody,
    TaskChange,
    TaskHistoryPage,
    TaskHistoryView,
    TaskList,
    TaskMove,
    TaskPage,
    TaskView,
    view_tasks,
)

router = Router(prefix="/api", tags=["tasks"])

TextFilter = Annotated[str, Query(max_length=200), ValidUnicode]
Cursor = Annotated[str, Query(max_length=60)]
PageLimit = Annotated[int, Query(ge=1, le=200)]


@router.get("/tasks")
async def list_tasks(
    me: Me,
    db: Db,
    project_id: TextFilter = "",
    no_project: bool = False,
    status: Annotated[list[TaskStatus] | None, Query()] = None,
    priority: Annotated[list[TaskPriority] | None, Query()] = None,
    due_before: Day | None = None,
    due_after: Day | None = None,
    phase_id: TextFilter = "",
    assignee_id: TextFilter = "",
    tag: TextFilter = "",
    text: TextFilter = "",
    series_id: TextFilter = "",
    conversation_id: TextFilter = "",
    sort: TaskSort = TaskSort.POSITION,
    after: Cursor = "",
    limit: PageLimit = 50,
) -> TaskPage:
    """List the tasks of all projects and your own; `due_before` and `due_after` include their days."""
    wanted = TaskFilter(
        statuses=status or (),
        priorities=priority or (),
        project_id=project_id,
        no_project=no_project,
        phase_id=phase_id,
        assignee_id=assignee_id,
        tag=tag,
        text=text,
        series_id=series_id,
        conversation_id=conversation_id,
        due_after=due_after,
        due_before=due_before,
    )

    def read(tx: Tx) -> TaskPage:
        found = service.list_page(tx, wanted, sort=sort, after=after, limit=limit + 1)
        more = found[limit - 1].id if len(found) > limit else None
        return TaskPage(tasks=view_tasks(tx, found[:limit]), next=more)

    return await db.read(read, by=me)


@router.post("/tasks", status_code=201)
async def create_task(body: NewTaskBody, me: Member, db: Db, log: Log) -> TaskView:
    """Make a task, at the end of the order."""
    link = body.link.to_link() if body.link else None

    def write(tx: Tx) -> TaskView:
        return view_tasks(tx, [service.create(tx, body.to_task(), link=link, log=log)])[0]

    return await db.write(write, by=me)


@router.post("/tasks/bulk")
async def change_tasks(body: BulkChange, me: Member, db: Db, log: Log) -> TaskList:
    """Change several tasks in the same way: all of them, or none."""
    values = omit_unset(body.change)

    def write(tx: Tx) -> TaskList:
        return TaskList(tasks=view_tasks(tx, service.change_many(tx, body.ids, values, log=log)))

    return await db.write(write, by=me)


@router.post("/tasks/bulk-delete")
async def delete_tasks(body: BulkDeletion, me: Member, db: Db, log: Log) -> DeletionView:
    """Delete several tasks, with a short time in which you can restore them all."""
    deletion = await db.write(lambda tx: delete_with_undo(tx, body.ids, log=log), by=me)
    return DeletionView.model_validate(deletion)


@router.get("/tasks/{task_id}")
async def get_task(task_id: str, me: Me, db: Db) -> TaskView:
    """Return a task."""
    return await db.read(lambda tx: view_tasks(tx, [access.get(tx, task_id)])[0], by=me)


@router.put("/tasks/{task_id}")
async def change_task(task_id: str, body: TaskChange, me: Member, db: Db, log: Log) -> TaskView:
    """Change a task; fields that are left out stay. A recurring one that is done makes the next."""
    values = omit_unset(body)

    def write(tx: Tx) -> TaskView:
        return view_tasks(tx, [service.change(tx, task_id, values, log=log)])[0]

    return await db.write(write, by=me)


@router.delete("/tasks/{task_id}")
async def delete_task(task_id: str, me: Member, db: Db, log: Log) -> DeletionView:
    """Delete a task, with a short time in which you can restore it."""
    deletion = await db.write(lambda tx: delete_with_undo(tx, [task_id], log=log), by=me)
    return DeletionView.model_validate(deletion)


@router.post("/tasks/{task_id}/move")
async def move_task(task_id: str, body: TaskMove, me: Member, db: Db, log: Log) -> TaskView:
    """Put a task right after another, or before all, and into another column of a board."""
    values = {name: value for name, value in omit_unset(body).items() if name != "after"}

    def write(tx: Tx) -> TaskView:
        return view_tasks(tx, [service.move(tx, task_id, values, after=body.after, log=log)])[0]

    return await db.write(write, by=me)


@router.get("/tasks/{task_id}/history")
async def list_task_history(
    task_id: str, me: Me, db: Db, after: Cursor = "", limit: PageLimit = 50
) -> TaskHistoryPage:
    """List what became of a task, newest first."""

    def read(tx: Tx) -> TaskHistoryPage:
        task = access.get(tx, task_id)
        found = history.list_page(tx, task.id, after=after, limit=limit + 1)
        more = found[limit - 1].id if len(found) > limit else None
        return TaskHistoryPage(changes=[TaskHistoryView.of(entry) for entry in found[:limit]], next=more)

    return await db.read(read, by=me)
