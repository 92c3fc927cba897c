"""Who may see what lies in a project: said once, as SQL, for conversations and for what belongs to them."""

#: A conversation is seen by its owner and, where it is shared, by every member of the workspace.
CONVERSATION_VISIBLE_SQL = """workspace_id = :workspace AND deleted_at IS NULL
    AND (owner_id = :me OR visibility = 'workspace')"""
#: A file is seen by every member; one that is attached to a conversation, by those who may see that.
FILE_VISIBLE_SQL = f"""workspace_id = :workspace AND (conversation_id IS NULL OR EXISTS (
    SELECT 1 FROM conversations WHERE id = files.conversation_id AND {CONVERSATION_VISIBLE_SQL}))"""
