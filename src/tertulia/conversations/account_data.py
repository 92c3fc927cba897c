"""Deleting what a closed account leaves behind: its private conversations, and workspaces of its own."""

from tertulia.accounts.deletion import ClosedAccount, delete_own_rows
from tertulia.accounts.workspaces import delete_workspaces
from tertulia.conversations import event_publisher
from tertulia.conversations.domain import Conversation
from tertulia.files.deletion import delete_batch_of_workspaces
from tertulia.infra.db import Database, Tx, bound_list
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import cancel_jobs
from tertulia.live.member_topics import delete_feeds

#: Conversations or files that are deleted in one transaction: others write in between.
ACCOUNT_DELETION_BATCH_SIZE = 20
ACCOUNT_CONVERSATIONS_SQL = f"""SELECT * FROM conversations
    WHERE workspace_id IN {bound_list("workspaces")} OR (owner_id = :user_id AND visibility <> 'workspace')
    LIMIT :limit"""


async def delete_account_data(account: ClosedAccount, *, db: Database, log: EventLog) -> None:
    """Delete the private conversations of a person, and whole workspaces; doing it again does no harm.

    What is their own went with the account, but for what an earlier version let them add in that moment, and
    what their feed is told here.
    """
    workspaces = account.closed_workspace_ids

    def delete_conversations(tx: Tx) -> int:
        found = tx.all(
            Conversation,
            ACCOUNT_CONVERSATIONS_SQL,
            user_id=account.closed_user_id,
            workspaces=workspaces,
            limit=ACCOUNT_DELETION_BATCH_SIZE,
        )
        for conversation in found:
            cancel_jobs(tx, conversation.id)
            event_publisher.delete_events(tx, conversation, log=log)
            tx.run("DELETE FROM conversations WHERE id = :id", id=conversation.id)
        return len(found)

    def delete_files(tx: Tx) -> int:
        return delete_batch_of_workspaces(tx, workspaces, limit=ACCOUNT_DELETION_BATCH_SIZE)

    for delete_some in (delete_conversations, delete_files):
        while await db.write(delete_some, by=None):
            pass

    def delete_rest(tx: Tx) -> None:
        delete_own_rows(tx, account.closed_user_id)
        delete_feeds(tx, account.closed_user_id)
        delete_workspaces(tx, workspaces)

    await db.write(delete_rest, by=None)
