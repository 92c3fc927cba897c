"""Lists of the conversations that a caller may see, the latest used first."""

from tertulia.conversations.access import VISIBLE_TO_CALLER_SQL
from tertulia.conversations.domain import Conversation, Origin
from tertulia.infra.db import Tx, escape_like, fold_case, like_folded


def list_page(
    tx: Tx,
    *,
    project_id: str | None = None,
    archived: bool = False,
    pinned: bool | None = None,
    origins: tuple[Origin, ...] = (Origin.APP, Origin.IMPORT),
    search: str = "",
    only_lasting: bool = False,
    after: str | None = None,
    limit: int = 50,
) -> list[Conversation]:
    """Return conversations that the caller may see, the latest used first.

    Temporary ones are never found by a search, and left out where only those that stay are wanted.
    """
    wanted = [VISIBLE_TO_CALLER_SQL, f"archived_at IS {'NOT ' if archived else ''}NULL"]
    wanted.append("origin IN ({})".format(", ".join(f"'{origin}'" for origin in origins)))
    if project_id is not None:
        wanted.append("project_id = :project_id")
    if pinned is not None:
        wanted.append(f"pinned_at IS {'NOT ' if pinned else ''}NULL")
    if search:
        wanted.append(like_folded("title", "search"))
    if search or only_lasting:
        wanted.append("expires_at IS NULL")
    if after is not None:
        wanted.append("sort_key < :after")
    return tx.all(
        Conversation,
        f"""SELECT * FROM conversations WHERE {" AND ".join(wanted)}
            ORDER BY sort_key DESC LIMIT :limit""",
        project_id=project_id,
        search=f"%{escape_like(fold_case(search))}%",
        after=after,
        limit=limit,
    )


def find_latest(tx: Tx) -> Conversation | None:
    """Return the caller's own conversation that was used last."""
    return tx.one(
        Conversation,
        """SELECT * FROM conversations WHERE workspace_id = :workspace AND owner_id = :me
           AND deleted_at IS NULL AND archived_at IS NULL AND origin <> 'api'
           ORDER BY sort_key DESC LIMIT 1""",
    )
