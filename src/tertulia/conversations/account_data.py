"""Deleting what a closed account leaves behind: its private conversations, and workspaces of its own."""

from tertulia.accounts.deletion import ClosedAccount
from tertulia.conversations import publish
from tertulia.conversations.domain import Conversation
from tertulia.infra.db import Database, Tx, listed
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import cancel

#: Conversations or files that are deleted in one transaction: others write in between.
BATCH_SIZE = 20
OWN_CONVERSATIONS = f"""SELECT * FROM conversations
    WHERE workspace_id IN {listed("workspaces")} OR (owner_id = :user_id AND visibility <> 'workspace')
    LIMIT :limit"""
OWN_FILES = f"SELECT id FROM files WHERE workspace_id IN {listed('workspaces')} LIMIT :limit"


async def delete_account_data(closed: ClosedAccount, *, db: Database, log: EventLog) -> None:
    """Delete the private conversations of a person, and whole workspaces; doing it again does no harm."""
    workspaces = closed.closed_workspace_ids

    def delete_conversations(tx: Tx) -> int:
        found = tx.all(
            Conversation,
            OWN_CONVERSATIONS,
            user_id=closed.closed_user_id,
            workspaces=workspaces,
            limit=BATCH_SIZE,
        )
        for conversation in found:
            cancel(tx, conversation.id)
            publish.end(tx, conversation, log=log)
            tx.run("DELETE FROM conversations WHERE id = :id", id=conversation.id)
        return len(found)

    def delete_files(tx: Tx) -> int:
        found = tx.column(OWN_FILES, workspaces=workspaces, limit=BATCH_SIZE)
        tx.run(f"DELETE FROM files WHERE id IN {listed('ids')}", ids=found)
        return len(found)

    for delete_some in (delete_conversations, delete_files):
        while await db.write(delete_some, by=None):
            pass
    sql = f"DELETE FROM workspaces WHERE id IN {listed('workspaces')}"
    await db.write(lambda tx: tx.run(sql, workspaces=workspaces), by=None)
