"""Tasks in search: found by every member where they are a project's, else by their owner."""

from tertulia.core.errors import NotFound
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import sources
from tertulia.retrieval.indexer import ReadSource, SourceText, principal_for
from tertulia.retrieval.sources import IndexedSource, NewSource, SourceKind
from tertulia.tasks import store
from tertulia.tasks.domain import Task


def index_task(tx: Tx, task: Task) -> None:
    """Have a task found as it is now."""
    sources.queue_source(
        tx,
        NewSource(
            kind=SourceKind.TASK,
            source_id=task.id,
            project_id=task.project_id,
            owner_id=None if task.project_id else task.owner_id,
            tags=task.tags,
            media="markdown",
            said_at=task.created_at,
        ),
    )


def remove_tasks(tx: Tx, task_ids: list[str]) -> None:
    """Let tasks be found no more."""
    sources.remove_sources(tx, SourceKind.TASK, task_ids)


def build_task_reader(db: Database) -> ReadSource:
    """Return what reads tasks that are to be found."""

    async def read_task(source: IndexedSource) -> SourceText:
        task = await db.read(lambda tx: store.find(tx, source.source_id), by=principal_for(source))
        if task is None:
            raise NotFound("task")
        return SourceText(iter((render_task(task),)), "markdown")

    return read_task


def render_task(task: Task) -> str:
    """Return a task as the text by which it is found."""
    tags = " ".join(f"#{tag}" for tag in task.tags)
    return "\n\n".join(part for part in (task.title, task.description, tags) if part)
