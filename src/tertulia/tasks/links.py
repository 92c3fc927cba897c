"""Links between tasks and conversations: seen by those who may see both."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx, bound_list
from tertulia.projects.visibility import of_visible_conversation_sql
from tertulia.tasks.domain import TaskLink, TaskLinkKind

VISIBLE_LINK_SQL = of_visible_conversation_sql("task_links.conversation_id")


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A link with the task that it belongs to."""

    task_id: str
    conversation_id: str
    message_id: str | None
    kind: TaskLinkKind


def add(tx: Tx, task_id: str, link: TaskLink) -> bool:
    """Link a task to a conversation that the caller may see; return whether that is new."""
    check_visible(tx, link)
    if link in list_links(tx, [task_id]).get(task_id, []):
        return False
    add_many(tx, {task_id: [link]})
    return True


def add_many(tx: Tx, links: Mapping[str, Sequence[TaskLink]]) -> None:
    """Store links of tasks."""
    tx.run_many(
        """INSERT INTO task_links (id, workspace_id, task_id, conversation_id, message_id, kind)
           VALUES (:id, :workspace, :task, :conversation, :message, :kind)""",
        [
            {
                "id": new_id("tln"),
                "task": task_id,
                "conversation": link.conversation_id,
                "message": link.message_id,
                "kind": link.kind,
            }
            for task_id, of_task in links.items()
            for link in of_task
        ],
    )


def check_visible(tx: Tx, link: TaskLink) -> None:
    """Raise unless the caller may see what a link leads to."""
    sql = f"SELECT 1 WHERE {of_visible_conversation_sql(':conversation')} AND :workspace <> ''"
    if tx.value(sql, conversation=link.conversation_id) is None:
        raise NotFound("conversation")
    if link.message_id is not None and link not in filter_existing(tx, [link]):
        raise NotFound("message")


def filter_existing(tx: Tx, links: Collection[TaskLink]) -> list[TaskLink]:
    """Return those links whose conversation the caller may see, and whose message stands there."""
    conversations = {link.conversation_id for link in links}
    sql = f"""SELECT value FROM {bound_list("ids")} AS named
        WHERE {of_visible_conversation_sql("named.value")} AND :workspace <> ''"""
    visible = set(tx.column(sql, ids=sorted(conversations)))
    messages = {link.message_id for link in links if link.message_id}
    sql = f"""SELECT id, conversation_id FROM message_places
        WHERE workspace_id = :workspace AND id IN {bound_list("ids")}"""
    places = dict(tx.rows(sql, ids=sorted(messages)))
    return [
        link
        for link in links
        if link.conversation_id in visible
        and (link.message_id is None or places.get(link.message_id) == link.conversation_id)
    ]


def list_links(tx: Tx, task_ids: Collection[str]) -> dict[str, list[TaskLink]]:
    """Return the links of tasks that the caller may see, oldest first."""
    sql = f"""SELECT task_id, conversation_id, message_id, kind FROM task_links
        WHERE task_id IN {bound_list("ids")} AND coalesce(workspace_id, '') = :workspace
        AND {VISIBLE_LINK_SQL} ORDER BY id"""
    found: dict[str, list[TaskLink]] = defaultdict(list)
    for link in tx.all(StoredLink, sql, ids=list(task_ids)) if task_ids else []:
        found[link.task_id].append(TaskLink(link.conversation_id, link.message_id, link.kind))
    return found


def has_links(tx: Tx, task_id: str) -> bool:
    """Tell whether a task has links at all, whoever may see them."""
    sql = "SELECT 1 FROM task_links WHERE task_id = :id AND workspace_id = :workspace LIMIT 1"
    return tx.value(sql, id=task_id) is not None
