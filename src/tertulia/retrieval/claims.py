"""Claims on texts that are to be indexed: each is worked on by one process at a time.

A claim holds for the state in which a text was taken up: one that has changed since is free again.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from tertulia.core.clock import LEASE_MAX
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.db.row_locks import SKIP_LOCKED
from tertulia.retrieval.sources import IndexedSource, SourceKind

#: A process that stopped without a word loses its claims after so long; they are renewed while it works.
CLAIM_LEASE = timedelta(seconds=30)
CLAIM_RENEWAL_SECONDS = 10.0
#: What was said never waits for its summary, and neither for a file.
INDEXED_KINDS = (
    SourceKind.MEMORY,
    SourceKind.TASK,
    SourceKind.MESSAGE,
    SourceKind.SUMMARY,
    SourceKind.FILE,
)
# What lies further ahead than a lease was claimed before the machine was last started. What the claimant
# itself left behind, when its work failed, it takes up again.
CLAIMABLE_SQL = """(worker IS NULL OR worker = :worker OR claimed_revision <> revision
    OR claimed_until < :uptime OR claimed_until > :credible)"""
UNEMBEDDED_SQL = f"state = 'ready' AND embedder = '' AND (local_only = 0 OR :local = 1) AND {CLAIMABLE_SQL}"


def find_waiting_kind(tx: Tx, kinds: Sequence[SourceKind], *, worker: str) -> SourceKind | None:
    """Return the first of some kinds of which there is a text to be cut that nobody else works on."""
    sql = f"SELECT 1 FROM sources WHERE state = 'waiting' AND kind = :kind AND {CLAIMABLE_SQL} LIMIT 1"
    values = claim_values(tx, worker)
    return next((kind for kind in kinds if tx.value(sql, kind=kind, **values)), None)


def claim_waiting(tx: Tx, kind: SourceKind, *, worker: str, limit: int) -> list[IndexedSource]:
    """Take texts to be cut, the latest first."""
    found = tx.all(
        IndexedSource,
        f"""SELECT * FROM sources WHERE state = 'waiting' AND kind = :kind AND {CLAIMABLE_SQL}
            ORDER BY id DESC LIMIT :limit {SKIP_LOCKED}""",
        kind=kind,
        limit=limit,
        **claim_values(tx, worker),
    )
    claim_sources(tx, [source.id for source in found], worker=worker)
    return found


def has_unembedded(tx: Tx, *, is_local: bool, worker: str) -> bool:
    """Tell whether there is a text whose chunks lack vectors and that nobody else works on."""
    sql = f"SELECT 1 FROM sources WHERE {UNEMBEDDED_SQL} LIMIT 1"
    return bool(tx.value(sql, local=is_local, **claim_values(tx, worker)))


def claim_unembedded(tx: Tx, *, is_local: bool, worker: str, chunks: int) -> list[int]:
    """Take texts with about so many chunks in all: what was said first, and of each kind the latest.

    What must not leave this machine is left out where the embedder is another one's.
    """
    taken: list[int] = []
    for source_id, chunk_count in _iterate_unembedded(tx, is_local=is_local, worker=worker, limit=chunks):
        taken.append(source_id)
        chunks -= chunk_count
        if chunks <= 0:
            break
    claim_sources(tx, taken, worker=worker)
    return taken


def _iterate_unembedded(tx: Tx, *, is_local: bool, worker: str, limit: int) -> Iterator[tuple[int, int]]:
    """Yield texts that wait for vectors, with how many chunks each has; a kind is read at its turn."""
    for kind in INDEXED_KINDS:
        yield from tx.rows(
            f"""SELECT id, chunk_count FROM sources WHERE {UNEMBEDDED_SQL} AND kind = :kind
                ORDER BY id DESC LIMIT :limit {SKIP_LOCKED}""",
            kind=kind,
            local=is_local,
            limit=limit,
            **claim_values(tx, worker),
        )


def claim_sources(tx: Tx, sources: Sequence[int], *, worker: str) -> None:
    """Note who works on these texts from now on."""
    tx.run(
        f"""UPDATE sources SET worker = :worker, claimed_until = :until, claimed_revision = revision
            WHERE id IN {bound_list("sources", of="BIGINT")}""",
        worker=worker,
        until=tx.uptime() + CLAIM_LEASE,
        sources=list(sources),
    )


def hold_claims(tx: Tx, sources: Collection[int], *, worker: str) -> frozenset[int]:
    """Return those of some texts that are still claimed, which nobody changes until this transaction ends."""
    held = (
        f"""id IN {bound_list("sources", of="BIGINT")} AND worker = :worker AND claimed_revision = revision"""
    )
    values = {"sources": sorted(sources), "worker": worker}
    tx.run(
        f"UPDATE sources SET claimed_until = :until WHERE {held}", until=tx.uptime() + CLAIM_LEASE, **values
    )
    return frozenset(tx.column(f"SELECT id FROM sources WHERE {held}", **values))


def renew_claims(tx: Tx, worker: str) -> None:
    """Prolong all claims of a process."""
    sql = "UPDATE sources SET claimed_until = :until WHERE worker = :worker"
    tx.run(sql, worker=worker, until=tx.uptime() + CLAIM_LEASE)


def release_all_claims(tx: Tx) -> None:
    """Free every text: for a process that is the only one, at its start."""
    tx.run("UPDATE sources SET worker = NULL WHERE worker IS NOT NULL")


def claim_values(tx: Tx, worker: str) -> dict[str, object]:
    """Return the values of `CLAIMABLE_SQL`."""
    uptime = tx.uptime()
    return {"worker": worker, "uptime": uptime, "credible": uptime + LEASE_MAX}
