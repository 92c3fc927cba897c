"""What people do with conversations as a whole."""

from dataclasses import replace

from tertulia.conversations import conversation_list, event_publisher, rounds, store
from tertulia.conversations.access import (
    find_unchecked,
    get_for_managing,
    get_for_reading,
    get_for_writing,
    get_round,
    get_unchecked,
)
from tertulia.conversations.domain import Anchor, Conversation, Origin, TitleBy
from tertulia.conversations.errors import ConversationStays
from tertulia.conversations.expiry import TEMPORARY_LIFETIME, queue_expiry, time_to_expiry
from tertulia.conversations.message_index import (
    reindex_conversation,
    reindex_title,
    remove_from_index,
    update_index_owner,
)
from tertulia.core.clock import now
from tertulia.core.errors import Invalid, NotAllowed, NotFound
from tertulia.core.ids import ULID_PATTERN
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Role
from tertulia.infra import undo
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import cancel_jobs
from tertulia.infra.undo import DeletionKind, PendingDeletion
from tertulia.projects import access as projects
from tertulia.projects import service as project_service
from tertulia.tasks import access as tasks
from tertulia.tasks import service as task_service
from tertulia.tasks.domain import TaskLink, TaskLinkKind

CONVERSATION_DELETION_KIND = "conversation"


class CursorInvalid(Invalid):
    """A page was asked for after something that is no place in the list."""

    code = "cursor_invalid"

    def __init__(self) -> None:
        super().__init__("`after` must be the `next` of an earlier page.")


def create(
    tx: Tx,
    *,
    log: EventLog,
    anchor: Anchor | None = None,
    anchor_id: str | None = None,
    project_id: str | None = None,
    title: str | None = None,
    title_by: str = TitleBy.PERSON,
    instructions: str = "",
    origin: Origin = Origin.APP,
    temporary: bool = False,
) -> Conversation:
    """Make a conversation; one that is anchored to nothing belongs to the default project."""
    tx.by.require(Role.MEMBER)
    task = tasks.get(tx, anchor_id or "") if anchor is Anchor.TASK else None
    if task is not None:
        anchor_id, project_id = task.id, task.project_id
    if anchor is Anchor.PROJECT:
        project_id = anchor_id
    if project_id is not None:
        project_id = projects.get(tx, project_id).id
    elif anchor is None:
        project_id = projects.get_default(tx).id
    anchor = anchor or Anchor.PROJECT
    conversation = store.add(
        tx,
        project_id=project_id,
        anchor=anchor,
        anchor_id=project_id if anchor is Anchor.PROJECT else anchor_id,
        origin=origin,
        title=title,
        title_by=title_by,
        instructions=instructions,
        expires_at=now() + TEMPORARY_LIFETIME if temporary else None,
    )
    if temporary:
        queue_expiry(tx, conversation)
    if task is not None:
        task_service.add_link(tx, task.id, TaskLink(conversation.id, kind=TaskLinkKind.ABOUT), log=log)
    event_publisher.publish_changed(tx, conversation, log=log)
    return conversation


def get_current(tx: Tx, *, log: EventLog) -> Conversation:
    """Return the caller's own conversation that was used last, or a new one."""
    return conversation_list.find_latest(tx) or create(tx, log=log)


def change(tx: Tx, conversation_id: str, values: JsonObject, *, log: EventLog) -> Conversation:
    """Rename, archive, pin, share or instruct a conversation, or say how much its models are shown."""
    before = get_for_managing(tx, conversation_id)
    columns: dict[str, object] = {}
    for name, value in values.items():
        if name == "title":
            columns |= {"title": value, "title_by": TitleBy.PERSON}
        elif name in ("archived", "pinned"):
            columns[f"{name}_at"] = now() if value else None
        elif name == "context":
            columns[name] = replace(before.context, **value)
        elif name == "temporary":
            columns |= _change_expiry(before, temporary=value)
        else:
            columns[name] = value
    if columns:
        store.change(tx, conversation_id, **columns)
    if columns.get("expires_at"):
        queue_expiry(tx, get_unchecked(tx, conversation_id))
    if "visibility" in columns:
        update_index_owner(tx, get_unchecked(tx, conversation_id))
    if "title" in columns:
        reindex_title(tx, get_unchecked(tx, conversation_id))
    return _publish_changed(tx, conversation_id, log=log)


def _change_expiry(conversation: Conversation, *, temporary: bool) -> dict[str, object]:
    """Return what changes when a conversation shall be temporary or stay: once begun it can only be kept."""
    if temporary == conversation.is_temporary:
        return {}
    if temporary and conversation.head_id is not None:
        raise ConversationStays
    return {"expires_at": now() + TEMPORARY_LIFETIME if temporary else None}


