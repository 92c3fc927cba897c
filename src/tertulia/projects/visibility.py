"""Who may see what lies in a project: said once, as SQL, for conversations and for what belongs to them."""

from tertulia.infra.db import Tx


def conversation_visible_to_sql(*, workspace: str, user: str) -> str:
    """Return SQL for a conversation's being seen: by its owner and, where it is shared, by every member."""
    return f"""workspace_id = {workspace} AND deleted_at IS NULL
    AND (owner_id = {user} OR visibility = 'workspace')"""


CONVERSATION_VISIBLE_SQL = conversation_visible_to_sql(workspace=":workspace", user=":me")


def of_visible_conversation_sql(column: str) -> str:
    """Return SQL for rows that belong to a conversation that the caller may see."""
    return f"EXISTS (SELECT 1 FROM conversations WHERE id = {column} AND {CONVERSATION_VISIBLE_SQL})"


def in_visible_conversation_sql(column: str) -> str:
    """Return SQL for rows that belong to no conversation, or to one that the caller may see."""
    return f"({column} IS NULL OR {of_visible_conversation_sql(column)})"


def not_of_deleted_conversation_sql(column: str) -> str:
    """Return SQL for rows that belong to no conversation, or to one that was not deleted."""
    # PostgreSQL would read all conversations for EXISTS after OR; so each is looked up.
    return f"""({column} IS NULL OR (
        SELECT 1 FROM conversations AS c WHERE c.id = {column} AND c.deleted_at IS NULL LIMIT 1
        ) IS NOT NULL)"""


#: A file is seen by every member; one that is attached to a conversation, by those who may see that.
FILE_VISIBLE_SQL = f"workspace_id = :workspace AND {in_visible_conversation_sql('files.conversation_id')}"


def find_sole_reader(tx: Tx, conversation_id: str | None) -> str | None:
    """Return who alone may see what belongs to a conversation; None for every member."""
    sql = """SELECT owner_id FROM conversations WHERE id = :id AND workspace_id = :workspace
        AND visibility <> 'workspace'"""
    return tx.value(sql, id=conversation_id) if conversation_id else None
