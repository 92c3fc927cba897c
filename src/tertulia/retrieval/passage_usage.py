"""What passages took of their token budget in each prompt, kept as long as the figures of searches."""

from dataclasses import dataclass

from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.retrieval.search_metrics import SEARCH_METRICS_RETENTION


@dataclass(frozen=True, slots=True)
class PassageUsage:
    """The passages of one prompt: their token budget, what they took of it, and how many did not fit."""

    budget: int
    tokens: int
    shown: int
    overflowed: int


def save_usage(tx: Tx, reply_id: str, usage: PassageUsage) -> None:
    """Keep the figures of a reply's prompt; of one that is asked again, the last."""
    tx.run(
        """INSERT INTO passage_usage (reply_id, workspace_id, user_id, budget, tokens, shown, overflowed,
             created_at)
           VALUES (:reply, :workspace, :me, :budget, :tokens, :shown, :overflowed, :now)
           ON CONFLICT (reply_id) DO UPDATE SET budget = :budget, tokens = :tokens, shown = :shown,
             overflowed = :overflowed""",
        reply=reply_id,
        budget=usage.budget,
        tokens=usage.tokens,
        shown=usage.shown,
        overflowed=usage.overflowed,
        now=now(),
    )


def list_latest_usage(tx: Tx, *, since_ms: int, limit: int) -> list[PassageUsage]:
    """Return the figures of the caller's latest prompts."""
    return tx.all(
        PassageUsage,
        """SELECT budget, tokens, shown, overflowed FROM passage_usage
           WHERE workspace_id = :workspace AND user_id = :me AND created_at >= :since
           ORDER BY created_at DESC LIMIT :limit""",
        since=since_ms,
        limit=limit,
    )


def delete_outdated_usage(tx: Tx) -> None:
    """Forget the figures of a month ago."""
    tx.run(
        "DELETE FROM passage_usage WHERE workspace_id = :workspace AND created_at < :before",
        before=now() - SEARCH_METRICS_RETENTION,
    )