def suggest_title(tx: Tx, conversation_id: str, title: str, *, by: str, log: EventLog) -> None:
    """Give a conversation a title, by its question or a model, unless a person has already done so."""
    if get_for_writing(tx, conversation_id).title_by != TitleBy.PERSON:
        store.change(tx, conversation_id, title=title, title_by=by)
        reindex_title(tx, get_unchecked(tx, conversation_id))
        _publish_changed(tx, conversation_id, log=log)


def show_branch(tx: Tx, conversation_id: str, round_id: str, *, log: EventLog) -> Conversation:
    """Show the newest branch that goes through a round."""
    get_for_writing(tx, conversation_id)
    if get_round(tx, round_id).conversation_id != conversation_id:
        raise NotFound("round")
    store.change(tx, conversation_id, head_id=rounds.find_newest_leaf(tx, round_id))
    return _publish_changed(tx, conversation_id, log=log)


def delete(tx: Tx, conversation_id: str, *, log: EventLog) -> None:
    """Delete a conversation and every trace of what was said in it."""
    _delete_for_good(tx, get_for_managing(tx, conversation_id), log=log)


def delete_with_undo(tx: Tx, conversation_id: str, *, log: EventLog) -> PendingDeletion:
    """Delete a conversation for everybody; whoever did can restore it for a short time."""
    conversation = get_for_managing(tx, conversation_id)
    store.change(tx, conversation.id, deleted_at=now())
    remove_from_index(tx, conversation.id)
    event_publisher.publish_hidden(tx, conversation, log=log)
    return undo.add(tx, CONVERSATION_DELETION_KIND, conversation.id)


def deletion_kind(log: EventLog) -> DeletionKind:
    """Return how a conversation is restored, and how it is deleted for good."""

    def restore(tx: Tx, deletion: PendingDeletion) -> None:
        store.change(tx, get_unchecked(tx, deletion.subject_id).id, deleted_at=None)
        reindex_conversation(tx, deletion.subject_id)
        event_publisher.publish_changed(tx, get_unchecked(tx, deletion.subject_id), log=log)

    def erase(tx: Tx, deletion: PendingDeletion) -> None:
        if conversation := find_unchecked(tx, deletion.subject_id):
            _delete_for_good(tx, conversation, log=log)

    return DeletionKind(restore, erase)


def expire(tx: Tx, conversation_id: str, *, log: EventLog) -> None:
    """Delete a temporary conversation whose time is over; one whose is not is looked at again then."""
    conversation = find_unchecked(tx, conversation_id)
    if conversation is None or not conversation.is_temporary:
        return
    if time_to_expiry(conversation):
        queue_expiry(tx, conversation)
    else:
        _delete_for_good(tx, conversation, log=log)


def delete_project(tx: Tx, project_id: str, *, log: EventLog) -> None:
    """Delete a project with its conversations; those of other members are an admin's to delete."""
    project = projects.get(tx, project_id)
    inside = list_in_project(tx, project.id)
    if project.is_default:
        raise Invalid("The default project cannot be deleted.")
    if any(conversation.owner_id != tx.by.user_id for conversation in inside) and not tx.by.role.covers(
        Role.ADMIN
    ):
        raise NotAllowed("The project holds conversations of others: only an admin can delete it.")
    for conversation in inside:
        _publish_deleted(tx, conversation, log=log)
    project_service.delete(tx, project.id, log=log)


def list_in_project(tx: Tx, project_id: str) -> list[Conversation]:
    """Return all conversations of a project, whoever may see them."""
    sql = "SELECT * FROM conversations WHERE project_id = :project_id AND workspace_id = :workspace"
    return tx.all(Conversation, sql, project_id=project_id)


def to_cursor(conversation: Conversation) -> str:
    """Return the place of a conversation in a list of the latest used."""
    return conversation.sort_key


def parse_cursor(text: str | None) -> str | None:
    """Read a place in a list, or raise."""
    if text and not ULID_PATTERN.fullmatch(text):
        raise CursorInvalid
    return text or None


def _delete_for_good(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    _publish_deleted(tx, conversation, log=log)
    store.delete(tx, conversation.id)


def _publish_deleted(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say that a conversation is gone, and drop the work that waits for it."""
    cancel_jobs(tx, conversation.id)
    event_publisher.publish_deleted(tx, conversation, log=log)


def _publish_changed(tx: Tx, conversation_id: str, *, log: EventLog) -> Conversation:
    conversation = get_for_reading(tx, conversation_id)
    event_publisher.publish_changed(tx, conversation, log=log)
    return conversation
